// Whether the project differs from the session's base.
import type { Change } from "../../diff/changes.ts";
import type { Cooperative } from "../../fs/cooperative.ts";
import { type Fingerprint, sameVersion } from "../../fs/fingerprint.ts";
import type { ConflictReason, PlanInput } from "./plan.ts";
import type { Versions } from "./versions.ts";

export function* findConflict(
  { baseOf }: PlanInput,
  change: Change,
  sides: Versions,
): Cooperative<ConflictReason | null> {
  const { path, from, kind } = change;
  const { removed, found, wanted } = sides;
  if (removed !== null && removed.found !== null) {
    const reason = difference(yield* baseOf(removed.path), removed.found);
    if (reason !== null) return reason;
  }
  if (wanted === null || removed?.path === path) return null;
  const base = yield* baseOf(path);
  if (from !== undefined) return difference(base, found);
  if (wanted.kind === "directory" && found?.kind === "directory" && kind !== "mode") return null;
  // Only the mode is changed, so the content may differ.
  if (kind === "mode" && base?.kind === found?.kind)
    return base?.mode === found?.mode ? null : "changed in the project";
  return difference(base, found);
}

/** If the change is not about the mode, directories are equal whatever their modes: no content is lost. */
function difference(base: Fingerprint | null, found: Fingerprint | null): ConflictReason | null {
  const areDirectories = base?.kind === "directory" && found?.kind === "directory";
  if (areDirectories || sameVersion(base, found)) return null;
  if (found === null) return "removed in the project";
  return base === null ? "created in the project" : "changed in the project";
}
