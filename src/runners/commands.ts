// Runs the commands of tools in the cell's sandbox, on its view of the files, and keeps their output.
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { quote } from "../core/quote.ts";
import type { RunMeta } from "../core/types.ts";
import type { Log } from "../log/log.ts";
import { captureOutput } from "../shield/process/capture-output.ts";
import type { CommandLimits, ShieldedCommand } from "../shield/process/command.ts";
import type { Ground } from "../shield/process/command-view.ts";
import type { Processes } from "../shield/processes.ts";
import type { RunOptions, Shield } from "../shield/shield.ts";
import type { CommandRequest, Commands } from "../tools/commands.ts";
import type { WorkspaceFS } from "../workspace/files/workspace-fs.ts";
import type { RunContext } from "./runner.ts";

export type CommandsFor = (context: RunContext) => Commands;

export interface CommandParts {
  readonly shield: Shield;
  readonly ground: Ground;
  readonly processes: Processes;
  readonly workspace: WorkspaceFS;
  readonly log: Log;
  readonly limits: CommandLimits;
}

export function createCommandsFor(parts: CommandParts): CommandsFor {
  const { shield, ground, processes, workspace, log } = parts;
  return (context) => ({
    processes,
    async run(request) {
      const command = commandOf(request, workspace);
      const limits = { ...parts.limits, timeoutMs: timeoutOf(request, context) };
      const captured = captureOutput(LIMITS.maxShownOutputBytes, log.openArtifact);
      const { report, ...end } = await shield.run(command, {
        limits,
        attached: request.attached ?? false,
        signal: context.signal,
        onStart: (shielded) => context.tell(shieldedBy(shielded)),
        onOutput(stream, bytes) {
          captured.add(stream, bytes);
          context.emit(stream, bytes);
        },
      });
      const output = captured.end();
      context.tell({ limits: report, artifact: output.artifact });
      return { ...end, ...output, limits };
    },
    async start(request, label) {
      const command = commandOf(request, workspace);
      const limits = {
        ...parts.limits,
        timeoutMs: LIMITS.maxTimeoutMs,
        outputBytes: Number.POSITIVE_INFINITY,
      };
      const release = ground.hold();
      return processes.start(label, ({ signal, onOutput, onStart }) => {
        const begun = (shielded: Shielded) => {
          context.tell(shieldedBy(shielded));
          onStart();
        };
        return shield.run(command, { limits, signal, onOutput, onStart: begun }).finally(release);
      });
    },
  });
}

type Shielded = Parameters<NonNullable<RunOptions["onStart"]>>[0];

function shieldedBy({ isolation, weakened }: Shielded): RunMeta {
  return { isolation, ...(weakened !== null && { weakened }) };
}

function commandOf(request: CommandRequest, workspace: WorkspaceFS): ShieldedCommand {
  const { argv, env = {}, bareEnv = false, readOnly = false, stderrToStdout = false } = request;
  return { argv, cwd: directoryOf(request, workspace), env, bareEnv, readOnly, stderrToStdout };
}

function timeoutOf({ attached, timeoutMs }: CommandRequest, context: RunContext): number {
  if (attached) return LIMITS.maxTimeoutMs;
  return Math.min(timeoutMs ?? context.timeoutMs, context.timeoutMs);
}

/** The working directory as an absolute path that the command sees. */
function directoryOf({ cwd = "." }: CommandRequest, workspace: WorkspaceFS): string {
  const { path, kind } = workspace.resolve(cwd);
  if (kind === "directory") return path === "" ? workspace.root : `${workspace.root}/${path}`;
  const state = kind === null ? "it is not there" : `it is a ${kind}`;
  const code = kind === null ? "NOT_FOUND" : "NOT_A_DIRECTORY";
  throw new HotcellError(code, `Could not run the command in ${quote(cwd)}: ${state}.`);
}
