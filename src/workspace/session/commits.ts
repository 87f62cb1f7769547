// The commits of a session: where they are stored, and which were interrupted.
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { committedMs, countReverts, hasEffect, hasJournal, isUnfinished } from "../commit/journal.ts";
import { readRecord, type SessionRecord, sessionDir } from "../layers/record.ts";
import { sessionIds } from "../layers/unreferenced-layers.ts";

/** The directory of a commit, by its number. */
export function txDirOf(dir: string, number: number | string): string {
  return path.join(dir, "tx", String(number));
}

/** Numbers of the session's commits, oldest first. */
export function commitsIn(dir: string): number[] {
  const tx = path.join(dir, "tx");
  if (!fs.existsSync(tx)) return [];
  return fs
    .readdirSync(tx)
    .map(Number)
    .filter((number) => Number.isSafeInteger(number) && hasJournal(path.join(tx, String(number))))
    .sort((a, b) => a - b);
}

/** The `settled` value of a session whose layers reflect all its commits and reverts. */
export function settledCommits(dir: string): SessionRecord["settled"] {
  return Object.fromEntries(commitsIn(dir).map((number) => [number, 1 + countReverts(txDirOf(dir, number))]));
}

/** The directories of commits that the layers do not reflect yet. */
export function unsettledIn({ settled }: Pick<SessionRecord, "settled">, dir: string): string[] {
  return commitsIn(dir)
    .filter((number) => settled[number] === undefined)
    .map((number) => txDirOf(dir, number));
}

/** The last commit that is not fully reverted. */
export function findLastCommit(dir: string): string | undefined {
  return commitsIn(dir)
    .map(String)
    .findLast((number) => hasEffect(txDirOf(dir, number)));
}

/** Numbers of the commits made since then that are not fully reverted. */
export function commitsSince(dir: string, sinceMs: number): string[] {
  const isLater = (number: string) => committedMs(txDirOf(dir, number)) >= sinceMs;
  return commitsIn(dir)
    .map(String)
    .filter((number) => isLater(number) && hasEffect(txDirOf(dir, number)));
}

/** The directory of the commit with this number, or of the last one that is not fully reverted. */
export function commitDir(dir: string, tx: string | undefined): string {
  const numbers = commitsIn(dir).map(String);
  const number = tx ?? findLastCommit(dir);
  if (number !== undefined && numbers.includes(number)) return txDirOf(dir, number);
  const none = numbers.length === 0 ? "" : " that was not reverted";
  const state = `the session has no commit${tx === undefined ? none : ` ${quote(tx)}`}`;
  throw new HotcellError("NOT_FOUND", `Could not revert: ${state}.`);
}

export function unfinishedCommits(dir: string): string[] {
  return commitsIn(dir)
    .map((number) => txDirOf(dir, number))
    .filter(isUnfinished);
}

export function refuseUnfinished(id: string, dir: string): void {
  if (unfinishedCommits(dir).length === 0) return;
  const message = `Could not open the session ${quote(id)}: one of its commits was interrupted. Run hotcell session recover first.`;
  throw new HotcellError("COMMIT_INTERRUPTED", message, { session: id });
}

/** Refuses to commit over another session's interrupted commit. Only the holder of the lock can tell an interrupted commit from a running one. */
export function refuseOthersUnfinished(id: string, stateDir: string): void {
  const { workspace } = readRecord(sessionDir(stateDir, id));
  const other = sessionIds(stateDir).find((candidate) => {
    const dir = sessionDir(stateDir, candidate);
    return candidate !== id && readRecord(dir).workspace === workspace && unfinishedCommits(dir).length > 0;
  });
  if (other === undefined) return;
  const message = `Could not commit: a commit of the session ${quote(other)} to the same project was interrupted. Run hotcell session recover first.`;
  throw new HotcellError("COMMIT_INTERRUPTED", message, { session: other });
}
