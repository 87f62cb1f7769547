// WorkspaceFS over one directory. Every path goes through the gate (paths.ts); protected paths are judged
// on where the path really leads.
import path from "node:path";
import type { Protection } from "../policy/protected.ts";
import { changingOf } from "./changing.ts";
import { type Leftovers, openLeftovers } from "./leftovers.ts";
import type { Root } from "./paths.ts";
import { readingOf } from "./reading.ts";
import { createView, type View } from "./view.ts";
import type { WorkspaceFS } from "./workspace-fs.ts";

export interface DirectoryViewOptions {
  /** Closed with the view. */
  readonly root: Root;
  /** Where this view keeps its notes and lock; outside the root. */
  readonly notesDir: string;
  readonly protectionOf: (path: string) => Protection | null;
}

export function openDirectoryView({ root, notesDir, protectionOf }: DirectoryViewOptions): WorkspaceFS {
  const leftovers = openLeftovers(root, path.join(notesDir, "temporary"));
  return workspaceOn(
    createView({ root, lockPath: path.join(notesDir, "write.lock"), protectionOf }),
    leftovers,
  );
}

function workspaceOn(view: View, leftovers: Leftovers): WorkspaceFS {
  return {
    mode: "host",
    root: view.root.path,
    ...readingOf(view),
    ...changingOf(view, leftovers),
    guardedBy: (check) => workspaceOn(view.guardedBy(check), leftovers),
    close: view.close,
  };
}
