import { cellOptions } from "./cell-options.ts";
import { type Io, usage } from "./io.ts";
import type { CellFlags } from "./main.ts";
import { withCell } from "./with-cell.ts";

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
  // It has no terminal of its own, so that Ctrl-C comes to us; it is asked to end then.
  return withCell(io, cellOptions(io, flags), async (cell, signal) => {
    const { output, error, meta } = await cell.exec([program, ...args], { attached: true, signal });
    if (error !== null) io.err(`hotcell: ${error.message}\n`);
    if (meta.weakened !== undefined) io.err(`hotcell: ${meta.weakened}\n`);
    if (meta.session !== null) io.err(`hotcell: session ${meta.session}\n`);
    return typeof output?.exit_code === "number" ? output.exit_code : NOT_RUN;
  });
}
