// What a session is, on disk: one small file, replaced in one step. Layers are named, never rewritten:
// a rewind or a fork is another list of the same names.
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
  /** The session whose directory has it: a fork uses its parent's. */
  readonly session: string;
  /** A directory there. */
  readonly name: string;
  /** Null for what no call did. */
  readonly call: CallMark | null;
  /** Before the first of its changes, by the clock that files are stamped with. */
  readonly since: number;
  /** A directory there that stands for this layer and all below it: mounting it is cheaper than mounting them. */
  readonly collapsed?: string;
}

/** Oldest first; the last one is live, the others are never changed again. */
export type Stack = readonly Layer[];

export type Strategy = "kernel" | "clone";

export interface SessionRecord {
  readonly version: 2;
  readonly id: string;
  /** The project's real path. */
  readonly workspace: string;
  readonly created: string;
  readonly strategy: Strategy;
  readonly stack: Stack;
  /** Stacks that a rewind left, newest last: a rewind can be undone. */
  readonly left: readonly Stack[];
  /** The number of the next layer to be made. */
  readonly next: number;
  /** What the layers reflect of each commit, by its number: 1 for the commit, and 1 more for each revert of it. */
  readonly settled: Readonly<Record<string, number>>;
}

/** Version 1 kept committed files in the layers, and had two directories stand for several layers. Its commits count as unsettled, so that these files leave at the next open. */
type StoredRecord = SessionRecord | (Omit<SessionRecord, "version" | "settled"> & { readonly version: 1 });

const SESSION_ID = /^[a-z0-9][a-z0-9-]{0,63}$/;

export function sessionDir(stateDir: string, id: string): string {
  if (!SESSION_ID.test(id)) throw noSuchSession(id);
  return path.join(stateDir, "sessions", id);
}

/** Users mount in different ways, and don't see each other's layers as they are. */
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
      `Could not open the session ${quote(id)}: it was made by a newer hotcell.`,
    );
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") throw noSuchSession(id);
    throw error;
  }
}

function upgrade(record: Omit<SessionRecord, "version" | "settled">): SessionRecord {
  const { id, workspace, created, strategy, next } = record;
  const [stack, ...left] = [record.stack, ...record.left].map((layers) => layers.map(withoutCollapsed));
  return { version: 2, id, workspace, created, strategy, stack: stack!, left, next, settled: {} };
}

export function withoutCollapsed({ collapsed: _, ...layer }: Layer): Layer {
  return layer;
}

/** Whole or not at all, and on the disk when this returns. */
export function writeRecord(dir: string, record: SessionRecord): void {
  replaceJson(path.join(dir, FILE), record);
}

/**
 * The same for one that comes after another. Most calls change only whose the live layer is: that is noted beside the
 * layer, and not waited for. After a power failure it may count as an earlier call's that had left it empty.
 */
export function rewriteRecord(dir: string, before: SessionRecord, record: SessionRecord): void {
  const mark = record.stack.at(-1)!;
  if (JSON.stringify(marked(before, mark)) === JSON.stringify(record)) {
    writeMark(dir, record);
    return;
  }
  writeRecord(dir, record);
  const old = markFile(dir, before);
  if (fs.existsSync(old)) fs.unlinkSync(old);
}

type Mark = Pick<Layer, "call" | "since">;

function marked(record: SessionRecord, { call, since }: Mark): SessionRecord {
  const live = { ...record.stack.at(-1)!, call, since };
  return { ...record, stack: [...record.stack.slice(0, -1), live] };
}

/** Written over in one go, for a rename onto a file is a wait for the disk. What is torn all the same is no mark. */
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
  // It tells when the session was used last.
  const now = new Date();
  fs.utimesSync(path.join(dir, FILE), now, now);
}

/** Nearly all are shorter. */
const MARK_LENGTH = 512;

function withMark(dir: string, record: SessionRecord): SessionRecord {
  try {
    return marked(record, JSON.parse(fs.readFileSync(markFile(dir, record), "utf8")));
  } catch (error) {
    if (osErrorCode(error) !== "ENOENT" && !(error instanceof SyntaxError)) throw error;
    return record;
  }
}

const markFile = (dir: string, { stack }: SessionRecord): string =>
  path.join(dir, `${stack.at(-1)!.name}.call`);

const FILE = "session.json";

function noSuchSession(id: string): HotcellError {
  return new HotcellError("NOT_FOUND", `There is no session ${quote(id)}. See hotcell session list.`);
}
