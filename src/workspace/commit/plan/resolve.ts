// Turns a change into steps, and resolves a conflict by the policy.
import { HotcellError } from "../../../core/errors.ts";
import type { Change } from "../../diff/changes.ts";
import { readText } from "../../diff/read-text.ts";
import type { Pieces } from "../../fs/cooperative.ts";
import type { CommitStep } from "./commit-step.ts";
import { makingSteps, mergedStep, removalStep } from "./making-steps.ts";
import type { Conflict, ConflictPolicy, ConflictReason, PlanInput } from "./plan.ts";
import type { Picked } from "./selection.ts";
import type { Sides } from "./versions.ts";

export interface Resolution {
  readonly reason: ConflictReason;
  readonly how: Conflict["resolution"];
}

export interface ResolvedChange {
  readonly steps: readonly CommitStep[];
  /** Null if there was no conflict. */
  readonly resolution: Resolution | null;
}

export function* resolve(
  input: PlanInput,
  picked: Picked,
  sides: Sides,
  reason: ConflictReason | null,
): Pieces<ResolvedChange> {
  if (reason === null) return takeSession(input, picked, sides, null);
  if (input.policy === "ours") return takeSession(input, picked, sides, { reason, how: "ours" });
  // Hunks apply to the project's present version, so choosing among them is already a merge.
  if (input.policy === "merge" && picked.hunks !== null) {
    return takeSession(input, picked, sides, { reason, how: "merged" });
  }
  return input.policy === "merge" ? yield* merge(input, picked.change, sides, reason) : giveUp(input, reason);
}

function takeSession(
  input: PlanInput,
  picked: Picked,
  sides: Sides,
  resolution: Resolution | null,
): ResolvedChange {
  const { removed, found, wanted } = sides;
  if (wanted !== null && wanted.kind !== "directory" && found?.kind === "directory") {
    return giveUp(input, "made in the project");
  }
  try {
    const gone = removed?.found ? [removalStep(picked.change, removed.path, removed.found)] : [];
    const made = wanted === null ? [] : makingSteps(input, picked, found, wanted);
    return { steps: [...gone, ...made], resolution };
  } catch (error) {
    const isStaleHunk = error instanceof HotcellError && error.code === "PRECONDITION_FAILED";
    if (!isStaleHunk || picked.hunks === null) throw error;
    return giveUp(input, "the chosen hunks do not fit the project's version");
  }
}

function* merge(
  input: PlanInput,
  change: Change,
  sides: Sides,
  reason: ConflictReason,
): Pieces<ResolvedChange> {
  const step = yield* tryMerge(input, change, sides);
  if (step === null) return giveUp(input, reason);
  const { found } = sides;
  const isSame = step.sha256 === found!.sha256 && step.mode === found!.mode;
  return { steps: isSame ? [] : [step], resolution: { reason, how: "merged" } };
}

/** Null if it cannot be merged automatically. */
function* tryMerge(input: PlanInput, { path }: Change, sides: Sides): Pieces<CommitStep | null> {
  const { removed, found, wanted } = sides;
  const base = yield* input.baseOf(path);
  const ancestor = input.ancestorText(path);
  if (removed !== null || found?.kind !== "file" || wanted?.kind !== "file") return null;
  if (!base || ancestor === null) return null;
  const [theirs, ours] = [readText(input.project, path), readText(input.view(path), path)];
  const mode = mergeModes(base.mode & 0o777, found.mode & 0o777, wanted.mode & 0o777);
  if (theirs === null || ours === null || mode === null) return null;
  const merged = input.threeWayMerge(ancestor, ours, theirs);
  return "conflict" in merged
    ? null
    : mergedStep(input, path, found, { text: merged.text, mode, merges: wanted.sha256 });
}

function mergeModes(base: number, project: number, session: number): number | null {
  if (session === base || session === project) return project;
  return project === base ? session : null;
}

function giveUp({ policy }: PlanInput, reason: ConflictReason): ResolvedChange {
  return { steps: [], resolution: { reason, how: unresolved(policy) } };
}

/** The resolution of a conflict that the policy cannot resolve. */
export function unresolved(policy: ConflictPolicy): "none" | "left" | "theirs" {
  if (policy === "theirs") return "theirs";
  return policy === "skip" ? "left" : "none";
}
