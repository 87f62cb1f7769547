import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import type { Protection } from "../../policy/protected.ts";
import type { WorkspaceFS } from "../files/workspace-fs.ts";
import { openRoot, type Root } from "../fs/paths.ts";
import { openDirectoryView } from "./directory-view.ts";

export interface HostWorkspaceOptions {
  readonly workspace: string;
  /** The path that `openStateDir` returned. */
  readonly stateDir: string;
  readonly protectionOf: (path: string) => Protection | null;
}

/** Mode `host`: reads and writes go directly to the project. */
export function openHostWorkspace({ workspace, stateDir, protectionOf }: HostWorkspaceOptions): WorkspaceFS {
  const root = openRoot(workspace);
  const notesDir = path.join(stateDir, "workspaces", workspaceKey(root.path));
  try {
    return viewHostDirectory(root, notesDir, protectionOf);
  } catch (error) {
    throw osErrorCode(error) === undefined ? error : unusable(workspace, error);
  }
}

/** The files of an open directory, without a session. Closes the directory with the view, or if this fails. */
export function viewHostDirectory(
  root: Root,
  notesDir: string,
  protectionOf: HostWorkspaceOptions["protectionOf"],
): WorkspaceFS {
  const closeRoot = () => fs.closeSync(root.fd);
  try {
    return openDirectoryView({ mode: "host", project: root.path, root, closeRoot, notesDir, protectionOf });
  } catch (error) {
    closeRoot();
    throw error;
  }
}

function unusable(workspace: string, error: unknown): HotcellError {
  const message = `Could not open the workspace "${workspace}": its record in the state directory cannot be used (${osErrorCode(error)}).`;
  return new HotcellError("WORKSPACE_UNUSABLE", message, {}, { cause: error });
}

/** A short name for a workspace, stable across runs. */
export function workspaceKey(root: string): string {
  return createHash("sha256").update(root).digest("hex").slice(0, 16);
}
