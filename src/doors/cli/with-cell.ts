import { type Cell, type CellOptions, openCell } from "../../cell.ts";
import { type Interruption, interruptible } from "./interruptible.ts";
import type { Io } from "./io.ts";
import { createProgress } from "./progress.ts";

/** Opens a cell for one piece of work. Ctrl-C and SIGTERM call the work off (see `interruptible`); the cell is closed in any case. */
export async function withCell<T>(
  io: Io,
  options: CellOptions,
  work: (cell: Cell, signal: AbortSignal) => Promise<T>,
  interruption: Interruption = {},
): Promise<T> {
  const progress = createProgress(io, "Copying the project");
  const cell = await openCell({ ...options, onProgress: progress.report }).finally(progress.end);
  try {
    return await interruptible("end the call", (signal) => work(cell, signal), interruption);
  } finally {
    await cell.close();
  }
}
