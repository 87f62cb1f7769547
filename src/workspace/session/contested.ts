// Where the project was changed too since the session changed something there: a diff shows that as undone.
import { type Fingerprint, fingerprintOf, sameVersion } from "../commit/fingerprint.ts";
import type { Change } from "../diff/changes.ts";
import type { Looked } from "../diff/tree-reader.ts";
import type { Root } from "../paths.ts";
import type { Pieces } from "../pieces.ts";
import { isBelowNothing, isUnchanged, type Known, readStack, rememberDirectories } from "./bases.ts";
import type { SessionRecord } from "./record.ts";
import { liveLayer } from "./stack.ts";

/** What a diff with the project itself has found there. */
export type Looks = Map<string, Looked>;

/** The changes, with those marked that a commit would ask about. */
export function* markContested(
  changes: readonly Change[],
  looks: Looks | null,
  record: SessionRecord,
  stateDir: string,
  project: Root,
): Pieces<Change[]> {
  const known = readStack(record.stack, stateDir);
  const mayHaveCome = rememberDirectories();
  const isUntouched = (at: string) => isUnchanged(at, known, liveLayer(record).since, project, mayHaveCome);
  const isContested = function* (change: Change, at: string): Pieces<boolean> {
    const base = baseOf(at, known);
    // It went with its directory, or is being changed just now; where nothing is, nothing is undone.
    if (base === undefined) return change.before !== null && !isUntouched(at);
    const { since } = known.bases.get(at)?.layer ?? liveLayer(record);
    const isSeenGone = base === null && change.before === null && looks !== null;
    if (isSeenGone || isUnwritten(looks?.get(at), base, since)) return false;
    return yield* isAnother(at, change, base, project);
  };
  const marked: Change[] = [];
  for (const change of changes) {
    yield;
    const { path, from } = change;
    const paths = isOfDirectory(change) ? [] : from === undefined ? [path] : [from, path];
    let isOthers = false;
    for (const at of paths) isOthers ||= yield* isContested(change, at);
    marked.push(isOthers ? { ...change, contested: true } : change);
  }
  return marked;
}

/** That it comes or goes undoes nothing: what is in it is a change of its own. */
function isOfDirectory({ kind, before, after }: Change): boolean {
  return kind !== "mode" && [before, after].every((side) => side === null || side.kind === "directory");
}

type Noted = Fingerprint | null | "unknown";

/** Undefined where nothing is noted. */
function baseOf(at: string, { bases }: Known): Noted | undefined {
  const noted = bases.get(at)?.base;
  return noted === undefined && isBelowNothing(at, (path) => bases.get(path)?.base) ? null : noted;
}

function* isAnother(at: string, { kind }: Change, base: Noted, project: Root): Pieces<boolean> {
  if (base === "unknown") return true;
  const found = yield* fingerprintOf(project, at);
  if (kind === "mode" && base?.kind === found?.kind) return base?.mode !== found?.mode;
  return !sameVersion(base, found);
}

/** The very file, not even touched since it was noted: it need not be read. */
function isUnwritten(found: Looked | undefined, base: Noted, since: number): boolean {
  if (found === undefined || base === null || base === "unknown") return false;
  const isIt = String(found.ino) === base.ino && String(found.dev) === base.dev;
  return isIt && found.side.size === base.size && found.changedMs < since;
}
