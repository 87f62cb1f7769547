// What sessions leave on the disk, and when it may go. Changes are never thrown away unless a limit is given.
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { holdLock } from "../../core/lock.ts";
import { listSessions, type SessionSummary } from "./list-sessions.ts";
import { removeDirectory, removeSession } from "./make-session.ts";
import { readRecord, sessionDir } from "./record.ts";
import type { DiffOptions } from "./session-diff.ts";
import { removeUnused, sessionIds } from "./unused.ts";

export interface GcOptions {
  /** Of all sessions together. When they have more, those go whose last use is longest ago, with their changes. */
  readonly maxBytes?: number;
  readonly dryRun?: boolean;
  /** Sessions that may go; any when left out. */
  readonly only?: readonly string[];
}

export interface GcResult {
  readonly removed: readonly {
    readonly id: string;
    readonly bytes: number;
    readonly changes: number | null;
  }[];
  readonly freedBytes: number;
  /** What is left. */
  readonly totalBytes: number;
}

export async function collectGarbage(place: DiffOptions, options: GcOptions = {}): Promise<GcResult> {
  const { stateDir } = place;
  if (!options.dryRun) clearUp(stateDir);
  const sessions = await listSessions(place);
  const before = totalOf(sessions);
  const removed = chooseRemoved(sessions, stateDir, options.maxBytes ?? Number.POSITIVE_INFINITY).filter(
    ({ id }) => options.dryRun || (options.only?.includes(id) !== false && tryRemove(id, stateDir)),
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
  stateDir: string,
  maxBytes: number,
): SessionSummary[] {
  const needed = neededByOthers(stateDir);
  const idle = sessions.filter(({ id, state }) => state === "idle" && !needed.has(id));
  const empty = idle.filter(({ changes }) => changes === 0);
  const byAge = idle
    .filter(({ changes }) => changes !== 0)
    .sort((a, b) => lastUse(a, stateDir) - lastUse(b, stateDir));
  let total = totalOf(sessions) - totalOf(empty);
  const over = byAge.filter(({ bytes }) => {
    const isOver = total > maxBytes;
    if (isOver) total -= bytes;
    return isOver;
  });
  return [...empty, ...over];
}

/** Sessions that others were forked from use their layers. */
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

/** False when somebody has it open by now. */
function tryRemove(id: string, stateDir: string): boolean {
  return whileLocked(id, stateDir, () => removeSession(id, stateDir));
}

/** What killed processes and thrown away changes have left behind. */
function clearUp(stateDir: string): void {
  const sessions = path.join(stateDir, "sessions");
  if (!fs.existsSync(sessions)) return;
  for (const name of fs.readdirSync(sessions)) {
    if (name.endsWith(".gone") || (name.endsWith(".new") && isOld(path.join(sessions, name))))
      removeDirectory(path.join(sessions, name));
  }
  for (const id of sessionIds(stateDir)) {
    whileLocked(id, stateDir, () => removeUnused(readRecord(sessionDir(stateDir, id)), stateDir));
  }
}

const MAKING_MS = 60_000;

/** One that is being made just now is not. */
function isOld(dir: string): boolean {
  return fs.statSync(dir).mtimeMs < Date.now() - MAKING_MS;
}

function whileLocked(id: string, stateDir: string, work: () => void): boolean {
  try {
    const release = holdLock(path.join(sessionDir(stateDir, id), "lock"));
    try {
      work();
      return true;
    } finally {
      release();
    }
  } catch (error) {
    if (error instanceof HotcellError && error.code === "LOCKED") return false;
    throw error;
  }
}
