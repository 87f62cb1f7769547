import { constants } from "node:os";
import { isatty } from "node:tty";
import type { Cell } from "../../cell.ts";
import { cellOptions } from "./cell-options.ts";
import { type Io, usage } from "./io.ts";
import type { CellFlags } from "./main.ts";
import { withCell } from "./with-cell.ts";

const NOT_RUN = 125;
const INTERRUPTED = 128 + constants.signals.SIGINT;

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
  const work = async (cell: Cell, signal: AbortSignal) => {
    const { output, error, meta } = await cell.exec([program, ...args], { attached: true, signal });
    if (error !== null) io.err(`hotcell: ${error.message}\n`);
    if (meta.weakened !== undefined) io.err(`hotcell: ${meta.weakened}\n`);
    if (meta.session !== null) io.err(`hotcell: session ${meta.session}\n`);
    if (signal.reason?.details.by === "SIGINT" && output?.signal) return INTERRUPTED;
    return typeof output?.exit_code === "number" ? output.exit_code : NOT_RUN;
  };
  // In a terminal the first Ctrl-C is the command's, to do with as it likes; by the second it is asked to end.
  return withCell(io, cellOptions(io, flags), work, isatty(0) ? 1 : 0);
}
