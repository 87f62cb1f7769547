// Removes unused data of sessions from the disk. It discards no changes unless a limit is given.
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../../core/errors.ts";
import { holdLock, isLocked } from "../../../core/lock.ts";
import { quote } from "../../../core/quote.ts";
import { runToEnd } from "../../fs/cooperative.ts";
import { hasKeyValues } from "../../kv/key-value-file.ts";
import { readRecord, sessionDir } from "../../layers/record.ts";
import { hasRepositoryChanges } from "../../layers/repository-layer.ts";
import { removeDirectory, removeSession } from "../../layers/session-dirs.ts";
import { hasUnused, removeUnused, sessionIds, usedLayers } from "../../layers/unreferenced-layers.ts";
import type { SessionStore } from "../../overlay/session-view.ts";
import { commitsIn } from "../commits.ts";
import type { SessionDiffOptions } from "../session-diff.ts";
import { holdSession } from "../session-lock.ts";
import { bytesIn } from "./bytes-in.ts";
import { listSessions, type SessionSummary } from "./list-sessions.ts";
import { homeBytesOf } from "./measure-state.ts";
import { runsWithoutSession } from "./runs-without-session.ts";
import { keptDirs, recordingBytesOf } from "./session-bytes.ts";

export interface GcOptions {
  /** Limit of all sessions together. Beyond it the least recently used sessions are removed, with their changes. */
  readonly maxBytes?: number;
  readonly dryRun?: boolean;
  /** Sessions that may be removed; default: any. */
  readonly only?: readonly string[];
}

export interface GcResult {
  readonly removed: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly workspace: string;
    readonly bytes: number;
    readonly changes: number | null;
  }[];
  readonly freedBytes: number;
  /** What remains. */
  readonly totalBytes: number;
  /** Homes of profiles, of which nothing is removed here. */
  readonly homeBytes: number;
}

export async function collectGarbage(store: SessionDiffOptions, options: GcOptions = {}): Promise<GcResult> {
  const { stateDir } = store;
  const { maxBytes = Number.POSITIVE_INFINITY, dryRun = false, only } = options;
  const listed = new Map(sessionIds(stateDir).map((id) => [id, stampOf(id, stateDir)]));
  if (!dryRun) removeLeftovers(stateDir, listed);
  const leftBytes = clearRunsWithoutSession(stateDir, dryRun);
  const sessions = await listSessions(store);
  const isAllowed = ({ id }: SessionSummary) => only?.includes(id) !== false;
  const removed = chooseRemoved(sessions, store, maxBytes).filter(
    (session) => dryRun || (isAllowed(session) && tryRemove(session.id, stateDir, listed.get(session.id))),
  );
  const freed = removed.map(({ id, name, workspace, bytes, changes, ignored }) => ({
    id,
    name,
    workspace,
    bytes: bytes - recordingBytesOf(id, stateDir),
    changes: changes === null ? null : changes + (ignored ?? 0),
  }));
  return {
    removed: freed,
    freedBytes: leftBytes + totalOf(freed),
    totalBytes: totalOf(sessions) - totalOf(removed),
    homeBytes: homeBytesOf(stateDir),
  };
}

const totalOf = (sessions: readonly Pick<SessionSummary, "bytes">[]): number =>
  sessions.reduce((sum, { bytes }) => sum + bytes, 0);

function chooseRemoved(
  sessions: readonly SessionSummary[],
  store: SessionDiffOptions,
  maxBytes: number,
): SessionSummary[] {
  const { stateDir } = store;
  const needed = neededByOthers(stateDir);
  const idle = sessions.filter(({ id, state }) => state === "idle" && !needed.has(id));
  const empty = idle.filter(
    (session) =>
      session.changes === 0 &&
      session.ignored === 0 &&
      !canBeUndone(session, stateDir) &&
      !hasRepositoryChanges(sessionDir(stateDir, session.id)) &&
      !keepsState(session.id, stateDir),
  );
  const isEmpty = new Set(empty);
  const byAge = idle
    .filter((session) => !isEmpty.has(session))
    .map((session) => ({ session, usedMs: lastUse(session.id, stateDir) }))
    .sort((a, b) => a.usedMs - b.usedMs)
    .map(({ session }) => session);
  let total = totalOf(sessions) - totalOf(empty);
  const over = byAge.filter(({ bytes }) => {
    const isOver = total > maxBytes;
    if (isOver) total -= bytes;
    return isOver;
  });
  return [...empty, ...over];
}

