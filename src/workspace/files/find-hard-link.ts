import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { WorkspaceFS } from "./workspace-fs.ts";

type Walkable = Pick<WorkspaceFS, "walk">;

export interface HardLinkSearch {
  /** A file that has more than one name; null if none was found. */
  readonly file: string | null;
  /** Whether the limit ended the search before any was found. */
  readonly isCut: boolean;
}

/** Looks at the first entries of pnpm's store of packages, then at those of the project. */
export function findHardLink(workspace: Walkable): HardLinkSearch {
  const inPackages = findInPackages(workspace);
  return inPackages.file === null ? findBelow(workspace, ".") : inPackages;
}

function findInPackages(workspace: Walkable): HardLinkSearch {
  try {
    return findBelow(workspace, "node_modules/.pnpm");
  } catch (error) {
    // Most projects have no such directory.
    if (error instanceof HotcellError) return { file: null, isCut: false };
    throw error;
  }
}

/** Files of git have several names in a local clone, and git does not change them in place. */
function findBelow(workspace: Walkable, top: string): HardLinkSearch {
  let seen = 0;
  const enter = (at: string) => !/(^|\/)\.git$/.test(at);
  for (const entry of workspace.walk(top, { enter, refused: () => {} })) {
    if (++seen > LIMITS.maxHardLinkEntries) return { file: null, isCut: true };
    if (entry.kind === "file" && hasLinks(entry)) return { file: entry.path, isCut: false };
  }
  return { file: null, isCut: false };
}

function hasLinks(entry: { stat(): { readonly links: number } }): boolean {
  try {
    return entry.stat().links > 1;
  } catch {
    // It has vanished.
    return false;
  }
}
