import { openCell } from "../../cell.ts";
import { cellOptions } from "./cell-options.ts";
import { type Io, usage } from "./io.ts";
import type { CellFlags } from "./main.ts";
import { createProgress } from "./progress.ts";

const NOT_RUN = 125;

/** A shell with a terminal of its own, in which Ctrl-C and the like work. */
export function openShell(io: Io, id: string, flags: CellFlags): Promise<number> {
  return execCommand(io, ["script", "--quiet", "--return", "--command", "bash -i", "/dev/null"], {
    ...flags,
    session: id,
  });
}

/** A person's command in the cell: its input and output are this terminal's, its exit code is given on. */
export async function execCommand(io: Io, argv: readonly string[], flags: CellFlags): Promise<number> {
  const [program, ...args] = argv;
  if (program === undefined) throw usage("Give a command after --: hotcell exec -- npm test");
  const progress = createProgress(io, "Copying the project");
  const options = { ...cellOptions(io, flags), onProgress: progress.report };
  const cell = await openCell(options).finally(progress.end);
  // It has no terminal of its own, so that Ctrl-C comes to us; it is asked to end then.
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  try {
    const { output, error, meta } = await cell.exec([program, ...args], {
      attached: true,
      signal: interrupted.signal,
    });
    if (error !== null) io.err(`hotcell: ${error.message}\n`);
    if (meta.weakened !== undefined) io.err(`hotcell: ${meta.weakened}\n`);
    if (meta.session !== null) io.err(`hotcell: session ${meta.session}\n`);
    return typeof output?.exit_code === "number" ? output.exit_code : NOT_RUN;
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
    await cell.close();
  }
}
