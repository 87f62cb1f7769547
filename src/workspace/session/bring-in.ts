import { fingerprintOf, sameVersion, type Version, versionOf } from "../commit/fingerprint.ts";
import type { Versions } from "../commit/journal.ts";
import { transplant } from "../overlay/transplant.ts";
import type { Pieces } from "../pieces.ts";
import type { Trees } from "./bases.ts";

/** What the project has at these paths and the session does not show: in a directory that it made anew. A file that may not be read can't be brought from there. */
export function* findUnseen(paths: readonly string[], { project, view }: Trees): Pieces<Versions> {
  const unseen = new Map<string, Version | null>();
  for (const at of paths) {
    const found = yield* fingerprintOf(project, at);
    const isClosed = found?.kind === "file" && found.sha256 === null;
    if (!isClosed && !sameVersion(yield* fingerprintOf(view, at), found))
      unseen.set(at, found && versionOf(found));
  }
  return unseen;
}

export function* bringIn(
  unseen: Versions,
  { project, view }: Trees,
  isSecret: (path: string) => boolean,
): Pieces<void> {
  for (const at of unseen.keys()) yield* transplant(project, view, at, isSecret);
}
