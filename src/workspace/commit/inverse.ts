import fs from "node:fs";
import type { Cooperative } from "../fs/cooperative.ts";
import { expectedVersion, fingerprintAt } from "../fs/fingerprint.ts";
import { decodeName } from "../fs/names.ts";
import { type EntryRef, entryPath } from "../fs/no-follow.ts";
import type { StepList } from "./journal.ts";
import { type CommitStep, putVersion, STEP_DEFAULTS, sortSteps } from "./plan/commit-step.ts";

/** Where the entry is that a step replaced; null if it replaced nothing. */
export type UndoOf = (index: number) => EntryRef | null;

/** The steps that undo these steps, each only where its own version is still in the project. */
export function* invertSteps(
  steps: readonly CommitStep[],
  which: readonly number[],
  undoOf: UndoOf,
): Cooperative<StepList> {
  const inverse: (CommitStep & { readonly undoes: number })[] = [];
  for (const index of which) {
    const step = yield* inverseStep(steps[index]!, undoOf(index));
    if (step !== null) inverse.push({ ...step, undoes: index });
  }
  const ordered = sortSteps(inverse);
  return {
    steps: ordered.map(({ undoes: _, ...step }) => step),
    undoes: ordered.map(({ undoes }) => undoes),
  };
}

function* inverseStep(step: CommitStep, undo: EntryRef | null): Cooperative<CommitStep | null> {
  const { op, path, change, mode, expect } = step;
  const base = { ...STEP_DEFAULTS, path, change };
  switch (op) {
    case "put":
      if (expect === null) return { ...base, op: "delete", expect: putVersion(step) };
      return undo && { ...base, ...(yield* contentOf(undo)), op: "put", expect: putVersion(step) };
    case "delete":
      return undo && { ...base, ...(yield* contentOf(undo)), op: "put" };
    case "mkdir":
      return {
        ...base,
        op: "rmdir",
        expect: expectedVersion({ kind: "directory", mode: mode!, sha256: null }),
      };
    case "rmdir":
      return { ...base, op: "mkdir", mode: expect!.mode & 0o777, owner: expect!.owner };
    case "chmod":
      return { ...base, op: "chmod", mode: expect!.mode, expect: { ...expect!, mode: mode! } };
  }
}

type Content = Pick<CommitStep, "content" | "text" | "sha256" | "mode" | "owner">;

/** The present content: an edit made after the file was moved aside is restored with it. */
function* contentOf(undo: EntryRef): Cooperative<Content> {
  const { kind, mode, owner, sha256 } = (yield* fingerprintAt(undo))!;
  if (kind !== "symlink") return { content: "undo", text: null, sha256, mode, owner };
  const text = decodeName(fs.readlinkSync(entryPath(undo), "buffer"));
  return { content: "link", text, sha256, mode, owner };
}
