// Runs the commands of tools in the cell's sandbox, on its view of the files, and keeps their output.
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { quote } from "../core/quote.ts";
import type { HiddenFiles, RefusedHost, RunMeta } from "../core/types.ts";
import type { Log } from "../log/log.ts";
import { createByteRedactor } from "../log/redact-bytes.ts";
import { NO_NETWORK_NOTE, showsMissingNetwork } from "../shield/host/offline-settings.ts";
import { type Captured, captureOutput, type ShownOutput } from "../shield/process/capture-output.ts";
import type { CommandEnd, CommandLimits, OnOutput, ShieldedCommand } from "../shield/process/command.ts";
import type { CommandView } from "../shield/process/command-view.ts";
import type { Stdio } from "../shield/process/spawn-isolated.ts";
import type { BackgroundRun, Processes } from "../shield/processes.ts";
import type { RunOptions, Shield } from "../shield/shield.ts";
import type { CommandRequest, Commands } from "../tools/commands.ts";
import { findHardLink, type HardLinkSearch } from "../workspace/files/find-hard-link.ts";
import type { WorkspaceFS } from "../workspace/files/workspace-fs.ts";
import { showName } from "../workspace/fs/names.ts";
import type { HiddenSecrets } from "../workspace/secrets/find-secrets.ts";
import type { RunnerContext } from "./runner.ts";

export type CommandsFor = (context: RunnerContext) => Commands;

export interface CommandParts {
  readonly shield: Shield;
  readonly commandView: CommandView;
  readonly processes: Processes;
  readonly workspace: WorkspaceFS;
  readonly log: Log;
  readonly limits: CommandLimits;
  readonly gate: {
    /** Whether a rule opens the way to any host. */
    readonly hasGrants: boolean;
    readonly isDirect: boolean;
    watch(callId: string): NetworkWatch;
  };
}

interface NetworkWatch {
  refused(): readonly RefusedHost[];
  unreached(): readonly string[];
  end(): void;
}

export function createCommandsFor(parts: CommandParts): CommandsFor {
  const { shield, commandView, processes, workspace, log, gate } = parts;
  /** Searched once for a cell: a view of a session has its own files. That the search was cut is said once. */
  let searched: HardLinkSearch | null = workspace.mode === "host" ? null : { file: null, isCut: false };
  const searchHardLinks = (): HardLinkSearch => {
    const found = searched ?? findHardLink(workspace);
    searched = { ...found, isCut: false };
    return found;
  };
  return (context) => ({
    processes,
    async run(request) {
      const command = commandOf(request, workspace);
      const limits = { ...parts.limits, timeoutMs: timeoutOf(request, context, parts.limits) };
      const captured = captureOutput(shownOf(request), log.openArtifact);
      const redacted = withoutSecrets(request, (stream, bytes) => {
        captured.add(stream, bytes);
        context.emit(stream, bytes);
      });
      const network = gate.watch(context.callId);
      const ran = shield.run(command, {
        limits,
        stdio: stdioOf(request),
        signal: context.signal,
        onStart: (shielded) => context.reportMeta(shieldedBy(shielded)),
        onOutput: redacted.add,
      });
      const { report, ...end } = await ran.catch((error) => {
        network.end();
        throw error;
      });
      network.end();
      const refusedHosts = network.refused();
      redacted.end();
      const output = captured.end();
      const hardLinks = searchHardLinks();
      const hidden = hiddenFiles(commandView.hiddenSecrets());
      context.reportMeta({
        limits: report,
        artifact: output.artifact,
        hidden,
        ...(hardLinks.file !== null && { hardLinked: showName(hardLinks.file) }),
      });
      const hasNetwork = gate.hasGrants || gate.isDirect || refusedHosts.length > 0;
      const notes = [
        ...refusedHosts.map(describeRefusal),
        ...network.unreached(),
        ...notesOn(output, hardLinks, hasNetwork),
        ...(showsMissingRepository(output, workspace) ? [NO_REPOSITORY_NOTE] : []),
        ...hiddenNotes(hidden, end),
      ];
      return { ...end, ...output, limits, refusedHosts, notes };
    },
    async start(request, label) {
      const command = commandOf(request, workspace);
      const limits = {
        ...parts.limits,
        timeoutMs: LIMITS.maxTimerMs,
        outputBytes: Number.POSITIVE_INFINITY,
      };
      const release = commandView.hold();
      const network = gate.watch(context.callId);
      const begin: BackgroundRun = ({ signal, onOutput, onStart }) => {
        const begun = (shielded: Shielded) => {
          const hidden = hiddenFiles(commandView.hiddenSecrets());
          context.reportMeta({ ...shieldedBy(shielded), hidden });
          onStart();
        };
        return shield.run(command, { limits, signal, onOutput, onStart: begun }).finally(() => {
          network.end();
          release();
        });
      };
      return processes.start(label, begin, network.refused);
    },
  });
}

