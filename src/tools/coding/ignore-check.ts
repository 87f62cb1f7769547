import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { WorkspaceFS } from "../../workspace/files/workspace-fs.ts";
import { decodeName } from "../../workspace/fs/names.ts";
import { isBelow, joinPath, parentOf, splitPath } from "../../workspace/fs/path-text.ts";
import {
  type IgnoreStack,
  isIgnored,
  NOTHING_IGNORED,
  rulesFor,
} from "../../workspace/search/ignore/ignore-stack.ts";

/** Whether git's ignore files name a path. It keeps the rules of the last path's directory and those above it, so a walk makes it read the files of each directory once. */
export function createIgnoreCheck(workspace: WorkspaceFS): (path: string, isDirectory: boolean) => boolean {
  const levels: { readonly directory: string; readonly stack: IgnoreStack }[] = [];
  const stackIn = (directory: string): IgnoreStack => {
    while (levels.length > 0 && !isIn(levels.at(-1)!.directory, directory)) levels.pop();
    const known = levels.at(-1);
    if (known?.directory === directory) return known.stack;
    const above = directory === "" ? NOTHING_IGNORED : stackIn(parentOf(directory));
    const at = (name: string) => tryRead(workspace, joinPath(directory, name));
    const stack = rulesFor(above, { gitignore: at(".gitignore"), ignore: at(".ignore") }, directory);
    levels.push({ directory, stack });
    return stack;
  };
  return (path, isDirectory) => {
    const { directory, name } = splitPath(path);
    return isIgnored(stackIn(directory), path, name, isDirectory);
  };
}

const isIn = (above: string, directory: string): boolean => above === "" || isBelow(directory, above);

/** Null if there is no such file, or if it may not be read. */
function tryRead(workspace: WorkspaceFS, path: string): string | null {
  try {
    return decodeName(workspace.read(path, { maxBytes: LIMITS.maxIgnoreBytes }));
  } catch (error) {
    if (error instanceof HotcellError) return null;
    throw error;
  }
}