/** Whether a person may still want to undo a rewind or a commit. */
function canBeUndone({ id }: SessionSummary, stateDir: string): boolean {
  const dir = sessionDir(stateDir, id);
  return readRecord(dir).left.length > 0 || commitsIn(dir).length > 0;
}

/** Whether it has values, files in @state or an agent run that can be continued: they go with the session. */
export function keepsState(id: string, stateDir: string): boolean {
  const [, ...dirs] = keptDirs(id, stateDir);
  const hasFiles = dirs.some((dir) => fs.existsSync(dir) && fs.readdirSync(dir).length > 0);
  return hasFiles || hasKeyValues(sessionDir(stateDir, id));
}

/** Sessions whose layers are used by their forks. */
function neededByOthers(stateDir: string): Set<string> {
  const needed = new Set<string>();
  for (const id of sessionIds(stateDir)) {
    const { stack, left } = readRecord(sessionDir(stateDir, id));
    for (const { session } of [stack, ...left].flat()) if (session !== id) needed.add(session);
  }
  return needed;
}

function lastUse(id: string, stateDir: string): number {
  return fs.statSync(path.join(sessionDir(stateDir, id), "session.json")).mtimeMs;
}

/** False if somebody has it open by now, or used it since it was listed. So nobody forked it since then, either. */
function tryRemove(id: string, stateDir: string, listed: string | undefined): boolean {
  return whileLocked(id, stateDir, () => {
    const isUsed = stampOf(id, stateDir) !== listed;
    if (!isUsed) removeWithRun(id, stateDir);
    return !isUsed;
  });
}

function removeWithRun(id: string, stateDir: string): void {
  removeSession(id, stateDir);
  for (const dir of keptDirs(id, stateDir)) removeDirectory(dir);
}

/** Removes what sessions that no longer exist kept; their execution logs stay. Returns the bytes. */
function clearRunsWithoutSession(stateDir: string, dryRun: boolean): number {
  const dirs = runsWithoutSession(stateDir).flatMap((run) => keptDirs(run, stateDir));
  const bytes = dirs.reduce((sum, dir) => sum + bytesIn(dir), 0);
  if (!dryRun) for (const dir of dirs) removeDirectory(dir);
  return bytes;
}

/** Removes a session with everything in it: for a session whose project no longer exists. */
export async function removeSessionWithLock(id: string, { stateDir, waitMs }: SessionStore): Promise<void> {
  const release = await holdSession(id, sessionDir(stateDir, id), waitMs);
  try {
    if (neededByOthers(stateDir).has(id)) throw isForked(id);
    removeWithRun(id, stateDir);
  } finally {
    release();
  }
}

function isForked(id: string): HotcellError {
  const message = `Could not remove the session ${quote(id)}: another session was forked from it. Discard that session first.`;
  return new HotcellError("LOCKED", message, { session: id });
}

/** Changes with each use of the session. */
function stampOf(id: string, stateDir: string): string {
  return `${lastUse(id, stateDir)} ${JSON.stringify(readRecord(sessionDir(stateDir, id)))}`;
}

/** Removes what killed processes and discarded changes left behind. */
function removeLeftovers(stateDir: string, listed: ReadonlyMap<string, string>): void {
  const sessions = path.join(stateDir, "sessions");
  if (!fs.existsSync(sessions)) return;
  for (const name of fs.readdirSync(sessions)) {
    if (name.endsWith(".gone") || (name.endsWith(".new") && isOld(path.join(sessions, name))))
      removeDirectory(path.join(sessions, name));
  }
  const used = usedLayers(stateDir);
  for (const [id, stamp] of listed) {
    // The lock costs more than this look, and most sessions have nothing left over.
    if (!hasUnused(readRecord(sessionDir(stateDir, id)), stateDir, used)) continue;
    whileLocked(id, stateDir, () => {
      // A fork may use layers of a session that was used since.
      if (stampOf(id, stateDir) === stamp)
        runToEnd(removeUnused(readRecord(sessionDir(stateDir, id)), stateDir, used));
      return true;
    });
  }
}

const CREATION_MS = 60_000;

/** False while another process may still be creating the session. */
function isOld(dir: string): boolean {
  return fs.statSync(dir).mtimeMs < Date.now() - CREATION_MS;
}

function whileLocked(id: string, stateDir: string, work: () => boolean): boolean {
  try {
    const release = holdLock(path.join(sessionDir(stateDir, id), "lock"));
    try {
      return work();
    } finally {
      release();
    }
  } catch (error) {
    if (isLocked(error)) return false;
    throw error;
  }
}
