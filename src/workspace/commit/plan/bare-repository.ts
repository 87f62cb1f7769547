import { identityAtPath, type RootOf } from "../../fs/fingerprint.ts";
import { parentsOf } from "../../fs/path-text.ts";

/** Tells whether a path is in a directory that git takes for a repository without a `.git`. git obeys the configuration and hooks there. */
export function createBareCheck(view: RootOf): (path: string) => boolean {
  const known = new Map<string, boolean>();
  const kindAt = (path: string) => identityAtPath(view(path), path)?.kind;
  const isBare = (directory: string): boolean => {
    const found =
      known.get(directory) ??
      (kindAt(`${directory}/HEAD`) !== undefined &&
        kindAt(`${directory}/objects`) === "directory" &&
        kindAt(`${directory}/refs`) === "directory");
    known.set(directory, found);
    return found;
  };
  return (path) => [...parentsOf(path)].some(isBare);
}
