// What sessions leave on disk, and when it may be removed. Changes are never discarded unless a limit is given.
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../../core/errors.ts";
import { holdLock } from "../../../core/lock.ts";
import { quote } from "../../../core/quote.ts";
import { holdsSecrets } from "../../layers/layer-dirs.ts";
import { readRecord, sessionDir } from "../../layers/record.ts";
import { removeDirectory, removeSession } from "../../layers/session-dirs.ts";
import { removeUnused, sessionIds } from "../../layers/unreferenced-layers.ts";
import { commitsIn } from "../commits.ts";
import type { SessionDiffOptions } from "../session-diff.ts";
import { listSessions, type SessionSummary } from "./list-sessions.ts";

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
    readonly bytes: number;
    readonly changes: number | null;
  }[];
  readonly freedBytes: number;
  /** What remains. */
  readonly totalBytes: number;
}

export async function collectGarbage(place: SessionDiffOptions, options: GcOptions = {}): Promise<GcResult> {
  const { stateDir } = place;
  if (!options.dryRun) removeLeftovers(stateDir);
  const listed = new Map(sessionIds(stateDir).map((id) => [id, readRecordText(id, stateDir)]));
  const sessions = await listSessions(place);
  const before = totalOf(sessions);
  const removed = chooseRemoved(sessions, place, options.maxBytes ?? Number.POSITIVE_INFINITY).filter(
    ({ id }) =>
      options.dryRun || (options.only?.includes(id) !== false && tryRemove(id, stateDir, listed.get(id))),
  );
  const freedBytes = totalOf(removed);
  return {
    removed: removed.map(({ id, bytes, changes }) => ({ id, bytes, changes })),
    freedBytes,
    totalBytes: before - freedBytes,
  };
}

const totalOf = (sessions: readonly SessionSummary[]): number =>
  sessions.reduce((sum, { bytes }) => sum + bytes, 0);

function chooseRemoved(
  sessions: readonly SessionSummary[],
  place: SessionDiffOptions,
  maxBytes: number,
): SessionSummary[] {
  const { stateDir } = place;
  const holds = ({ id }: SessionSummary) => holdsSecrets(readRecord(sessionDir(stateDir, id)).stack, place);
  const needed = neededByOthers(stateDir);
  const idle = sessions.filter(({ id, state }) => state === "idle" && !needed.has(id));
  const empty = idle.filter(
    (session) =>
      session.changes === 0 &&
      !canBeUndone(session, stateDir) &&
      !keepsState(session, stateDir) &&
      !holds(session),
  );
  const byAge = idle
    .filter((session) => !empty.includes(session))
    .sort((a, b) => lastUse(a, stateDir) - lastUse(b, stateDir));
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

/** Whether its run has files in @state: without the session nobody would find them again. */
function keepsState({ id }: SessionSummary, stateDir: string): boolean {
  const dir = path.join(stateDir, "runs", id, "state");
  return fs.existsSync(dir) && fs.readdirSync(dir).length > 0;
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

function lastUse({ id }: SessionSummary, stateDir: string): number {
  return fs.statSync(path.join(sessionDir(stateDir, id), "session.json")).mtimeMs;
}

/** False if somebody has it open by now, or used it since it was listed. */
function tryRemove(id: string, stateDir: string, listed: string | undefined): boolean {
  return whileLocked(id, stateDir, () => {
    const isUsed = readRecordText(id, stateDir) !== listed || neededByOthers(stateDir).has(id);
    if (!isUsed) removeSession(id, stateDir);
    return !isUsed;
  });
}

/** Removes a session with everything in it: for a session whose project no longer exists. */
export function removeWhole(id: string, stateDir: string): void {
  const isGone = whileLocked(id, stateDir, () => {
    if (neededByOthers(stateDir).has(id)) return false;
    removeSession(id, stateDir);
    return true;
  });
  if (isGone) return;
  const message = `Could not throw the session ${quote(id)} away: another hotcell works in it, or another session was forked from it. Close or discard that one first.`;
  throw new HotcellError("LOCKED", message, { session: id });
}

function readRecordText(id: string, stateDir: string): string {
  return JSON.stringify(readRecord(sessionDir(stateDir, id)));
}

/** Removes what killed processes and discarded changes left behind. */
function removeLeftovers(stateDir: string): void {
  const sessions = path.join(stateDir, "sessions");
  if (!fs.existsSync(sessions)) return;
  for (const name of fs.readdirSync(sessions)) {
    if (name.endsWith(".gone") || (name.endsWith(".new") && isOld(path.join(sessions, name))))
      removeDirectory(path.join(sessions, name));
  }
  for (const id of sessionIds(stateDir)) {
    whileLocked(id, stateDir, () => {
      removeUnused(readRecord(sessionDir(stateDir, id)), stateDir);
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
    if (error instanceof HotcellError && error.code === "LOCKED") return false;
    throw error;
  }
}
