import { type Cell, type CellOptions, openCell } from "../../cell.ts";
import type { Io } from "./io.ts";
import { createProgress } from "./progress.ts";

/** Opens a cell for one piece of work. Ctrl-C and SIGTERM call the work off; the cell is closed in any case. */
export async function withCell<T>(
  io: Io,
  options: CellOptions,
  work: (cell: Cell, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const progress = createProgress(io, "Copying the project");
  const cell = await openCell({ ...options, onProgress: progress.report }).finally(progress.end);
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  try {
    return await work(cell, interrupted.signal);
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
    await cell.close();
  }
}
