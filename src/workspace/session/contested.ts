// Where the project was changed too since the session changed something there: a diff shows that as undone.
import fs from "node:fs";
import { atExactly, pathTo } from "../commit/exactly.ts";
import { type Fingerprint, fingerprintOf, sameVersion } from "../commit/fingerprint.ts";
import type { Change } from "../diff/changes.ts";
import type { Root } from "../paths.ts";
import type { Pieces } from "../pieces.ts";
import { isBelowNothing, isUnchanged, type Known, readStack, rememberDirectories } from "./bases.ts";
import type { SessionRecord } from "./record.ts";
import { liveLayer } from "./stack.ts";

/** The changes, with those marked that a commit would ask about. */
export function* markContested(
  changes: readonly Change[],
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
    return yield* isAnother(at, change, base, known, project);
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

function* isAnother(
  at: string,
  { kind }: Change,
  base: Noted,
  { bases }: Known,
  project: Root,
): Pieces<boolean> {
  if (base === "unknown") return true;
  if (isUnwritten(project, at, base, bases.get(at)?.layer.since)) return false;
  const found = yield* fingerprintOf(project, at);
  if (kind === "mode" && base?.kind === found?.kind) return base?.mode !== found?.mode;
  return !sameVersion(base, found);
}

/** The very file, not even touched since it was noted: it need not be read. */
function isUnwritten(project: Root, at: string, base: Fingerprint | null, since = 0): boolean {
  return atExactly(project, at, (spot) => {
    const stat =
      base === null || typeof spot === "string"
        ? undefined
        : fs.lstatSync(pathTo(spot), { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return false;
    const isIt = String(stat.ino) === base!.ino && String(stat.dev) === base!.dev;
    return isIt && Number(stat.size) === base!.size && Number(stat.ctimeMs) < since;
  });
}
