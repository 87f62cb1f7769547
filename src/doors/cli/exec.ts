import fs from "node:fs";
import { constants } from "node:os";
import { isatty } from "node:tty";
import type { Cell } from "../../cell.ts";
import { makeVisible } from "../../core/quote.ts";
import type { CommandOutput } from "../../tools/builtin-types.ts";
import { sessionDir } from "../../workspace/layers/record.ts";
import { cellOptions } from "./cell-options.ts";
import { type Io, usage } from "./io.ts";
import type { CellFlags } from "./main.ts";
import { withCell } from "./with-cell.ts";

const NOT_RUN = 125;
/** As a shell says that there is no such program. */
const NOT_FOUND = 127;
const INTERRUPTED = 128 + constants.signals.SIGINT;

/** A shell with a separate terminal, in which Ctrl-C works. */
export function openShell(io: Io, id: string, flags: CellFlags): Promise<number> {
  const isTerminal = isatty(0) && isatty(1);
  return execCommand(io, isTerminal ? ["bash", "-i"] : ["bash"], { ...flags, session: id }, isTerminal);
}

/** The command of a person in the cell: it has this terminal's input and output, and hotcell exits with its exit code. */
export async function execCommand(
  io: Io,
  argv: readonly string[],
  flags: CellFlags,
  terminal = false,
): Promise<number> {
  const [program, ...args] = argv;
  if (program === undefined) throw usage("Give a command after --: hotcell exec -- npm test");
  const work = async (cell: Cell, signal: AbortSignal) => {
    const { output, error, meta } = await cell.exec([program, ...args], { attached: true, terminal, signal });
    if (error !== null) io.err(`hotcell: ${error.message}\n`);
    for (const line of [...noteLines(output), ...missingProgramHint(output?.exit_code)])
      io.err(`hotcell: ${makeVisible(line)}\n`);
    if (meta.weakened !== undefined) io.err(`hotcell: ${meta.weakened}\n`);
    const isInterrupted = signal.reason?.details.by === "SIGINT" && output?.signal;
    const exitCode = typeof output?.exit_code === "number" ? output.exit_code : NOT_RUN;
    return { session: meta.session, exitCode: isInterrupted ? INTERRUPTED : exitCode };
  };
  // In a terminal the first Ctrl-C is the command's, to do with as it likes; by the second it is asked to end.
  const options = await cellOptions(io, flags);
  const { session, exitCode } = await withCell(io, options, work, {
    spared: isatty(0) ? 1 : 0,
    terminal,
  });
  // A new session without changes ends with its cell.
  const isKept = session !== null && fs.existsSync(sessionDir(options.stateDir!, session));
  if (isKept) io.err(`hotcell: session ${session}\n`);
  return exitCode;
}

/** A program that the user has may not be in the cell. */
export function missingProgramHint(exitCode: unknown): string[] {
  if (exitCode !== NOT_FOUND) return [];
  return [
    "Status 127 usually means that there is no such program in the cell. hotcell doctor lists the directories on your PATH, and which of them commands see.",
  ];
}

/** The terminal has the output itself, but not why the network refused a host or which files are hidden. */
function noteLines(output: CommandOutput | null): string[] {
  if (output?.note === undefined) return [];
  const rules = (output.refused_hosts ?? []).flatMap(({ rule }) => rule ?? []);
  const lines = output.note.split("\n");
  if (rules.length === 0) return lines;
  return [
    ...lines,
    `Add ${rules.length === 1 ? "it" : "them"} to the command: hotcell exec ${rules.map((rule) => `--rule '${rule}'`).join(" ")} -- …`,
  ];
}
