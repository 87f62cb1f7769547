import { expectedVersion, type Fingerprint } from "../../fs/fingerprint.ts";
import type { Owner } from "../../fs/owner.ts";

export interface CommitStep {
  readonly op: "put" | "delete" | "mkdir" | "rmdir" | "chmod";
  readonly path: string;
  /** The path of the change that it belongs to; null for a parent directory that other steps need. */
  readonly change: string | null;
  /** Permission bits (0o777) of the created entry. */
  readonly mode: number | null;
  /** Owner of the created entry; null leaves it to the system. */
  readonly owner: Owner | null;
  /** The version that the project must have; null: no entry. */
  readonly expect: Fingerprint | null;
  /** Where the new content comes from. */
  readonly content: "view" | "hunks" | "merged" | "link" | "undo" | null;
  /** The content itself if no file has it; a link's target. */
  readonly text: string | null;
  /** SHA-256 of the new content. */
  readonly sha256: string | null;
  /** How it resolves a conflict, if it does. The session has not seen the version that it replaces. */
  readonly settles?: "ours" | "merged";
  /** For a merged file: the SHA-256 of the session's version. */
  readonly merges?: string | null;
}

/** Defaults of the fields that most steps do not use. */
export const STEP_DEFAULTS = {
  mode: null,
  owner: null,
  expect: null,
  content: null,
  text: null,
  sha256: null,
} as const;

/** The version that a `put` creates. */
export function putVersion({ content, mode, sha256 }: CommitStep): Fingerprint {
  return expectedVersion({ kind: content === "link" ? "symlink" : "file", mode: mode!, sha256 });
}

const RANKS = { delete: 1, rmdir: 2, mkdir: 3, put: 4, chmod: 5 } as const;

/** Removals come first, then new directories, then new files. Modes that restrict access come last, modes that unlock a directory first. */
export function sortSteps<T extends CommitStep>(steps: readonly T[]): T[] {
  return steps.toSorted((a, b) => rankOf(a) - rankOf(b) || byDepth(a, b) || (a.path < b.path ? -1 : 1));
}

/** Whether it gives the owner write or search permission on a directory. */
export function unlocksDirectory({ op, mode, expect }: CommitStep): boolean {
  return op === "chmod" && expect?.kind === "directory" && (mode! & ~expect.mode & 0o300) !== 0;
}

function rankOf(step: CommitStep): number {
  return unlocksDirectory(step) ? 0 : RANKS[step.op];
}

/** From the leaves for removals and restricting modes, else from the top. */
function byDepth(a: CommitStep, b: CommitStep): number {
  const fromTop = depthOf(a) - depthOf(b);
  return a.op === "rmdir" || (a.op === "chmod" && !unlocksDirectory(a)) ? -fromTop : fromTop;
}

const depthOf = ({ path }: CommitStep): number => path.split("/").length;
