// Where the project was changed too since the session changed something there. A diff shows such a change as undone, so
// it is marked; and what the session only shows as it was before is no change of the session's at all.

import type { Change } from "../../diff/changes.ts";
import type { Pieces } from "../../fs/cooperative.ts";
import { type Fingerprint, fingerprintOf, sameVersion } from "../../fs/fingerprint.ts";
import type { Root } from "../../fs/paths.ts";
import { openTreeReader, type TreeEntryStat } from "../../fs/tree-reader.ts";
import type { SessionRecord } from "../../layers/record.ts";
import { liveLayer } from "../../layers/stack.ts";
import type { StackReader } from "../../layers/stack-reader.ts";
import {
  isAddedSince,
  isBelowNothing,
  isUnchanged,
  type Known,
  readKnown,
  rememberDirectories,
} from "./bases.ts";

interface Compared {
  readonly record: SessionRecord;
  readonly stateDir: string;
  readonly project: Root;
  /** What the session shows; null when the diff is of one call: then nothing is left out. */
  readonly after: StackReader | null;
}

/** The session's own changes, with those marked that a commit would ask about. */
export function* ownChanges(changes: readonly Change[], compared: Compared): Pieces<Change[]> {
  const { record, stateDir, project } = compared;
  const known = readKnown(record, stateDir);
  const tree = openTreeReader(project);
  const mayHaveCome = rememberDirectories();
  const isUntouched = (at: string) => isUnchanged(at, known, liveLayer(record).since, project, mayHaveCome);
  const fateOf = fates({ ...compared, known, isUntouched, look: tree.look });
  const own: Change[] = [];
  try {
    for (const change of changes) {
      yield;
      const { path, from } = change;
      const paths = from === undefined ? [path] : [from, path];
      const found: Fate[] = [];
      for (const at of paths) found.push(yield* fateOf(change, at));
      if (from === undefined && found[0] === "not own") continue;
      own.push(found.includes("contested") ? { ...change, contested: true } : change);
    }
    return own;
  } finally {
    tree.close();
  }
}

/** `contested`: the project was changed too. `not own`: the session shows what was there before. */
type Fate = "own" | "not own" | "contested";

interface Judging extends Compared {
  readonly known: Known;
  readonly isUntouched: (at: string) => boolean;
  /** At what the project has. */
  readonly look: (at: string) => TreeEntryStat | null;
}

function fates({ record, project, after, look, known, isUntouched }: Judging) {
  return function* (change: Change, at: string): Pieces<Fate> {
    const base = baseOf(at, known, project);
    if (base === null && change.after === null && after !== null) return "not own";
    const isOfDirectory = [change.before, change.after].every(
      (side) => side === null || side.kind === "directory",
    );
    if (isOfDirectory) return isOwnDirectory(change, base) || after === null ? "own" : "not own";
    // It went with its directory, or is being changed just now; where nothing is, nothing is undone.
    if (base === undefined) return change.before !== null && !isUntouched(at) ? "contested" : "own";
    const { since } = known.bases.get(at)?.layer ?? liveLayer(record);
    const isSeenGone = base === null && change.before === null && after !== null;
    if (isSeenGone || isUnwritten(look(at), base, since)) return "own";
    if (!(yield* isAnother(at, change, base, project))) return "own";
    const isAsBefore =
      after !== null && base !== "unknown" && sameVersion(yield* fingerprintOf(after.rootOf(at), at), base);
    return isAsBefore ? "not own" : "contested";
  };
}

type Recorded = Fingerprint | null | "unknown";

/** Undefined where nothing is recorded. */
function baseOf(at: string, known: Known, project: Root): Recorded | undefined {
  const base = known.bases.get(at)?.base;
  if (base !== undefined) return base;
  const isAbsent =
    isBelowNothing(at, (path) => known.bases.get(path)?.base) || isAddedSince(at, known, project);
  return isAbsent ? null : undefined;
}

/** A directory stands in a layer because of what is in it, with the mode that it had then: that the project has another mode by now, or none, is not the session's doing. */
function isOwnDirectory({ after }: Change, base: Recorded | undefined): boolean {
  if (after === null || base === undefined || base === null || base === "unknown") return true;
  return base.kind !== "directory" || base.mode !== after.mode;
}

function* isAnother(at: string, { kind }: Change, base: Recorded, project: Root): Pieces<boolean> {
  if (base === "unknown") return true;
  const found = yield* fingerprintOf(project, at);
  if (kind === "mode" && base?.kind === found?.kind) return base?.mode !== found?.mode;
  return !sameVersion(base, found);
}

/** The very file, not even touched since its base was recorded: it need not be read. */
function isUnwritten(found: TreeEntryStat | null, base: Recorded, since: number): boolean {
  if (found === null || base === null || base === "unknown") return false;
  const isIt = String(found.ino) === base.ino && String(found.dev) === base.dev;
  return isIt && found.side.size === base.size && found.changedMs < since;
}
