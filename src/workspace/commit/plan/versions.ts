import { HotcellError } from "../../../core/errors.ts";
import type { Change } from "../../diff/changes.ts";
import type { Pieces } from "../../fs/cooperative.ts";
import { type Fingerprint, sameVersion } from "../../fs/fingerprint.ts";
import { showName } from "../../fs/names.ts";
import type { PlanInput } from "./plan.ts";

/** What is where before anything is done. */
export interface Sides {
  /** What has to go: at the place that a file was renamed from; or where nothing is left, or another kind of thing. */
  readonly removed: { readonly path: string; readonly found: Fingerprint | null } | null;
  /** What the project has at the path, once that is gone. */
  readonly found: Fingerprint | null;
  /** What the session has there. */
  readonly wanted: Fingerprint | null;
}

export function* readSides({ project, view, fingerprintOf }: PlanInput, change: Change): Pieces<Sides> {
  const { path, from, after } = change;
  const removedPath = from ?? (after === null || turnsDirectory(change) ? path : null);
  const wanted = yield* fingerprintOf(view(path), path);
  if (wanted?.kind !== after?.kind) throw diffIsOld(path);
  const removed =
    removedPath === null ? null : { path: removedPath, found: yield* fingerprintOf(project, removedPath) };
  return { removed, found: removedPath === path ? null : yield* fingerprintOf(project, path), wanted };
}

/** Between a directory and something else: what is there can't be replaced in one step. */
function turnsDirectory({ before, after }: Change): boolean {
  return before !== null && after !== null && (before.kind === "directory") !== (after.kind === "directory");
}

function diffIsOld(path: string): HotcellError {
  const message = `Could not plan the commit of "${showName(path)}": the session changed since its diff was taken. Take the diff again.`;
  return new HotcellError("PRECONDITION_FAILED", message, { path });
}

/** Whether project and session came to the same. */
export function haveSame({ removed, found, wanted }: Sides): boolean {
  if (removed !== null && removed.found !== null) return false;
  return wanted === null ? found === null : sameVersion(found, { ...wanted, mode: wanted.mode & 0o777 });
}
