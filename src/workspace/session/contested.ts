// Where the project was changed too since the session changed something there: a diff shows that as undone.
import { type Fingerprint, fingerprintExpecting, sameVersion } from "../commit/fingerprint.ts";
import type { Change } from "../diff/changes.ts";
import type { Root } from "../paths.ts";
import type { Pieces } from "../pieces.ts";
import { hiddenAbove, isUnchanged, type Known, readStack } from "./bases.ts";
import type { SessionRecord } from "./record.ts";

/** The changes, with those marked that a commit would ask about. */
export function* markContested(
  changes: readonly Change[],
  { stack }: SessionRecord,
  stateDir: string,
  project: Root,
): Pieces<Change[]> {
  const known = readStack(stack, stateDir);
  const marked: Change[] = [];
  for (const change of changes) {
    yield;
    const paths = change.from === undefined ? [change.path] : [change.from, change.path];
    let isContested = false;
    for (const at of paths) isContested ||= yield* isOthers(at, change, known, project);
    marked.push(isContested ? { ...change, contested: true } : change);
  }
  return marked;
}

/** What is not noted yet is being changed just now. */
function* isOthers(at: string, { kind }: Change, known: Known, project: Root): Pieces<boolean> {
  const base = known.bases.get(at)?.base;
  if (base === undefined)
    return hiddenAbove(at, known.hidden) !== undefined && !isUnchanged(at, known, 0, project);
  const found = yield* fingerprintExpecting(project, at, base === "unknown" ? null : base);
  if (base === "unknown") return found?.kind !== "directory" || kind === "mode";
  if (kind === "mode" && base?.kind === found?.kind) return base?.mode !== found?.mode;
  return !areDirectories(base, found) && !sameVersion(base, found);
}

function areDirectories(base: Fingerprint | null, found: Fingerprint | null): boolean {
  return base?.kind === "directory" && found?.kind === "directory";
}
