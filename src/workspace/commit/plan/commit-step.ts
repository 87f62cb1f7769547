import { expectedVersion, type Fingerprint } from "../../fs/fingerprint.ts";
import type { Owner } from "../../fs/owner.ts";

export interface CommitStep {
  readonly op: "put" | "delete" | "mkdir" | "rmdir" | "chmod";
  readonly path: string;
  /** The path of the change that it is a part of; null for a directory that is made for what comes into it. */
  readonly change: string | null;
  /** Of what is made: 0o777. */
  readonly mode: number | null;
  /** Of what is made; null leaves it to the system. */
  readonly owner: Owner | null;
  /** What the project must have there; null: nothing. */
  readonly expect: Fingerprint | null;
  /** Where the new content comes from. */
  readonly content: "view" | "hunks" | "merged" | "link" | "undo" | null;
  /** The content itself where it stands nowhere else; a link's target. */
  readonly text: string | null;
  /** Of the new content. */
  readonly sha256: string | null;
  /** Where it settles a conflict: how. What it replaces, the session has not seen. */
  readonly settles?: "ours" | "merged";
  /** Of a merged file: the SHA-256 of the session's own version. */
  readonly merges?: string | null;
}

/** What most steps have none of. */
export const BARE = {
  mode: null,
  owner: null,
  expect: null,
  content: null,
  text: null,
  sha256: null,
} as const;

/** What a step puts, once it stands there. */
export function putVersion({ content, mode, sha256 }: CommitStep): Fingerprint {
  return expectedVersion({ kind: content === "link" ? "symlink" : "file", mode: mode!, sha256 });
}

const RANKS = { delete: 1, rmdir: 2, mkdir: 3, put: 4, chmod: 5 } as const;

/** What must be gone goes first, then room is made, then filled; modes that would bar the way come last, those that clear it first. */
export function inOrder<T extends CommitStep>(steps: readonly T[]): T[] {
  return steps.toSorted((a, b) => rankOf(a) - rankOf(b) || byDepth(a, b) || (a.path < b.path ? -1 : 1));
}

/** Whether it lets its owner into a directory that was closed to changes. */
export function unlocks({ op, mode, expect }: CommitStep): boolean {
  return op === "chmod" && expect?.kind === "directory" && (mode! & ~expect.mode & 0o300) !== 0;
}

function rankOf(step: CommitStep): number {
  return unlocks(step) ? 0 : RANKS[step.op];
}

/** From the leaves when something is taken away, else from the top. */
function byDepth(a: CommitStep, b: CommitStep): number {
  const fromTop = depthOf(a) - depthOf(b);
  return a.op === "rmdir" || (a.op === "chmod" && !unlocks(a)) ? -fromTop : fromTop;
}

const depthOf = ({ path }: CommitStep): number => path.split("/").length;
