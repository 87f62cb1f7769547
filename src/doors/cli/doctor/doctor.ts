// hotcell doctor: tests how this machine can sandbox commands.
import os from "node:os";
import { defaultStateDir } from "../../../config/load-config.ts";
import { loadUserConfig } from "../../../config/load-config-file.ts";
import { readEnvironment } from "../../../config/read-settings.ts";
import { HotcellError } from "../../../core/errors.ts";
import type { Observation } from "../../../core/types.ts";
import { DIRECT_NETWORK, findForeign } from "../../../shield/choose-tier.ts";
import { type Finding, listFindings, type Trial } from "../../../shield/doctor-report.ts";
import { findUserToolchains, type PathEntry } from "../../../shield/host/user-toolchains.ts";
import { probeMachine } from "../../../shield/probe.ts";
import type { LimitReport } from "../../../shield/process/command.ts";
import { readSelfCheck, SELF_CHECK_SCRIPT } from "../../../shield/self-check.ts";
import { listMounts } from "../../../workspace/fs/mountinfo.ts";
import { showName } from "../../../workspace/fs/names.ts";
import { measureState, type StateUse } from "../../../workspace/session/registry/measure-state.ts";
import { formatBytes, formatCount } from "../figures.ts";
import { type ExitCode, type Io, printJson, printLines } from "../io.ts";
import { type SessionFlags, sessionStoreFor } from "../session/find-session.ts";
import { describePath } from "./describe-path.ts";
import { inTrialCell } from "./trial-cell.ts";

export interface Diagnosis {
  readonly isolation: Trial["isolation"];
  readonly strategy: Trial["strategy"];
  readonly findings: readonly Finding[];
  readonly limits: LimitReport | null;
  readonly state: StateUse;
  /** Mount points inside the current directory, whose content sessions do not show. */
  readonly mountsNotShown: readonly string[];
  /** The directories of the user's PATH. */
  readonly path: readonly PathEntry[];
  /** The directories that the user's configuration names. */
  readonly toolchains: readonly string[];
  /** The current directory. */
  readonly project: string;
}

/** Exit 0 when commands are shielded fully. */
export async function runDoctor(io: Io, flags: SessionFlags): Promise<ExitCode> {
  // No project's own file says where sessions are.
  const { stateDir } = sessionStoreFor(io, flags, defaultStateDir(io.env));
  const diagnosis = await diagnose(io, stateDir);
  if (flags.json) printJson(io, diagnosis, true);
  else printLines(io, ...describeDiagnosis(diagnosis));
  return isShielded(diagnosis) ? 0 : 1;
}

/** Tries out how commands are sandboxed for the project in the current directory. */
export async function diagnose(io: Pick<Io, "env" | "cwd">, stateDir: string): Promise<Diagnosis> {
  const machine = await probeMachine();
  const foreign = findForeign(machine.platform, machine.arch);
  const trial = foreign === null ? await tryOut(stateDir) : { ...NOTHING, failure: foreign };
  const { isolation, strategy, limits } = trial;
  const config = {
    ...loadUserConfig({ env: io.env, flags: {}, cwd: io.cwd }),
    ...readEnvironment(io.env),
  };
  const isDirect = config.toolAllowDirectNetwork ?? false;
  const findings = [...listFindings(machine, trial), ...(isDirect ? [DIRECT] : [])];
  const { entries: path } = findUserToolchains({ env: io.env, home: io.env.HOME || os.homedir() });
  const { toolchains = [] } = config;
  return {
    isolation,
    strategy,
    findings,
    limits,
    path,
    toolchains,
    project: io.cwd,
    state: measureState(stateDir),
    mountsNotShown: listMounts(io.cwd).map(showName),
  };
}

function isShielded({ isolation, findings }: Diagnosis): boolean {
  return isolation === "full" && findings.every(({ name, ok }) => ok || name !== "sandbox");
}

const DIRECT: Finding = {
  name: "network",
  ok: false,
  found: "direct",
  consequence: DIRECT_NETWORK,
  fix: "Unset TOOL_ALLOW_DIRECT_NETWORK, and allow hosts by rules: allow network(HOST:PORT).",
};

const NOTHING: Trial = { strategy: null, isolation: null, limits: null, inside: null, failure: null };

async function tryOut(stateDir: string): Promise<Trial> {
  try {
    return trialOf(await inTrialCell(stateDir, {}, (cell) => cell.exec(["bash", "-c", SELF_CHECK_SCRIPT])));
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    return { ...NOTHING, failure: error.message };
  }
}

function trialOf({ output, error, meta }: Observation): Trial {
  const strategy = meta.strategy === "host" ? null : meta.strategy;
  const isolation = meta.isolation === "full" || meta.isolation === "landlock" ? meta.isolation : null;
  if (error !== null || isolation === null)
    return { ...NOTHING, strategy, failure: error?.message ?? "the command was not sandboxed" };
  const limits = meta.limits ?? null;
  return { strategy, isolation, limits, inside: readSelfCheck(String(output?.stdout)), failure: null };
}

export function describeDiagnosis(diagnosis: Diagnosis): string[] {
  const { isolation, strategy, findings, limits, path, toolchains, project, state, mountsNotShown } =
    diagnosis;
  const width = Math.max(...findings.map(({ name }) => name.length));
  return [
    ...findings.flatMap((finding) => describeFinding(finding, width)),
    ...(limits === null ? [] : ["", "Limits:", ...describeLimits(limits)]),
    ...(path.length === 0 ? [] : ["", "Programs on your PATH:", ...describePath(path, toolchains, project)]),
    "",
    describeState(state),
    ...mountsNotShown.map(
      (at) => `Sessions of this directory do not show the content of the mount at ${at}.`,
    ),
    ISOLATIONS[isolation ?? "none"],
    STRATEGIES[strategy ?? "none"],
  ];
}

function describeState({
  dir,
  sessions,
  sessionBytes,
  homes,
  homeBytes,
  artifactBytes,
  logBytes,
  prunableLogs,
}: StateUse): string {
  const prunable =
    prunableLogs === 0 ? "" : `; hotcell audit prune removes ${formatCount(prunableLogs, "log")}`;
  return `State in ${dir}: ${formatCount(sessions, "session")} ${formatBytes(sessionBytes)}, ${formatCount(homes, "home")} ${formatBytes(homeBytes)}, artifacts ${formatBytes(artifactBytes)}, logs ${formatBytes(logBytes)}${prunable}.`;
}

export function describeFinding({ name, ok, found, consequence, fix }: Finding, width: number): string[] {
  return [
    `${ok ? "ok " : "NO "} ${name.padEnd(width)}  ${found}`,
    ...(consequence === null ? [] : [`    ${consequence}`]),
    ...(fix === null ? [] : [`    Fix: ${fix}`]),
  ];
}

function describeLimits(limits: LimitReport): string[] {
  return (["enforced", "polled", "none"] as const).flatMap((how) => {
    const names = Object.entries(limits).filter(([, found]) => found === how);
    return names.length === 0 ? [] : [`    ${how}: ${names.map(([name]) => name).join(", ")}`];
  });
}

const ISOLATIONS = {
  full: 'Commands run in the full sandbox (isolation "full").',
  landlock: 'Commands run in the weaker sandbox (isolation "landlock").',
  none: "Commands cannot be sandboxed. hotcell refuses them with NO_SANDBOX.",
} as const;

const STRATEGIES = {
  kernel: 'Sessions use overlayfs (strategy "kernel").',
  clone: 'Sessions copy the project (strategy "clone").',
  none: "Sessions cannot be created.",
} as const;
