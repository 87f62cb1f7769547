// WorkspaceFS over one directory. Every path goes through the gate (paths.ts); protected paths are judged
// on where the path really leads.
import path from "node:path";
import type { Protection } from "../policy/protected.ts";
import { changingOf } from "./changing.ts";
import { openLeftovers } from "./leftovers.ts";
import type { Root } from "./paths.ts";
import { readingOf } from "./reading.ts";
import { createView } from "./view.ts";
import type { WorkspaceFS } from "./workspace-fs.ts";

export { protectedPath } from "./view.ts";

export interface DirectoryViewOptions {
  /** Closed with the view. */
  readonly root: Root;
  /** Where this view keeps its notes and lock; outside the root. */
  readonly notesDir: string;
  readonly protectionOf: (path: string) => Protection | null;
}

export function openDirectoryView({ root, notesDir, protectionOf }: DirectoryViewOptions): WorkspaceFS {
  const leftovers = openLeftovers(root, path.join(notesDir, "temporary"));
  const view = createView({ root, lockPath: path.join(notesDir, "write.lock"), protectionOf });
  return {
    mode: "host",
    root: root.path,
    ...readingOf(view),
    ...changingOf(view, leftovers),
    close: view.close,
  };
}
