// hotcell run: an interactive program in a sandbox, on a session of the project. At its end the user decides about its
// changes.
import { constants } from "node:os";
import path from "node:path";
import { isatty } from "node:tty";
import { createDesk } from "../../../approval/desk.ts";
import type { Cell, CellOptions } from "../../../cell.ts";
import type { Config } from "../../../config/config.ts";
import { LIMITS } from "../../../core/limits.ts";
import { apartFromGitData } from "../../../workspace/diff/git-data.ts";
import { statText } from "../../../workspace/diff/render.ts";
import { configuredCell } from "../cell-options.ts";
import { type Io, printJson, usage } from "../io.ts";
import type { CellFlags } from "../main.ts";
import { withCell } from "../with-cell.ts";
import { type ProgramLine, planProgram } from "./plan-program.ts";
import { withHome } from "./program-home.ts";
import { printCommit, reviewRun } from "./review-run.ts";
import type { RunRequest } from "./run-command.ts";
import { type ProgramSummary, printSummary, readHosts } from "./run-summary.ts";

export interface RunFlags extends CellFlags {
  readonly yesCommit?: boolean;
  readonly keep?: boolean;
  readonly secret?: readonly string[];
  readonly homeFile?: readonly string[];
  readonly profileCheck?: string;
  readonly listHomes?: boolean;
  readonly forget?: string;
  readonly yes?: boolean;
}

/** A program that did not run. */
const NOT_RUN = 125;

export async function runProgram(io: Io, request: RunRequest, flags: RunFlags): Promise<number> {
  if (request.profile === null && request.line.length === 0)
    throw usage("Give a profile, or a program after --: hotcell run codex, hotcell run -- bash");
  if (flags.yesCommit && flags.keep) throw usage("--yes-commit and --keep exclude each other.");
  const { options, config } = await configuredCell(io, flags);
  if (options.fs === "host") throw usage('hotcell run works in a session: omit --fs host, or fs "host".');
  const terminal = isatty(0) && isatty(1) && flags.json !== true;
  const { line: own, profile, ...given } = planProgram(io, request, { options, config });
  const program = path.basename(request.line[0] ?? profile!.program);
  const line: ProgramLine = flags.json ? ["sh", "-c", 'exec "$@" >&2', "sh", ...own] : own;
  const secrets = { ...given.secrets, ...readSecrets(io, flags) };
  const run = (home: string | null) =>
    withCell(
      io,
      cellOf({ ...options, ...given.options, ...(home !== null && { home }) }, config, secrets),
      (cell, signal) => runIn(cell, line, { terminal, signal, yesCommit: flags.yesCommit === true }),
      { spared: isatty(0) && !terminal ? 1 : 0, terminal },
    );
  const ran = await withHome(io, profile, { files: flags.homeFile ?? [], options, config }, run);
  const { committed, problem, logFile, callId, isInterrupted, ...end } = ran;
  const summary: ProgramSummary = { program, ...end, ...readHosts(logFile, callId) };
  if (problem !== null) io.err(`hotcell: ${problem}\n`);
  printSummary(io, summary);
  if (flags.json) {
    const { stat: _, ...facts } = summary;
    printJson(io, { ...facts, committed }, true);
  }
  const keep = flags.keep === true || isInterrupted;
  const isDone =
    committed === null
      ? await reviewRun(io, summary, { ...flags, keep })
      : printCommit(io, summary, committed);
  const exitCode = end.exitCode ?? NOT_RUN;
  return exitCode === 0 && !isDone ? 1 : exitCode;
}

interface RunHow {
  readonly terminal: boolean;
  readonly signal: AbortSignal;
  readonly yesCommit: boolean;
}

/** A person is at the program: it may compute for longer than a command of a model, unless the user set a limit. */
function cellOf(
  options: CellOptions,
  { stateDir, limits }: Config,
  secrets: Readonly<Record<string, string>>,
): CellOptions {
  const isDefault = limits.cpuSeconds === LIMITS.command.cpuSeconds;
  return {
    ...options,
    env: { ...options.env, ...secrets },
    secrets: [...(options.secrets ?? []), ...Object.values(secrets)],
    onAsk: createDesk({ stateDir }),
    limits: { ...limits, ...(isDefault && { cpuSeconds: LIMITS.personCpuSeconds }) },
  };
}

function readSecrets({ env }: Io, { secret = [] }: RunFlags): Record<string, string> {
  return Object.fromEntries(
    secret.map((name) => {
      const value = env[name];
      if (value === undefined || value === "") throw usage(`--secret ${name}: you have no such variable.`);
      return [name, value];
    }),
  );
}

async function runIn(cell: Cell, line: ProgramLine, { terminal, signal, yesCommit }: RunHow) {
  const { output, error, meta } = await cell.exec(line, { attached: true, terminal, signal });
  const ended = typeof output?.exit_code === "number" ? output.exit_code : null;
  // `script` does not pass on how the program took the end that we asked for.
  const by: NodeJS.Signals | undefined = terminal ? signal.reason?.details.by : undefined;
  const exitCode = by === undefined ? ended : 128 + constants.signals[by];
  const { changes } = await cell.diff();
  const { own, gitData } = apartFromGitData(changes, ({ path }) => path);
  const commits = yesCommit && exitCode === 0 && changes.length > 0;
  return {
    // A new session without changes ends with its cell.
    session: changes.length > 0 ? meta.session : null,
    exitCode,
    signal: by ?? output?.signal ?? null,
    durationMs: Math.round(meta.durationMs),
    changes: own.length,
    gitData,
    stat: own.length > 0 ? statText(own) : "",
    refused: output?.refused_hosts ?? [],
    weakened: meta.weakened ?? null,
    problem: error?.message ?? null,
    // Whoever asked hotcell to end does not wait for a question.
    isInterrupted: by !== undefined,
    committed: commits ? await cell.commit() : null,
    callId: meta.callId,
    logFile: cell.logFile,
  };
}