/** Output without the secrets of the request, for everything that is made of it: events, observation and artifact. */
function withoutSecrets({ secrets = [] }: CommandRequest, onOutput: OnOutput) {
  const redactors = { stdout: createByteRedactor(secrets), stderr: createByteRedactor(secrets) };
  const emit: OnOutput = (stream, bytes) => {
    if (bytes.length > 0) onOutput(stream, bytes);
  };
  return {
    add: (stream: "stdout" | "stderr", bytes: Buffer) => emit(stream, redactors[stream]?.add(bytes) ?? bytes),
    end() {
      for (const stream of ["stdout", "stderr"] as const) {
        const rest = redactors[stream]?.end();
        if (rest !== undefined) emit(stream, rest);
      }
    },
  };
}

/** What a model should know to understand the output. */
function notesOn({ stdout, stderr }: Captured, hardLinks: HardLinkSearch, hasNetwork: boolean): string[] {
  return [
    ...(!hasNetwork && showsMissingNetwork(stdout, stderr) ? [NO_NETWORK_NOTE] : []),
    ...hardLinkNotes(hardLinks),
  ];
}

/** With the strategy kernel in bubblewrap, commands see the repository. */
const NO_REPOSITORY_NOTE =
  "Commands here do not see the repository of this worktree or submodule, which is outside the project, so git fails in them. They see it in a session with the strategy kernel, if the repository names this project and isolation is not landlock.";

/** Git names the directory only if a `.git` file led it there. */
function showsMissingRepository({ stdout, stderr }: Captured, workspace: WorkspaceFS): boolean {
  const isNamed = [stdout, stderr].some((text) => /^fatal: not a git repository: \S/m.test(text));
  return isNamed && workspace.resolve(".git").kind === "file";
}

function hardLinkNotes({ file, isCut }: HardLinkSearch): string[] {
  const effect = "a command that changes such a file in place, or its mode, changes it under all its names.";
  if (file !== null)
    return [
      `${quote(showName(file))} has another name too (a hard link), maybe outside the project: ${effect}`,
    ];
  const cut = `hotcell looked for files with another name too (hard links) among the first ${LIMITS.maxHardLinkEntries} entries of the project only, and found none: ${effect}`;
  return isCut ? [cut] : [];
}

function hiddenFiles({ count, paths, changed }: HiddenSecrets): HiddenFiles {
  return { count, paths: paths.map(showName), changed: changed.map(showName) };
}

/** A command that failed may have missed a hidden file. */
function hiddenNotes({ count, paths, changed }: HiddenFiles, { exitCode }: CommandEnd): string[] {
  if (count === 0 || exitCode === 0) return [];
  const more = count > paths.length ? " and others" : "";
  const all = `Commands do not see files with a secret's name: ${paths.map(quote).join(", ")}${more}.`;
  if (changed.length === 0) return [all];
  return [
    `${all} git shows ${changed.map(quote).join(", ")} as deleted, because of local changes: do not commit that.`,
  ];
}

function shownOf({ maxShownBytes }: CommandRequest): ShownOutput {
  return maxShownBytes === undefined
    ? { bytes: LIMITS.maxShownOutputBytes }
    : { bytes: maxShownBytes, isShared: true };
}

type Shielded = Parameters<NonNullable<RunOptions["onStart"]>>[0];

function shieldedBy({ isolation, weakened }: Shielded): RunMeta {
  return { isolation, ...(weakened !== null && { weakened }) };
}

function commandOf(request: CommandRequest, workspace: WorkspaceFS): ShieldedCommand {
  const { argv, env = {}, bareEnv = false, readOnly = false, stderrToStdout = false } = request;
  return { argv, cwd: directoryOf(request, workspace), env, bareEnv, readOnly, stderrToStdout };
}

function stdioOf({ attached, terminal }: CommandRequest): Stdio {
  return terminal ? "terminal" : attached ? "inherited" : "captured";
}

function timeoutOf(
  { attached, terminal, timeoutMs }: CommandRequest,
  context: RunnerContext,
  { maxTimeoutMs }: CommandLimits,
): number {
  if (attached || terminal) return LIMITS.maxTimerMs;
  const most = context.scopeTimeoutMs ?? Math.max(maxTimeoutMs, context.timeoutMs);
  if (timeoutMs === undefined || timeoutMs <= most) return timeoutMs ?? context.timeoutMs;
  const setting = context.scopeTimeoutMs === null ? "limits.maxTimeoutMs" : "the timeout of the scope";
  throw new HotcellError(
    "INVALID_ARGUMENTS",
    `Could not run the command: it asks for ${timeoutMs} ms, and ${setting} is ${most} ms. Ask for less, start it with "background": true, or raise that setting.`,
  );
}

/** The working directory as an absolute path that the command sees. */
function directoryOf({ cwd = "." }: CommandRequest, workspace: WorkspaceFS): string {
  const { path, kind } = workspace.resolve(cwd);
  if (kind === "directory") return path === "" ? workspace.root : `${workspace.root}/${path}`;
  const state = kind === null ? "it does not exist" : `it is a ${kind}`;
  const code = kind === null ? "NOT_FOUND" : "NOT_A_DIRECTORY";
  throw new HotcellError(code, `Could not run the command in ${quote(cwd)}: ${state}.`);
}

function describeRefusal({ host, reason, rule }: RefusedHost): string {
  return `The network refused ${host}: ${rule === undefined ? `${reason.replace(/\.$/, "")}.` : `no rule allows it. To allow it: ${rule}`}`;
}
