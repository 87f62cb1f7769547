// What a commit would do, as data: computed without changing anything, shown to a person, approved by its hash, and
// executed as it is. A dry run is this same object.
import { createHash } from "node:crypto";
import { canonicalJson } from "../../../core/canonical-json.ts";
import type { Json } from "../../../core/json.ts";
import type { Protection } from "../../../policy/protected.ts";
import type { Change, Hunk } from "../../diff/changes.ts";
import { isInGit } from "../../diff/shown-changes.ts";
import type { Merge } from "../../diff/three-way-merge.ts";
import type { Cooperative } from "../../fs/cooperative.ts";
import {
  type Fingerprint,
  type FingerprintOf,
  type RootOf,
  type Version,
  versionOf,
} from "../../fs/fingerprint.ts";
import { explainErrorsCooperatively } from "../../fs/os-error.ts";
import type { Root } from "../../fs/paths.ts";
import { createBareCheck } from "./bare-repository.ts";
import { findChangedOwners } from "./changed-owners.ts";
import { type CommitStep, sortSteps } from "./commit-step.ts";
import { arrangeDirectories } from "./directories.ts";
import { findObstacles } from "./obstacles.ts";
import { type Proposal, propose } from "./propose.ts";
import { refuseTooMany } from "./refuse-too-many.ts";
import { ignoredInSelection, type Selection, selectChanges } from "./selection.ts";

export type { Fingerprint } from "../../fs/fingerprint.ts";

/** For conflicts: `ours` takes the session's version, `theirs` keeps the project's. */
export type ConflictPolicy = "abort" | "skip" | "ours" | "theirs" | "merge";

export type ConflictReason =
  | "changed in the project"
  | "removed in the project"
  | "created in the project"
  | "not empty in the project"
  | "parent is not a directory in the project"
  | "changed in the project while it was replaced"
  | "changed since it was committed"
  | "the selected hunks do not apply to the project's version"
  | "staged content is missing";

export interface Conflict {
  readonly path: string;
  readonly reason: ConflictReason;
  /** `none`: nothing of the commit is written. `left`: everything except this change is. */
  readonly resolution: "none" | "left" | "ours" | "theirs" | "merged";
  readonly project: Version | null;
  readonly session: Version | null;
  /** Of whole files that are merged: how the result differs from the project's version. */
  readonly merge?: readonly Hunk[];
}

export interface Skipped {
  readonly path: string;
  readonly why:
    | "secret"
    | "read-only"
    | "ignored by git"
    | "special file"
    | "path is too long"
    | "needs confirmation"
    | "would remove secrets from git"
    | "same in the project"
    | "contains entries that stay"
    | "its directory is a conflict"
    | "contains entries that the session never had";
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
  /** Secrets that git tracks in the project, and would not track any more after this commit of `.git`. */
  readonly lostSecrets: readonly string[];
  /** Files of other owners that will belong to this user: only root could keep their owner. */
  readonly changesOwner: readonly string[];
  readonly obstacles: readonly Obstacle[];
}

export interface PlanInput {
  readonly changes: readonly Change[];
  readonly selection: Selection;
  /** What the project had when the session first changed the path. */
  readonly baseOf: (path: string) => Cooperative<Fingerprint | null>;
  /** The text of the base, for a merge. */
  readonly ancestorText: (path: string) => string | null;
  readonly project: Root;
  readonly view: RootOf;
  readonly fingerprintOf: FingerprintOf;
  readonly policy: ConflictPolicy;
  readonly allowProtected: boolean;
  readonly lostSecrets: readonly string[];
  /** A directory's path ends in `/`. */
  readonly protectionOf: (path: string) => Protection | null;
  readonly applyHunks: (before: string, hunks: readonly Hunk[]) => string;
  readonly threeWayMerge: (base: string, ours: string, theirs: string) => Merge;
}

export function planCommit(input: PlanInput): Cooperative<CommitPlan> {
  return explainErrorsCooperatively("plan the commit to", ".", plan(input));
}

function* plan(input: PlanInput): Cooperative<CommitPlan> {
  const proposals: Proposal[] = [];
  const isInBareRepository = createBareCheck(input.view);
  const selected = selectChanges(input.changes, input.selection);
  refuseTooMany(selected.map(({ change }) => change));
  for (const picked of selected) {
    yield;
    const { path } = picked.change;
    const proposal = yield* explainErrorsCooperatively("plan the commit of", path, propose(input, picked));
    const counts = proposal.steps.length > 0 && isInBareRepository(path);
    proposals.push(counts ? { ...proposal, needsYes: true } : proposal);
  }
  const allowed = proposals.map((proposal) => withoutUnconfirmed(proposal, input));
  const ignored = ignoredInSelection(input.changes, input.selection).map(({ path }) => path);
  const arranged = arrangeDirectories(input, allowed, ignored);
  const steps = sortSteps(arranged.flatMap((proposal) => proposal.steps));
  const conflicts = arranged.flatMap(({ conflict }) => conflict ?? []);
  const planned = {
    policy: input.policy,
    steps,
    conflicts,
    skipped: [
      ...arranged.flatMap(({ skipped }) => skipped ?? []),
      ...ignored.map((path): Skipped => ({ path, why: "ignored by git" })),
    ],
    protectedPaths: proposals.flatMap(({ path, needsYes }) => (needsYes ? [path] : [])),
    lostSecrets: input.lostSecrets,
    changesOwner: findChangedOwners(input.project, steps),
    obstacles: findObstacles(input.project, steps, new Set(conflicts.map(({ path }) => path))),
  };
  return { hash: hashOf(planned), ...planned };
}

function withoutUnconfirmed(proposal: Proposal, input: PlanInput): Proposal {
  const { path } = proposal;
  const why = whyUnconfirmed(proposal, input);
  return why === null ? proposal : { ...proposal, steps: [], conflict: null, skipped: { path, why } };
}

/** A commit of `.git` that removes secrets from git has to name `.git` as well. */
function whyUnconfirmed({ path, needsYes }: Proposal, input: PlanInput): Skipped["why"] | null {
  const { allowProtected, lostSecrets, selection } = input;
  if (!needsYes) return null;
  if (!allowProtected) return "needs confirmation";
  const isNamed = selection !== "all" && selection.paths.includes(".git");
  return lostSecrets.length > 0 && isInGit(path) && !isNamed ? "would remove secrets from git" : null;
}

/** Inodes and times do not count, only versions. Item by item: one text of very many steps would not fit in memory. */
function hashOf({ steps, ...plan }: Omit<CommitPlan, "hash">): string {
  const hash = createHash("sha256");
  const add = (value: unknown) => hash.update(`${canonicalJson(value as Json)}\n`);
  for (const step of steps) add({ ...step, expect: step.expect && versionOf(step.expect) });
  for (const [name, value] of Object.entries(plan)) {
    add(name);
    for (const item of [value].flat()) add(item);
  }
  return hash.digest("hex");
}
