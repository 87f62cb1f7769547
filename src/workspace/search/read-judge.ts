import { HotcellError } from "../../core/errors.ts";
import type { View } from "../view.ts";

/** Says of paths below where a search began, or of that itself, whether they may be shown: the file, and each directory on the way. */
export function createReadJudge(view: View, start: string): (path: string) => boolean {
  const belowStart = start === "" ? 0 : start.length + 1;
  const directories = new Map<string, boolean>();

  const mayEnter = (path: string): boolean => {
    const known = directories.get(path);
    if (known !== undefined) return known;
    const above = path.slice(0, Math.max(path.lastIndexOf("/"), 0));
    const may =
      path.length <= start.length ||
      (mayEnter(above) && view.mayEnter(start, path.slice(belowStart).split("/")));
    directories.set(path, may);
    return may;
  };

  return (path) => {
    const parent = path.slice(0, Math.max(path.lastIndexOf("/"), 0));
    return mayEnter(parent) && mayShow(view, path);
  };
}

function mayShow(view: View, path: string): boolean {
  try {
    view.guard(path, "read");
    return true;
  } catch (error) {
    if (error instanceof HotcellError) return false;
    throw error;
  }
}
