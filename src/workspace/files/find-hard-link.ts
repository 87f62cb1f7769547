import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { WorkspaceFS } from "./workspace-fs.ts";

type Walkable = Pick<WorkspaceFS, "walk">;

/** A file that has more than one name, among the first entries of pnpm's store of packages and of the project; null if there is none. */
export function findHardLink(workspace: Walkable): string | null {
  return findInPackages(workspace) ?? findBelow(workspace, ".");
}

function findInPackages(workspace: Walkable): string | null {
  try {
    return findBelow(workspace, "node_modules/.pnpm");
  } catch (error) {
    // Most projects have no such directory.
    if (error instanceof HotcellError) return null;
    throw error;
  }
}

/** Files of git have several names in a local clone, and git does not change them in place. */
function findBelow(workspace: Walkable, top: string): string | null {
  let seen = 0;
  const enter = (at: string) => !/(^|\/)\.git$/.test(at);
  for (const entry of workspace.walk(top, { enter, refused: () => {} })) {
    if (++seen > LIMITS.maxHardLinkEntries) return null;
    if (entry.kind === "file" && hasLinks(entry)) return entry.path;
  }
  return null;
}

function hasLinks(entry: { stat(): { readonly links: number } }): boolean {
  try {
    return entry.stat().links > 1;
  } catch {
    // It has vanished.
    return false;
  }
}
