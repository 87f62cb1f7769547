import { fingerprintOf, sameVersion, type Version, versionOf } from "../commit/fingerprint.ts";
import type { Versions } from "../commit/journal.ts";
import { transplant } from "../overlay/transplant.ts";
import type { Root } from "../paths.ts";
import type { Pieces } from "../pieces.ts";

/** Copies what the project has at these paths to where the session does not show it: in a directory that it made anew. Gives what it copied. */
export function* bringIn(
  paths: readonly string[],
  project: Root,
  view: Root,
  isSecret: (path: string) => boolean,
): Pieces<Versions> {
  const brought = new Map<string, Version | null>();
  for (const at of paths) {
    const found = yield* fingerprintOf(project, at);
    if (sameVersion(yield* fingerprintOf(view, at), found)) continue;
    yield* transplant(project, view, at, isSecret);
    brought.set(at, found && versionOf(found));
  }
  return brought;
}
