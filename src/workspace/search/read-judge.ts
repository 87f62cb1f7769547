import type { View } from "../files/view.ts";
import { joinPath, parentOf } from "../fs/path-text.ts";

/** Decides whether a file may be read, by its directory, at or below the start of the search, and its name. */
export type ReadJudge = (directory: string) => (name: string) => boolean;

/** The size of the cache of judged directories. */
const MAX_KNOWN = 10_000;

/** Judges the file, and each directory above it up to the start. */
export function createReadJudge(view: View, start: string): ReadJudge {
  const belowStart = start === "" ? 0 : start.length + 1;
  const directories = new Map<string, boolean>();

  const mayEnter = (path: string): boolean => {
    const known = directories.get(path);
    if (known !== undefined) return known;
    const may =
      path.length <= start.length ||
      (mayEnter(parentOf(path)) && view.mayEnter(start, path.slice(belowStart).split("/")));
    if (directories.size >= MAX_KNOWN) directories.clear();
    directories.set(path, may);
    return may;
  };

  return (directory) =>
    mayEnter(directory) ? (name) => view.mayRead(joinPath(directory, name)) : () => false;
}
