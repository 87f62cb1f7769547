// Turns one change of the session into steps on the project, or says why there are none.
import { LIMITS } from "../../../core/limits.ts";
import type { Protection } from "../../../policy/protected.ts";
import type { Change, Side } from "../../diff/changes.ts";
import type { Cooperative } from "../../fs/cooperative.ts";
import { versionOf } from "../../fs/fingerprint.ts";
import { osPath } from "../../fs/names.ts";
import type { CommitStep } from "./commit-step.ts";
import { findConflict } from "./find-conflict.ts";
import { changesScripts } from "./package-scripts.ts";
import type { Conflict, PlanInput, Skipped } from "./plan.ts";
import { type Resolution, resolve } from "./resolve.ts";
import type { SelectedChange } from "./selection.ts";
import { isSameResult, readVersions, type Versions } from "./versions.ts";

export interface Proposal {
  readonly path: string;
  /** Includes the old path of a renamed file. */
  readonly paths: readonly string[];
  readonly steps: readonly CommitStep[];
  readonly conflict: Conflict | null;
  readonly skipped: Skipped | null;
  /** A person must confirm exactly these paths. */
  readonly needsYes: boolean;
}

export function* propose(input: PlanInput, picked: SelectedChange): Cooperative<Proposal> {
  const { change } = picked;
  const { path } = change;
  const nothing = { path, paths: pathsOf(change), steps: [], conflict: null, skipped: null, needsYes: false };
  const why = whySkipped(input, picked);
  if (why !== null) return { ...nothing, skipped: { path, why } };
  const same: Proposal = { ...nothing, skipped: { path, why: "same in the project" } };
  const sides = yield* readVersions(input, change);
  const reason = yield* findConflict(input, change, sides);
  if (reason !== null && isSameResult(sides)) return same;
  const resolved = yield* resolve(input, picked, sides, reason);
  const { resolution } = resolved;
  if (resolved.steps.length === 0 && resolution === null) return same;
  const steps = resolved.steps.map((step) => ({ ...step, ...settlesField(resolution) }));
  const conflict = resolution && conflictOf(path, resolution, sides);
  return { ...nothing, steps, conflict, needsYes: needsYes(input, change, steps) };
}

function settlesField(resolution: Resolution | null): Pick<CommitStep, "settles"> {
  const how = resolution?.how;
  return how === "ours" || how === "merged" ? { settles: how } : {};
}

const pathsOf = ({ path, from }: Change): string[] => (from === undefined ? [path] : [path, from]);

function whySkipped(input: PlanInput, { change, isNamed }: SelectedChange): Skipped["why"] | null {
  const { before, after, unlisted } = change;
  if (unlisted || pathsOf(change).some((at) => Buffer.byteLength(osPath(at)) > LIMITS.maxPathBytes))
    return "path is too long";
  if (isReadOnly(input, change)) return "read-only";
  if (!isNamed && isSecret(input, change)) return "secret";
  return [before, after].some(isSpecial) ? "special file" : null;
}

function isSecret(input: PlanInput, change: Change): boolean {
  return protectionsOf(input, change).some((protection) => protection?.read === "refuse");
}

/** Nothing confirms a change of a path in `protect.readonly`. */
function isReadOnly(input: PlanInput, change: Change): boolean {
  return protectionsOf(input, change).some((protection) => protection?.class === "read-only-path");
}

function protectionsOf({ protectionOf }: PlanInput, change: Change): (Protection | null)[] {
  const isDirectory = (change.after ?? change.before)!.kind === "directory";
  return pathsOf(change).map((at) => protectionOf(named(at, isDirectory)));
}

function isSpecial(side: Side | null): boolean {
  return side !== null && !["file", "directory", "symlink"].includes(side.kind);
}

/** A path in the form that `protectionOf` takes. */
const named = (path: string, isDirectory: boolean): string => (isDirectory ? `${path}/` : path);

function conflictOf(
  path: string,
  { reason, how, merge }: Resolution,
  { removed, found, wanted }: Versions,
): Conflict {
  const there = found ?? removed?.found ?? null;
  return {
    path,
    reason,
    resolution: how,
    project: there && versionOf(there),
    session: wanted && versionOf(wanted),
    ...(merge && { merge }),
  };
}

const NEEDS_CONFIRMATION: ReadonlySet<Protection["class"]> = new Set(["self-running", "ci", "instructions"]);

function needsYes(input: PlanInput, change: Change, steps: readonly CommitStep[]): boolean {
  const { protection, leadsOutside } = change;
  if (leadsOutside || isSecret(input, change) || (protection !== null && NEEDS_CONFIRMATION.has(protection)))
    return true;
  return steps.some((step) => {
    const found = input.protectionOf(named(step.path, step.op === "mkdir" || step.op === "rmdir"));
    return (found !== null && NEEDS_CONFIRMATION.has(found.class)) || changesScripts(step, input);
  });
}
