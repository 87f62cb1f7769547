// What a commit would do, as data: computed without changing anything, shown to a person, approved by its hash, and
// executed as it is. A dry run is this same object.
import { digest } from "../../../core/canonical-json.ts";
import type { Json } from "../../../core/json.ts";
import type { Protection } from "../../../policy/protected.ts";
import type { Change, Hunk } from "../../diff/changes.ts";
import type { Merge } from "../../diff/three-way-merge.ts";
import type { Pieces } from "../../fs/cooperative.ts";
import {
  type Fingerprint,
  type FingerprintOf,
  type RootOf,
  type Version,
  versionOf,
} from "../../fs/fingerprint.ts";
import { explainingPieces } from "../../fs/os-error.ts";
import type { Root } from "../../fs/paths.ts";
import { findChangedOwners } from "./changed-owners.ts";
import { type CommitStep, inOrder } from "./commit-step.ts";
import { arrangeDirectories } from "./directories.ts";
import { findObstacles } from "./obstacles.ts";
import { type Proposal, propose } from "./propose.ts";
import { pickChanges, type Selection } from "./selection.ts";

export type { Fingerprint } from "../../fs/fingerprint.ts";

/** For conflicts: `ours` takes the session's version, `theirs` keeps the project's. */
export type ConflictPolicy = "abort" | "skip" | "ours" | "theirs" | "merge";

export type ConflictReason =
  | "changed in the project"
  | "removed in the project"
  | "made in the project"
  | "not empty in the project"
  | "below something that is no directory in the project"
  | "changed in the project while it was replaced"
  | "changed since it was committed"
  | "the chosen hunks do not fit the project's version"
  | "what was staged for it is gone";

export interface Conflict {
  readonly path: string;
  readonly reason: ConflictReason;
  /** `none`: nothing of the commit is written. `left`: everything except this change is. */
  readonly resolution: "none" | "left" | "ours" | "theirs" | "merged";
  readonly project: Version | null;
  readonly session: Version | null;
}

export interface Skipped {
  readonly path: string;
  readonly why:
    | "secret"
    | "special file"
    | "path is too long"
    | "needs its own yes"
    | "same in the project"
    | "holds what stays"
    | "holds what the session never had";
}

/** A known problem; while there is one, nothing is written. */
export interface Obstacle {
  readonly path: string;
  readonly problem: string;
}

export interface CommitPlan {
  /** SHA-256 of the steps and the versions that they apply to. */
  readonly hash: string;
  readonly policy: ConflictPolicy;
  readonly steps: readonly CommitStep[];
  readonly conflicts: readonly Conflict[];
  readonly skipped: readonly Skipped[];
  /** Files that execute automatically: they need separate confirmation. */
  readonly protectedPaths: readonly string[];
  /** Files of other owners that will belong to this user: only root could keep their owner. */
  readonly changesOwner: readonly string[];
  readonly obstacles: readonly Obstacle[];
}

export interface PlanInput {
  readonly changes: readonly Change[];
  readonly selection: Selection;
  /** What the project had when the session first changed the path. */
  readonly baseOf: (path: string) => Pieces<Fingerprint | null>;
  /** The text of the base, for a merge. */
  readonly ancestorText: (path: string) => string | null;
  readonly project: Root;
  readonly view: RootOf;
  readonly fingerprintOf: FingerprintOf;
  readonly policy: ConflictPolicy;
  readonly allowProtected: boolean;
  /** A directory's path ends in `/`. */
  readonly protectionOf: (path: string) => Protection | null;
  readonly applyHunks: (before: string, hunks: readonly Hunk[]) => string;
  readonly threeWayMerge: (base: string, ours: string, theirs: string) => Merge;
}

export function planCommit(input: PlanInput): Pieces<CommitPlan> {
  return explainingPieces("plan the commit to", ".", plan(input));
}

function* plan(input: PlanInput): Pieces<CommitPlan> {
  const proposals: Proposal[] = [];
  for (const picked of pickChanges(input.changes, input.selection)) {
    const { path } = picked.change;
    proposals.push(yield* explainingPieces("plan the commit of", path, propose(input, picked)));
  }
  const allowed = proposals.map((proposal) => withoutUnconfirmed(proposal, input));
  const arranged = arrangeDirectories(input, allowed);
  const steps = inOrder(arranged.flatMap((proposal) => proposal.steps));
  const conflicts = arranged.flatMap(({ conflict }) => conflict ?? []);
  const planned = {
    policy: input.policy,
    steps,
    conflicts,
    skipped: arranged.flatMap(({ skipped }) => skipped ?? []),
    protectedPaths: proposals.flatMap(({ path, needsYes }) => (needsYes ? [path] : [])),
    changesOwner: findChangedOwners(input.project, steps),
    obstacles: findObstacles(input.project, steps, new Set(conflicts.map(({ path }) => path))),
  };
  return { hash: hashOf(planned), ...planned };
}

function withoutUnconfirmed(proposal: Proposal, { allowProtected }: PlanInput): Proposal {
  if (!proposal.needsYes || allowProtected) return proposal;
  const { path } = proposal;
  return { ...proposal, steps: [], conflict: null, skipped: { path, why: "needs its own yes" } };
}

/** Inodes and times do not count, only versions. */
function hashOf(plan: Omit<CommitPlan, "hash">): string {
  const steps = plan.steps.map((step) => ({ ...step, expect: step.expect && versionOf(step.expect) }));
  return digest({ ...plan, steps } as unknown as Json);
}
