// Directories that other changes imply: parents that must be created, and directories that cannot be removed because
// entries remain in them.
import fs from "node:fs";
import type { FileKind } from "../../files/workspace-fs.ts";
import { identityAtPath } from "../../fs/fingerprint.ts";
import { atExactPath, inDirectory } from "../../fs/no-follow.ts";
import { ownerOfNew } from "../../fs/owner.ts";
import { parentOf, parentsOf } from "../../fs/path-text.ts";
import { openChildDirectory, type Root } from "../../fs/paths.ts";
import { type NamedKind, readNames } from "../../fs/tree.ts";
import type { CommitStep } from "./commit-step.ts";
import { createDirectorySteps } from "./create-steps.ts";
import type { ConflictReason, PlanInput, Skipped } from "./plan.ts";
import type { Proposal } from "./propose.ts";
import { resolutionFor } from "./resolve.ts";

/** `ignored` are paths that are left out because git ignores them. */
export function arrangeDirectories(
  input: PlanInput,
  proposals: readonly Proposal[],
  ignored: readonly string[],
): Proposal[] {
  const kept = keepWithDirectory(keepOccupied(input, withParents(input, proposals)));
  return withoutEmptied(kept, ignored);
}

/** A new directory stays in the session with its entries if all of them are left out. */
function withoutEmptied(proposals: readonly Proposal[], ignored: readonly string[]): Proposal[] {
  const leftOut = new Set<string>();
  const needed = new Set<string>();
  for (const { steps, path } of proposals) if (steps.length === 0) addParents(path, leftOut);
  for (const path of ignored) addParents(path, leftOut);
  if (leftOut.size === 0) return [...proposals];
  const judge = (proposal: Proposal): Proposal => {
    const { path, steps } = proposal;
    const isNew = steps.length > 0 && steps.every((step) => step.op === "mkdir" && step.expect === null);
    if (isNew && leftOut.has(path) && !needed.has(path)) return { ...proposal, steps: [] };
    for (const step of steps) addParents(step.path, needed);
    return proposal;
  };
  const fromLeaves = proposals.toSorted((a, b) => (a.path < b.path ? 1 : -1));
  return fromLeaves.map(judge).reverse();
}

/** Where a directory is in the set, so are its parents. */
function addParents(path: string, parents: Set<string>): void {
  for (let at = parentOf(path); at !== "" && !parents.has(at); at = parentOf(at)) parents.add(at);
}

/** If another entry cannot take the place of a directory, the directory's entries stay too. */
function keepWithDirectory(proposals: readonly Proposal[]): Proposal[] {
  const kept = new Set(
    proposals.flatMap(({ path, conflict }) => (conflict?.reason === NOT_EMPTY ? [path] : [])),
  );
  if (kept.size === 0) return [...proposals];
  const isBelow = ({ path }: Proposal) => [...parentsOf(path)].some((parent) => kept.has(parent));
  return proposals.map((proposal) =>
    isBelow(proposal) ? skip(proposal, "its directory is a conflict") : proposal,
  );
}

const NOT_EMPTY: ConflictReason = "not empty in the project";

const isRemoval = ({ op }: CommitStep): boolean => op === "delete" || op === "rmdir";

/** A directory is removed only with all its entries. An entry that is left out of the commit keeps its directory. So does an entry that the session never had; but then the removal is done, because it covers only names that the session knew. */
function keepOccupied(input: PlanInput, proposals: readonly Proposal[]): Proposal[] {
  const gone = new Set(proposals.flatMap(({ steps }) => steps.filter(isRemoval).map(({ path }) => path)));
  const staying = new Set(proposals.filter(({ steps }) => steps.length === 0).flatMap(({ paths }) => paths));
  const judge = (proposal: Proposal): Proposal => {
    const removal = proposal.steps.find(({ op }) => op === "rmdir");
    if (removal === undefined) return proposal;
    const pathOf = ({ name }: NamedKind) => `${removal.path}/${name}`;
    const left = namesIn(input.project, removal.path).filter((entry) => !gone.has(pathOf(entry)));
    if (left.length === 0) return proposal;
    gone.delete(removal.path);
    const isLeftOut = left.some((entry) => staying.has(pathOf(entry)));
    if (!isLeftOut && proposal.steps.length === 1)
      return skip(proposal, "contains entries that the session never had");
    staying.add(removal.path);
    return isLeftOut ? skip(proposal, "contains entries that stay") : giveUp(input, proposal, NOT_EMPTY);
  };
  // From the leaves: a directory that stays keeps its parent.
  const fromLeaves = proposals.toSorted((a, b) => (a.path < b.path ? 1 : -1));
  return fromLeaves.map(judge).reverse();
}

function namesIn(root: Root, path: string): NamedKind[] {
  return atExactPath(root, path, (ref) => {
    if (typeof ref === "string") return [];
    const fd = openChildDirectory(ref.dir, ref.name);
    try {
      return readNames(fd);
    } finally {
      fs.closeSync(fd);
    }
  });
}

function skip(proposal: Proposal, why: Skipped["why"]): Proposal {
  return { ...proposal, steps: [], skipped: { path: proposal.path, why } };
}

function giveUp({ policy }: PlanInput, proposal: Proposal, reason: ConflictReason): Proposal {
  const { path } = proposal;
  const conflict = { path, reason, resolution: resolutionFor(policy), project: null, session: null };
  return { ...proposal, steps: [], conflict };
}

/** Proposals are sorted by path: a directory is created before its entries. */
function withParents(input: PlanInput, proposals: readonly Proposal[]): Proposal[] {
  const kinds = new Map<string, FileKind | null>();
  for (const { steps } of proposals)
    for (const step of steps) if (isRemoval(step)) kinds.set(step.path, null);
  const kindAt = (path: string): FileKind | null => {
    if (!kinds.has(path)) kinds.set(path, identityAtPath(input.project, path)?.kind ?? null);
    return kinds.get(path)!;
  };
  /** If a directory exists, so do its parents: most of them need no lookup. */
  const lookAtParents = (path: string, isThere: boolean): void => {
    const nearest = parentOf(path);
    if (kinds.has(nearest)) return;
    if (!isThere && !inDirectory(input.project, nearest, (dir) => dir !== null)) return;
    for (const parent of parentsOf(path)) if (!kinds.has(parent)) kinds.set(parent, "directory");
  };
  /** None if the nearest parent exists: to look at all of them would take quadratic time in a deep tree. */
  const parentsToMake = (path: string): string[] =>
    kinds.get(parentOf(path)) === "directory" ? [] : [...parentsOf(path)];
  return proposals.map((proposal) => {
    const made = proposal.steps.filter(({ op }) => op === "mkdir" || op === "put");
    for (const { path, expect } of made) lookAtParents(path, expect !== null);
    const parents = [...new Set(made.flatMap(({ path }) => parentsToMake(path)))];
    if (parents.some((parent) => !["directory", null].includes(kindAt(parent)))) {
      return giveUp(input, proposal, "parent is not a directory in the project");
    }
    const missing = parents.filter((parent) => kindAt(parent) === null);
    for (const { op, path } of made) kinds.set(path, op === "mkdir" ? "directory" : "file");
    for (const path of missing) kinds.set(path, "directory");
    return {
      ...proposal,
      steps: [...missing.flatMap((path) => impliedSteps(input, path)), ...proposal.steps],
    };
  });
}

function impliedSteps({ project, view }: PlanInput, path: string): CommitStep[] {
  const mode = (identityAtPath(view(path), path)?.mode ?? 0o755) & 0o777;
  return createDirectorySteps(path, null, mode, ownerOfNew(project.fd));
}
