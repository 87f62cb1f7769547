// A session on disk: one small file, replaced atomically. It lists layers by name, and layers are never rewritten: a
// rewind or a fork is another list of the same names.
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { replaceJson } from "../fs/replace-json.ts";

/** The call whose changes a layer holds. */
export interface CallMark {
  readonly id: string;
  readonly tool: string;
}

export interface Layer {
  /** The session that stores it: a fork uses its parent's layers. */
  readonly session: string;
  /** Its directory there. */
  readonly name: string;
  /** Null for changes outside a call. */
  readonly call: CallMark | null;
  /** A time before its first change, by the file system's clock. */
  readonly since: number;
  /** A directory there that replaces this layer and all below it in a mount, which is cheaper. */
  readonly collapsed?: string;
}

/** Oldest first. The last one is live; the others never change again. */
export type Stack = readonly Layer[];

export type Strategy = "kernel" | "clone";

export interface SessionRecord {
  readonly version: 2;
  readonly id: string;
  /** The project's real path. */
  readonly workspace: string;
  readonly created: string;
  readonly strategy: Strategy;
  /** In mode `agentfs` the database that has the session's changes too; relative to the session's directory. */
  readonly database?: string;
  readonly stack: Stack;
  /** Stacks that rewinds replaced, newest last: a rewind can be undone. */
  readonly left: readonly Stack[];
  /** When the newest of them was replaced, by the file system's clock. */
  readonly leftMs?: number;
  /** The number of the next new layer. */
  readonly next: number;
  /** How much of each commit the layers reflect, by its number: 1 for the commit, and 1 more for each revert of it. */
  readonly settled: Readonly<Record<string, number>>;
}

/** Version 1 kept committed files in the layers, and had two directories for collapsed layers. Its commits count as unsettled, so that these files leave the layers at the next open. */
type StoredRecord = SessionRecord | (Omit<SessionRecord, "version" | "settled"> & { readonly version: 1 });

const SESSION_ID = /^[a-z0-9][a-z0-9-]{0,63}$/;

export function sessionDir(stateDir: string, id: string): string {
  if (!SESSION_ID.test(id)) throw noSuchSession(id);
  return path.join(stateDir, "sessions", id);
}

/** Users mount in different ways, and cannot read each other's layers correctly. */
export function refuseForeign(dir: string): void {
  const { uid } = fs.statSync(dir);
  if (uid === process.geteuid?.()) return;
  const message = `Could not open the session ${quote(path.basename(dir))}: it belongs to the user with the id ${uid}. Run hotcell as that user.`;
  throw new HotcellError("WORKSPACE_UNUSABLE", message, { uid });
}

export function readRecord(dir: string): SessionRecord {
  const id = path.basename(dir);
  try {
    const record = JSON.parse(fs.readFileSync(path.join(dir, FILE), "utf8")) as StoredRecord;
    if (record.version === 2) return withMark(dir, record);
    if (record.version === 1) return withMark(dir, upgrade(record));
    throw new HotcellError(
      "NOT_SUPPORTED",
      `Could not open the session ${quote(id)}: a newer version of hotcell created it.`,
    );
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") throw noSuchSession(id);
    throw error;
  }
}

function upgrade(record: Omit<SessionRecord, "version" | "settled">): SessionRecord {
  const { id, workspace, created, strategy, next } = record;
  const [stack, ...left] = [record.stack, ...record.left].map((layers) => layers.map(withoutCompacted));
  return { version: 2, id, workspace, created, strategy, stack: stack!, left, next, settled: {} };
}

export function withoutCompacted({ collapsed: _, ...layer }: Layer): Layer {
  return layer;
}

/** Atomic, and durable when it returns. */
export function writeRecord(dir: string, record: SessionRecord): void {
  replaceJson(path.join(dir, FILE), record);
}

/**
 * Writes the record that follows another. Most calls change only the call of the live layer: that is written beside
 * the layer, without fsync. After a power failure the layer may count as that of an earlier call which had left it
 * empty.
 */
export function rewriteRecord(dir: string, before: SessionRecord, record: SessionRecord): void {
  const mark = record.stack.at(-1)!;
  if (JSON.stringify(applyMark(before, mark)) === JSON.stringify(record)) {
    writeMark(dir, record);
    return;
  }
  writeRecord(dir, record);
  const old = markFile(dir, before);
  if (fs.existsSync(old)) fs.unlinkSync(old);
}

type Mark = Pick<Layer, "call" | "since">;

function applyMark(record: SessionRecord, { call, since }: Mark): SessionRecord {
  const live = { ...record.stack.at(-1)!, call, since };
  return { ...record, stack: [...record.stack.slice(0, -1), live] };
}

/** Overwrites the file with one write, because a rename onto a file waits for the disk. A torn mark is ignored. */
function writeMark(dir: string, record: SessionRecord): void {
  const { call, since } = record.stack.at(-1)!;
  const text = JSON.stringify({ call, since }).padEnd(MARK_LENGTH);
  const fd = fs.openSync(markFile(dir, record), fs.constants.O_WRONLY | fs.constants.O_CREAT, 0o600);
  try {
    const length = fs.writeSync(fd, text, 0);
    if (fs.fstatSync(fd).size !== length) fs.ftruncateSync(fd, length);
  } finally {
    fs.closeSync(fd);
  }
  // Its mtime tells when the session was last used.
  const now = new Date();
  fs.utimesSync(path.join(dir, FILE), now, now);
}

/** Nearly all marks are shorter. */
const MARK_LENGTH = 512;

function withMark(dir: string, record: SessionRecord): SessionRecord {
  try {
    return applyMark(record, JSON.parse(fs.readFileSync(markFile(dir, record), "utf8")));
  } catch (error) {
    if (osErrorCode(error) !== "ENOENT" && !(error instanceof SyntaxError)) throw error;
    return record;
  }
}

const markFile = (dir: string, { stack }: SessionRecord): string =>
  path.join(dir, `${stack.at(-1)!.name}.call`);

/** The path of a session's database; null in mode `overlay`. */
export function databaseOf({ database }: SessionRecord, dir: string): string | null {
  return database === undefined ? null : path.resolve(dir, database);
}

/** The name of a session's own database, in the session's directory. */
export const OWN_DATABASE = "agentfs.db";

const FILE = "session.json";

export function noSuchSession(id: string): HotcellError {
  return new HotcellError("NOT_FOUND", `There is no session ${quote(id)}. See hotcell session list.`);
}
