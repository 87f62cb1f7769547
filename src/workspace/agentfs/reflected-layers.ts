// What hotcell remembers about a session's database. In the database, in the transaction that writes the changes: the
// layers that they are from. Beside the session: how the file looked afterwards, so that an unchanged file is not read.
import fs from "node:fs";
import path from "node:path";
import { isJsonObject } from "../../core/json.ts";
import type { SqlDatabase } from "./driver.ts";
import { readSessionRow, writeSessionRow } from "./session-rows.ts";

export interface ReflectedLayers {
  /** The id of the session. */
  readonly session: string;
  /** `session/layer`, oldest first. */
  readonly layers: readonly string[];
  /** The last one may have changed since, because a background process was running. */
  readonly isOpen: boolean;
}

const ROW = "reflects";

export function writeReflected(db: SqlDatabase, reflected: ReflectedLayers): void {
  writeSessionRow(db, ROW, reflected);
}

/** Null if the database was not written for this session, or somebody changed the row. */
export function readReflected(db: SqlDatabase, id: string): ReflectedLayers | null {
  const row = readSessionRow(db, ROW);
  if (!isJsonObject(row)) return null;
  const { session, layers, isOpen } = row as Partial<ReflectedLayers>;
  const isKnown = session === id && Array.isArray(layers) && layers.every(isLayer);
  return isKnown ? { session, layers, isOpen: isOpen === true } : null;
}

const isLayer = (name: unknown): boolean =>
  typeof name === "string" && /^[a-z0-9][a-z0-9-]{0,63}\/\d{1,15}$/.test(name);

/** In the session's directory. */
const SEEN = "database.seen";

/** How the files of a database look to `stat`. An empty log is as good as none. */
function describeFiles(file: string): string {
  const facts = [file, `${file}-wal`].map((at) => {
    const stat = fs.lstatSync(at, { bigint: true, throwIfNoEntry: false });
    return (
      stat !== undefined &&
      stat.size > 0n &&
      [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].map(String)
    );
  });
  return JSON.stringify(facts);
}

/** Whether nobody has written to the database since hotcell did. */
export function isAsSeen(dir: string, file: string): boolean {
  const seen = path.join(dir, SEEN);
  return fs.existsSync(seen) && fs.readFileSync(seen, "utf8") === describeFiles(file);
}

/** Remembers how the file looks. File systems count time in steps of milliseconds: a finer time makes the next write visible even within the same step. */
export function keepSeen(dir: string, file: string): void {
  const now = Date.now() / 1000 + Math.random() / 1000;
  fs.utimesSync(file, now, now);
  fs.writeFileSync(path.join(dir, SEEN), describeFiles(file), { mode: 0o600 });
}
