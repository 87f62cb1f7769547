import fs from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { LIMITS } from "../../core/limits.ts";
import { holdLock, isLockHeld } from "../../core/lock.ts";
import { workspaceKey } from "../directory/host.ts";
import { openRealRoot, type Root } from "../fs/paths.ts";
import type { SessionRecord } from "../layers/record.ts";

/** Allows one commit, revert or recovery at a time per project, across sessions. */
export async function withCommitLock<T>(
  { workspace }: Pick<SessionRecord, "workspace">,
  stateDir: string,
  work: (project: Root) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const dir = path.join(stateDir, "workspaces", workspaceKey(workspace));
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = path.join(dir, "commit.lock");
  await untilFree(lock, signal);
  const release = holdLock(lock);
  try {
    return await workIn(workspace, work);
  } finally {
    release();
  }
}

const LOCK_PAUSE_MS = 5;

/** Another session of this process may hold the lock, so waiting must not block the event loop. */
async function untilFree(lock: string, signal: AbortSignal | undefined): Promise<void> {
  const deadline = performance.now() + LIMITS.lockWaitMs;
  while (isLockHeld(lock) && performance.now() < deadline) {
    await setTimeout(LOCK_PAUSE_MS);
    signal?.throwIfAborted();
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
