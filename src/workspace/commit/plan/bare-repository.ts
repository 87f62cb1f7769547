import { identityAtPath, type RootOf } from "../../fs/fingerprint.ts";
import { joinPath, parentsOf } from "../../fs/path-text.ts";

/**
 * Tells whether a path is in a directory that git takes for a repository without a `.git`. git obeys the configuration
 * and hooks there. It does not ask what `objects` and `refs` are, and `commondir` may name other places for them.
 */
export function createBareCheck(view: RootOf): (path: string) => boolean {
  const known = new Map<string, boolean>();
  const isBare = (directory: string): boolean => {
    const has = (name: string) => {
      const path = joinPath(directory, name);
      return identityAtPath(view(path), path) !== null;
    };
    const found =
      known.get(directory) ?? (has("HEAD") && (has("commondir") || (has("objects") && has("refs"))));
    known.set(directory, found);
    return found;
  };
  return (path) => isBare("") || [...parentsOf(path)].some(isBare);
}
