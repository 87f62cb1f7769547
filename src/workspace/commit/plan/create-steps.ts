import type { Change } from "../../diff/changes.ts";
import { readLink, readText } from "../../diff/read-text.ts";
import { bytesOf } from "../../diff/text.ts";
import { expectedVersion, type Fingerprint, sha256Of } from "../../fs/fingerprint.ts";
import { type Owner, ownerOfNew } from "../../fs/owner.ts";
import { type CommitStep, STEP_DEFAULTS } from "./commit-step.ts";
import type { PlanInput } from "./plan.ts";
import type { SelectedChange } from "./selection.ts";

export function createRemovalStep(change: Change, path: string, expect: Fingerprint): CommitStep {
  const op = expect.kind === "directory" ? "rmdir" : "delete";
  return { ...STEP_DEFAULTS, op, path, change: change.path, expect };
}

/** The steps that replace the project's `found` with the session's version. */
export function createSteps(
  input: PlanInput,
  picked: SelectedChange,
  found: Fingerprint | null,
  wanted: Fingerprint,
): CommitStep[] {
  const { path, kind } = picked.change;
  const mode = wanted.mode & 0o777;
  if (kind === "mode" && found !== null) {
    return found.mode === mode
      ? []
      : [{ ...STEP_DEFAULTS, op: "chmod", path, change: path, mode, expect: found }];
  }
  if (wanted.kind === "directory") {
    return found === null ? createDirectorySteps(path, path, mode, ownerOfNew(input.project.fd)) : [];
  }
  return [{ ...putStep(input, path, found), ...contentOf(input, picked, found, wanted) }];
}

export function createMergeStep(
  input: PlanInput,
  path: string,
  found: Fingerprint,
  { text, mode, merges }: { readonly text: string; readonly mode: number; readonly merges: string | null },
): CommitStep {
  const sha256 = sha256Of(bytesOf(text));
  return { ...putStep(input, path, found), content: "merged", text, sha256, mode, merges };
}

/** A replacement keeps the owner. */
function putStep({ project }: PlanInput, path: string, expect: Fingerprint | null): CommitStep {
  const owner = expect === null ? ownerOfNew(project.fd) : expect.owner;
  return { ...STEP_DEFAULTS, op: "put", path, change: path, expect, owner };
}

type Content = Pick<CommitStep, "content" | "text" | "sha256" | "mode">;

function contentOf(
  { project, view, applyHunks }: PlanInput,
  { change, hunks }: SelectedChange,
  found: Fingerprint | null,
  wanted: Fingerprint,
): Content {
  const { path } = change;
  const { sha256 } = wanted;
  const mode = wanted.mode & 0o777;
  if (wanted.kind === "symlink")
    return { content: "link", text: readLink(view(path), path), sha256, mode: 0o777 };
  if (hunks === null) return { content: "view", text: null, sha256, mode };
  const text = applyHunks(readText(project, path) ?? "", hunks);
  const kept = found?.kind === "file" ? found.mode & 0o777 : mode;
  return { content: "hunks", text, sha256: sha256Of(bytesOf(text)), mode: kept };
}

/** A directory that its owner may not write gets its mode after its entries exist. */
export function createDirectorySteps(
  path: string,
  change: string | null,
  mode: number,
  owner: Owner | null,
): CommitStep[] {
  const open = mode | 0o700;
  const made: CommitStep = { ...STEP_DEFAULTS, op: "mkdir", path, change, mode: open, owner };
  if (open === mode) return [made];
  const expect = { ...expectedVersion({ kind: "directory", mode: open, sha256: null }), owner };
  return [made, { ...STEP_DEFAULTS, op: "chmod", path, change, mode, expect }];
}
