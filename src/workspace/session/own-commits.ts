import { expectedVersion, type Fingerprint, sameVersion, type Version } from "../commit/fingerprint.ts";
import { committedIn, type PutVersion, readSteps, takenBackIn } from "../commit/journal.ts";
import type { Root } from "../paths.ts";
import type { Pieces } from "../pieces.ts";
import { hiddenAbove, isVersion, loseBases, moveBases, readStack } from "./bases.ts";
import { type Base, readNotes } from "./layer-notes.ts";
import { type Layer, type SessionRecord, sessionDir } from "./record.ts";
import { commitsIn, txDirOf } from "./session-commit.ts";
import { liveLayer } from "./stack.ts";

/**
 * Layers that a rewind or its undo has left in place know nothing of some commits and reverts. Where the session itself
 * has replaced just what they began with, they begin with what it put there, and where that was reverted, with what is
 * there again; what a user did in between stays a conflict.
 */
export function* standOnCommits(record: SessionRecord, stateDir: string, project: Root): Pieces<void> {
  const dir = sessionDir(stateDir, record.id);
  const { bases, hidden, moved } = readStack(record.stack, stateDir);
  const isFirstPut = firstPut(record, stateDir);
  const put = new Map<string, Fingerprint | null>();
  const lost = new Set<string>();
  const baseOf = (at: string) => (put.has(at) ? put.get(at) : bases.get(at)?.base);
  for (const number of commitsIn(dir)) {
    const txDir = txDirOf(dir, number);
    const { versions, replaced } = committedIn(txDir);
    const isSettled = settledIn(txDir, versions.size);
    /** It was out of sight: what the commit has found there is what was there then. */
    const isTaken = (at: string, version: Version | null) =>
      hiddenAbove(at, hidden) !== undefined && !isSettled(at) && isFirstPut(at, version);
    for (const [at, version] of versions) {
      const base = baseOf(at);
      const isSame = () => base !== undefined && base !== "unknown" && sameVersion(base, replaced.get(at)!);
      if (base === undefined ? isTaken(at, version) : isSame())
        put.set(at, version && expectedVersion(version));
    }
    for (const [at, { put: version, again, isUnseen }] of takenBackIn(txDir)) {
      if (!(put.has(at) || moved.has(at)) || !isJust(version, baseOf(at))) continue;
      put.set(at, again);
      if (isUnseen) lost.add(at);
    }
  }
  if (put.size > 0) yield* moveBases(put, liveLayer(record), stateDir, project);
  if (lost.size > 0) loseBases(lost, liveLayer(record), stateDir);
}

/** Whether the session began with the very file that a commit had put, or with nothing where that had put nothing. */
function isJust(version: PutVersion | null, base: Base | undefined): boolean {
  if (base === undefined || base === "unknown") return false;
  const isSameFile = version?.ino === undefined || (version.ino === base?.ino && version.dev === base.dev);
  return isSameFile && isVersion(base, version && expectedVersion(version));
}

/** Tells of what was first noted, in the layers that a rewind has just left, by the commit that put this there. */
function firstPut(
  { stack, left }: SessionRecord,
  stateDir: string,
): (at: string, version: Version | null) => boolean {
  const before = left.at(-1) ?? [];
  const isStill = ({ session, name }: Layer, index: number) =>
    before[index]?.session === session && before[index].name === name;
  if (!stack.slice(0, -1).every(isStill)) return () => false;
  const first = new Map<string, Base>();
  for (const layer of before.slice(stack.length - 1).reverse()) {
    const { bases, moved } = readNotes(layer, stateDir);
    for (const [at, base] of bases) first.set(at, moved.has(at) ? base : "unknown");
  }
  return (at, version) => {
    const base = first.get(at);
    return base !== undefined && base !== "unknown" && isVersion(base, version && expectedVersion(version));
  };
}

/** Tells where a commit has replaced what the session had not seen. */
function settledIn(txDir: string, count: number): (at: string) => boolean {
  const steps = count === 0 ? [] : readSteps(txDir).steps;
  const settled = new Set(steps.filter(({ settles }) => settles !== undefined).map(({ path: at }) => at));
  return (at) => settled.has(at);
}
