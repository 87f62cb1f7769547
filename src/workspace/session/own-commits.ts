import path from "node:path";
import { expectedVersion, type Fingerprint, sameVersion } from "../commit/fingerprint.ts";
import { committedIn } from "../commit/journal.ts";
import type { Root } from "../paths.ts";
import type { Pieces } from "../pieces.ts";
import { moveBases, readStack } from "./bases.ts";
import { type SessionRecord, sessionDir } from "./record.ts";
import { commitsIn } from "./session-commit.ts";
import { liveLayer } from "./stack.ts";

/**
 * Layers that a rewind or its undo has left in place know nothing of some commits. Where the session itself has
 * replaced just what they began with, they begin with what it put there; what a user did in between stays a conflict.
 */
export function* standOnCommits(record: SessionRecord, stateDir: string, project: Root): Pieces<void> {
  const dir = sessionDir(stateDir, record.id);
  const { bases } = readStack(record.stack, stateDir);
  const put = new Map<string, Fingerprint | null>();
  const baseOf = (at: string) => (put.has(at) ? put.get(at) : bases.get(at)?.base);
  for (const number of commitsIn(dir)) {
    const { versions, replaced } = committedIn(path.join(dir, "tx", String(number)));
    for (const [at, version] of versions) {
      const base = baseOf(at);
      const isStoodOn = base !== undefined && base !== "unknown" && sameVersion(base, replaced.get(at)!);
      if (isStoodOn) put.set(at, version && expectedVersion(version));
    }
  }
  if (put.size > 0) yield* moveBases(put, liveLayer(record), stateDir, project);
}
