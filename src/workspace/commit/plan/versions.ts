import { HotcellError } from "../../../core/errors.ts";
import type { Change } from "../../diff/changes.ts";
import type { Cooperative } from "../../fs/cooperative.ts";
import { type Fingerprint, sameVersion } from "../../fs/fingerprint.ts";
import { showName } from "../../fs/names.ts";
import type { PlanInput } from "./plan.ts";

/** The entries of a change before any step. */
export interface Versions {
  /** The entry to remove: at the old path of a rename, at a deleted path, or where its kind changes. */
  readonly removed: { readonly path: string; readonly found: Fingerprint | null } | null;
  /** The project's entry at the path after that removal. */
  readonly found: Fingerprint | null;
  /** The session's entry. */
  readonly wanted: Fingerprint | null;
}

export function* readVersions(
  { project, view, fingerprintOf }: PlanInput,
  change: Change,
): Cooperative<Versions> {
  const { path, from, after } = change;
  const removedPath = from ?? (after === null || changesDirectory(change) ? path : null);
  const wanted = yield* fingerprintOf(view(path), path);
  if (wanted?.kind !== after?.kind) throw diffIsStale(path);
  const removed =
    removedPath === null ? null : { path: removedPath, found: yield* fingerprintOf(project, removedPath) };
  return { removed, found: removedPath === path ? null : yield* fingerprintOf(project, path), wanted };
}

/** A change between a directory and another kind of entry is not possible in one step. */
function changesDirectory({ before, after }: Change): boolean {
  return before !== null && after !== null && (before.kind === "directory") !== (after.kind === "directory");
}

function diffIsStale(path: string): HotcellError {
  const message = `Could not plan the commit of "${showName(path)}": the session changed since its diff was taken. Take the diff again.`;
  return new HotcellError("PRECONDITION_FAILED", message, { path });
}

/** Whether project and session have the same result. */
export function isSameResult({ removed, found, wanted }: Versions): boolean {
  if (removed !== null && removed.found !== null) return false;
  return wanted === null ? found === null : sameVersion(found, { ...wanted, mode: wanted.mode & 0o777 });
}
