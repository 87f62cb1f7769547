// Finds paths that both the session and the project changed. A diff shows the project's change as undone, so such a
// change is marked as contested. A path at which the session still shows the base is not a change of the session.

import type { Change } from "../../diff/changes.ts";
import type { Cooperative } from "../../fs/cooperative.ts";
import { fingerprintOf, sameVersion } from "../../fs/fingerprint.ts";
import type { Root } from "../../fs/paths.ts";
import { openTreeReader, type TreeEntryStat } from "../../fs/tree-reader.ts";
import type { Base } from "../../layers/layer-notes.ts";
import type { SessionRecord } from "../../layers/record.ts";
import { liveLayer } from "../../layers/stack.ts";
import type { StackReader } from "../../layers/stack-reader.ts";
import { isUnchanged, type KnownStack, readKnown, recordedBase } from "./known-bases.ts";

interface Compared {
  readonly record: SessionRecord;
  readonly stateDir: string;
  readonly project: Root;
  /** The session's view; null if the diff is of one call, and then no change is left out. */
  readonly after: StackReader | null;
}

/** Keeps the session's own changes, and marks those that a commit would report as conflicts. */
export function* ownChanges(changes: readonly Change[], compared: Compared): Cooperative<Change[]> {
  const { record, stateDir, project } = compared;
  const known = readKnown(record, stateDir);
  const tree = openTreeReader(project);
  const isUntouched = (at: string) => isUnchanged(at, known, liveLayer(record).since, project);
  const ownershipOf = createOwnershipCheck({ ...compared, known, isUntouched, look: tree.look });
  const own: Change[] = [];
  try {
    for (const change of changes) {
      yield;
      const { path, from } = change;
      const paths = from === undefined ? [path] : [from, path];
      const found: Ownership[] = [];
      for (const at of paths) found.push(yield* ownershipOf(change, at));
      if (from === undefined && found[0] === "not own") continue;
      own.push(found.includes("contested") ? { ...change, contested: true } : change);
    }
    return own;
  } finally {
    tree.close();
  }
}

/** `contested`: the project changed the path too. `not own`: the session still shows the base. */
type Ownership = "own" | "not own" | "contested";

interface OwnershipInput extends Compared {
  readonly known: KnownStack;
  readonly isUntouched: (at: string) => boolean;
  /** Looks in the project. */
  readonly look: (at: string) => TreeEntryStat | null;
}

function createOwnershipCheck({ record, project, after, look, known, isUntouched }: OwnershipInput) {
  return function* (change: Change, at: string): Cooperative<Ownership> {
    const base = recordedBase(at, known, project);
    if (base === null && change.after === null && after !== null) return "not own";
    const isOfDirectory = [change.before, change.after].every(
      (side) => side === null || side.kind === "directory",
    );
    if (isOfDirectory) return isOwnDirectory(change, base) || after === null ? "own" : "not own";
    // The path was deleted with its directory, or is changing right now. If the project has no entry, nothing is
    // undone.
    if (base === undefined) return change.before !== null && !isUntouched(at) ? "contested" : "own";
    const { since } = known.bases.get(at)?.layer ?? liveLayer(record);
    const isKnownAbsent = base === null && change.before === null && after !== null;
    if (isKnownAbsent || isUnwritten(look(at), base, since)) return "own";
    if (!(yield* differsFromBase(at, change, base, project))) return "own";
    const showsBase =
      after !== null && base !== "unknown" && sameVersion(yield* fingerprintOf(after.rootOf(at), at), base);
    return showsBase ? "not own" : "contested";
  };
}

/** A layer has a directory because of its entries, with the mode of that time. That the project's directory has another mode by now, or is gone, is not the session's change. */
function isOwnDirectory({ after, unlisted }: Change, base: Base | undefined): boolean {
  if (unlisted || after === null || base === undefined || base === null || base === "unknown") return true;
  return base.kind !== "directory" || base.mode !== after.mode;
}

function* differsFromBase(at: string, { kind }: Change, base: Base, project: Root): Cooperative<boolean> {
  if (base === "unknown") return true;
  const found = yield* fingerprintOf(project, at);
  if (kind === "mode" && base?.kind === found?.kind) return base?.mode !== found?.mode;
  return !sameVersion(base, found);
}

/** Whether it is the same inode, without a ctime change since its base was recorded: then its content need not be read. */
function isUnwritten(found: TreeEntryStat | null, base: Base, since: number): boolean {
  if (found === null || base === null || base === "unknown") return false;
  const isIt = String(found.ino) === base.ino && String(found.dev) === base.dev;
  return isIt && found.side.size === base.size && found.changedMs < since;
}
