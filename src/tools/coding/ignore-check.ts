import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { WorkspaceFS } from "../../workspace/files/workspace-fs.ts";
import { decodeName } from "../../workspace/fs/names.ts";
import { joinPath, parentOf, splitPath } from "../../workspace/fs/path-text.ts";
import {
  type IgnoreStack,
  isIgnored,
  NOTHING_IGNORED,
  rulesFor,
} from "../../workspace/search/ignore/ignore-stack.ts";

/** Whether git's ignore files name a path. It reads the files of each directory once. */
export function createIgnoreCheck(workspace: WorkspaceFS): (path: string, isDirectory: boolean) => boolean {
  const stacks = new Map<string, IgnoreStack>();
  const stackIn = (directory: string): IgnoreStack => {
    const known = stacks.get(directory);
    if (known !== undefined) return known;
    const above = directory === "" ? NOTHING_IGNORED : stackIn(parentOf(directory));
    const at = (name: string) => tryRead(workspace, joinPath(directory, name));
    const stack = rulesFor(above, { gitignore: at(".gitignore"), ignore: at(".ignore") }, directory);
    stacks.set(directory, stack);
    return stack;
  };
  return (path, isDirectory) => {
    const { directory, name } = splitPath(path);
    return isIgnored(stackIn(directory), path, name, isDirectory);
  };
}

/** Null if there is no such file, or if it may not be read. */
function tryRead(workspace: WorkspaceFS, path: string): string | null {
  try {
    return decodeName(workspace.read(path, { maxBytes: LIMITS.maxIgnoreBytes }));
  } catch (error) {
    if (error instanceof HotcellError) return null;
    throw error;
  }
}
