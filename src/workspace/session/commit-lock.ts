import fs from "node:fs";
import path from "node:path";
import { LIMITS } from "../../core/limits.ts";
import { waitForLock } from "../../core/lock.ts";
import { workspaceKey } from "../directory/host.ts";
import { openRealRoot, type Root } from "../fs/paths.ts";
import type { SessionRecord } from "../layers/record.ts";
import type { SessionStore } from "../overlay/session-view.ts";

export type LockStore = Pick<SessionStore, "stateDir" | "waitMs">;

/** Allows one commit, revert or recovery at a time per project, across sessions. */
export async function withCommitLock<T>(
  { workspace }: Pick<SessionRecord, "workspace">,
  { stateDir, waitMs = LIMITS.lockWaitMs }: LockStore,
  work: (project: Root) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const dir = path.join(stateDir, "workspaces", workspaceKey(workspace));
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const release = await waitForLock(path.join(dir, "commit.lock"), waitMs, signal);
  try {
    return await workIn(workspace, work);
  } finally {
    release();
  }
}

async function workIn<T>(workspace: string, work: (project: Root) => Promise<T>): Promise<T> {
  const project = openRealRoot(workspace);
  try {
    return await work(project);
  } finally {
    fs.closeSync(project.fd);
  }
}
