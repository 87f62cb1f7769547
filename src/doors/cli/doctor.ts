// hotcell doctor: what this machine gives for shielding commands, found by doing it.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { openCell } from "../../cell.ts";
import { defaultStateDir } from "../../config/load-config.ts";
import { HotcellError } from "../../core/errors.ts";
import type { Observation } from "../../core/types.ts";
import { findForeign } from "../../shield/choose-tier.ts";
import { type Finding, findingsOf, type Trial } from "../../shield/doctor-report.ts";
import { probeMachine } from "../../shield/probe.ts";
import type { LimitReport } from "../../shield/process/command.ts";
import { INSIDE_SCRIPT, readInside } from "../../shield/self-check.ts";
import { openStateDir } from "../../workspace/files/state-dir.ts";
import { removeDirectory } from "../../workspace/layers/session-dirs.ts";
import { type ExitCode, type Io, printJson, printLines } from "./io.ts";
import { placeFor, type SessionFlags } from "./session/session-place.ts";

export interface Diagnosis {
  readonly isolation: Trial["isolation"];
  readonly strategy: Trial["strategy"];
  readonly findings: readonly Finding[];
  readonly limits: LimitReport | null;
}

/** Exit 0 when commands are shielded fully. */
export async function runDoctor(io: Io, flags: SessionFlags): Promise<ExitCode> {
  // No project's own file says where sessions are.
  const { stateDir } = placeFor(io, flags, defaultStateDir(io.env));
  const machine = await probeMachine();
  const foreign = findForeign(machine.platform, machine.arch);
  const trial = foreign === null ? await tryOut(stateDir) : { ...NOTHING, failure: foreign };
  const { isolation, strategy, limits } = trial;
  const findings = findingsOf(machine, trial);
  const diagnosis: Diagnosis = { isolation, strategy, findings, limits };
  if (flags.json) printJson(io, diagnosis, true);
  else printLines(io, ...describeDiagnosis(diagnosis));
  return isShielded(diagnosis) ? 0 : 1;
}

function isShielded({ isolation, findings }: Diagnosis): boolean {
  return isolation === "full" && findings.every(({ name, ok }) => ok || name !== "enclosure");
}

const NOTHING: Trial = { strategy: null, isolation: null, limits: null, inside: null, failure: null };

/** On an empty project, with the state where it always is. Both are removed again. */
async function tryOut(stateDir: string): Promise<Trial> {
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-doctor-"));
  try {
    return await tryIn(openStateDir(stateDir, workspace), workspace);
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    return { ...NOTHING, failure: error.message };
  } finally {
    removeDirectory(workspace);
  }
}

async function tryIn(stateDir: string, workspace: string): Promise<Trial> {
  const own = fs.mkdtempSync(path.join(stateDir, "doctor-"));
  try {
    const cell = await openCell({ workspace, stateDir: own });
    return trialOf(await cell.exec(["bash", "-c", INSIDE_SCRIPT]).finally(cell.close));
  } finally {
    removeDirectory(own);
  }
}

function trialOf({ output, error, meta }: Observation): Trial {
  const strategy = meta.strategy === "host" ? null : meta.strategy;
  const isolation = meta.isolation === "full" || meta.isolation === "landlock" ? meta.isolation : null;
  if (error !== null || isolation === null)
    return { ...NOTHING, strategy, failure: error?.message ?? "the command was not shielded" };
  const limits = meta.limits ?? null;
  return { strategy, isolation, limits, inside: readInside(String(output?.stdout)), failure: null };
}

export function describeDiagnosis({ isolation, strategy, findings, limits }: Diagnosis): string[] {
  const width = Math.max(...findings.map(({ name }) => name.length));
  return [
    ...findings.flatMap((finding) => describeFinding(finding, width)),
    ...(limits === null ? [] : ["", "Limits:", ...describeLimits(limits)]),
    "",
    ISOLATIONS[isolation ?? "none"],
    STRATEGIES[strategy ?? "none"],
  ];
}

function describeFinding({ name, ok, found, consequence, fix }: Finding, width: number): string[] {
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
  full: 'Commands are shielded fully (isolation "full").',
  landlock: 'Commands are shielded, but more weakly (isolation "landlock").',
  none: "Commands can't be shielded: they are refused with NO_SANDBOX.",
} as const;

const STRATEGIES = {
  kernel: 'Sessions use the kernel\'s overlay (strategy "kernel").',
  clone: 'Sessions copy the project (strategy "clone").',
  none: "Sessions can't be made.",
} as const;
