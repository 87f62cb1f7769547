// Turns a change into steps, and resolves a conflict by the policy.
import { HotcellError } from "../../../core/errors.ts";
import type { Change, Hunk } from "../../diff/changes.ts";
import { hunksOf } from "../../diff/hunks.ts";
import { readText } from "../../diff/read-text.ts";
import type { Cooperative } from "../../fs/cooperative.ts";
import type { CommitStep } from "./commit-step.ts";
import { createMergeStep, createRemovalStep, createSteps } from "./create-steps.ts";
import type { Conflict, ConflictPolicy, ConflictReason, PlanInput } from "./plan.ts";
import type { SelectedChange } from "./selection.ts";
import type { Versions } from "./versions.ts";

export interface Resolution {
  readonly reason: ConflictReason;
  readonly how: Conflict["resolution"];
  readonly merge?: readonly Hunk[];
}

export interface ResolvedChange {
  readonly steps: readonly CommitStep[];
  /** Null if there was no conflict. */
  readonly resolution: Resolution | null;
}

export function* resolve(
  input: PlanInput,
  picked: SelectedChange,
  sides: Versions,
  reason: ConflictReason | null,
): Cooperative<ResolvedChange> {
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
  picked: SelectedChange,
  sides: Versions,
  resolution: Resolution | null,
): ResolvedChange {
  const { removed, found, wanted } = sides;
  if (wanted !== null && wanted.kind !== "directory" && found?.kind === "directory") {
    return giveUp(input, "created in the project");
  }
  try {
    const gone = removed?.found ? [createRemovalStep(picked.change, removed.path, removed.found)] : [];
    const made = wanted === null ? [] : createSteps(input, picked, found, wanted);
    return { steps: [...gone, ...made], resolution };
  } catch (error) {
    const isStaleHunk = error instanceof HotcellError && error.code === "PRECONDITION_FAILED";
    if (!isStaleHunk || picked.hunks === null) throw error;
    return giveUp(input, "the selected hunks do not apply to the project's version");
  }
}

function* merge(
  input: PlanInput,
  change: Change,
  sides: Versions,
  reason: ConflictReason,
): Cooperative<ResolvedChange> {
  const merged = yield* tryMerge(input, change, sides);
  if (merged === null) return giveUp(input, reason);
  const { step, merge } = merged;
  const { found } = sides;
  const isSame = step.sha256 === found!.sha256 && step.mode === found!.mode;
  return { steps: isSame ? [] : [step], resolution: { reason, how: "merged", merge } };
}

interface MergedChange {
  readonly step: CommitStep;
  readonly merge: readonly Hunk[];
}

/** Null if it cannot be merged automatically. */
function* tryMerge(input: PlanInput, { path }: Change, sides: Versions): Cooperative<MergedChange | null> {
  const { removed, found, wanted } = sides;
  const base = yield* input.baseOf(path);
  const ancestor = input.ancestorText(path);
  if (removed !== null || found?.kind !== "file" || wanted?.kind !== "file") return null;
  if (!base || ancestor === null) return null;
  const [theirs, ours] = [readText(input.project, path), readText(input.view(path), path)];
  const mode = mergeModes(base.mode & 0o777, found.mode & 0o777, wanted.mode & 0o777);
  if (theirs === null || ours === null || mode === null) return null;
  const merged = input.threeWayMerge(ancestor, ours, theirs);
  if ("conflict" in merged) return null;
  const step = createMergeStep(input, path, found, { text: merged.text, mode, merges: wanted.sha256 });
  return { step, merge: hunksOf(path, theirs, merged.text) };
}

function mergeModes(base: number, project: number, session: number): number | null {
  if (session === base || session === project) return project;
  return project === base ? session : null;
}

function giveUp({ policy }: PlanInput, reason: ConflictReason): ResolvedChange {
  return { steps: [], resolution: { reason, how: resolutionFor(policy) } };
}

/** The resolution of a conflict that the policy cannot resolve. */
export function resolutionFor(policy: ConflictPolicy): "none" | "left" | "theirs" {
  if (policy === "theirs") return "theirs";
  return policy === "skip" ? "left" : "none";
}
