import { LIMITS } from "../../core/limits.ts";
import type { WorkspaceFS } from "./workspace-fs.ts";

/**
 * A file that has more than one name, among the first entries of the project; null if there is none. Files of git have
 * several names in a local clone, and git does not change them in place.
 */
export function findHardLink(workspace: Pick<WorkspaceFS, "walk">): string | null {
  let seen = 0;
  const enter = (at: string) => !/(^|\/)\.git$/.test(at);
  for (const entry of workspace.walk(".", { enter, refused: () => {} })) {
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
