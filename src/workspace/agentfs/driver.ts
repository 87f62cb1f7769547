// SQLite: Node's own, or on a Node without it the package `libsql`, which the user installs.
import fs from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { HotcellError, isOfSqlite } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";

/** `ArrayBuffer` is how libsql returns bytes. */
export type SqlValue = number | string | null | Uint8Array | ArrayBuffer;
export type SqlRow = Readonly<Record<string, SqlValue>>;

export interface SqlStatement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): SqlRow | undefined;
  iterate(...values: SqlValue[]): Iterable<SqlRow>;
}

export interface SqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

interface Sqlite {
  readonly DatabaseSync: new (file: string) => SqlDatabase;
}

type Open = (file: string) => SqlDatabase;

/** Creates the file if it does not exist. */
export async function openDatabase(file: string): Promise<SqlDatabase> {
  const open = openWithNode() ?? (await openWithLibsql());
  try {
    return open(file);
  } catch (error) {
    const message = `Could not open the database ${quote(file)}: ${reasonOf(error)}.`;
    throw new HotcellError("EXECUTION_ERROR", message);
  }
}

/** Null before Node 22.13. */
function openWithNode(): Open | null {
  const sqlite = quietly(() => process.getBuiltinModule?.("node:sqlite") as Sqlite | undefined);
  return sqlite === undefined ? null : (file) => new sqlite.DatabaseSync(file);
}

/** Node 22 warns that its SQLite is experimental when it is loaded; a program that reads standard error would see it. */
function quietly<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

async function openWithLibsql(): Promise<Open> {
  try {
    const { default: Database } = await import("libsql");
    return (file) => withFinalization(new Database(file) as unknown as SqlDatabase);
  } catch {
    const message = `Could not use AgentFS databases: Node ${process.versions.node} has no SQLite. Run: npm install libsql@0.5, or use Node 22.13 or newer.`;
    throw new HotcellError("NOT_SUPPORTED", message);
  }
}

/**
 * libsql closes a database, and gives up its locks, when the garbage collector has found the last of its statements and
 * of their rows. So this keeps the only references to them, and asks for a collection.
 */
function withFinalization(db: SqlDatabase): SqlDatabase {
  const statements = new Map<SqlStatement, SqlStatement>();
  const readers = new Map<Iterable<SqlRow>, Iterator<SqlRow>>();
  const iterateHere = (rows: Iterable<SqlRow>): Iterable<SqlRow> => {
    const reader: IterableIterator<SqlRow> = {
      [Symbol.iterator]: () => reader,
      next() {
        const row = readers.get(reader)!.next();
        if (row.done === true) readers.delete(reader);
        return row;
      },
      return() {
        readers.delete(reader);
        return { done: true, value: undefined };
      },
    };
    readers.set(reader, rows[Symbol.iterator]());
    return reader;
  };
  return {
    exec: (sql) => db.exec(sql),
    prepare(sql) {
      const statement: SqlStatement = {
        run: (...values) => statements.get(statement)!.run(...values),
        get: (...values) => statements.get(statement)!.get(...values),
        iterate: (...values) => iterateHere(statements.get(statement)!.iterate(...values)),
      };
      statements.set(statement, db.prepare(sql));
      return statement;
    },
    close() {
      readers.clear();
      statements.clear();
      db.close();
      collectGarbage();
    },
  };
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

export function blobOf(value: SqlValue | undefined): Buffer {
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : Buffer.alloc(0);
}

/** Runs the work in one transaction: all of it is in the file afterwards, or nothing. */
export async function inTransaction<T>(db: SqlDatabase, work: () => Promise<T>): Promise<T> {
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = await work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    tryRollBack(db);
    throw error;
  }
}

/** The same, without yielding to the event loop. */
export function inTransactionAtOnce(db: SqlDatabase, work: () => void): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    work();
    db.exec("COMMIT");
  } catch (error) {
    tryRollBack(db);
    throw error;
  }
}

/** SQLite has already rolled back if the disk is full. */
function tryRollBack(db: SqlDatabase): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // Nothing is left to roll back.
  }
}

export async function explainSqlErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isOfSqlite(error)) throw error;
    throw new HotcellError("EXECUTION_ERROR", `Could not write the database: ${reasonOf(error)}.`);
  }
}

/** Whether another connection has locked the database. */
export function isBusy(error: unknown): boolean {
  if (!isOfSqlite(error)) return false;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  return (typeof code === "string" && /^SQLITE_(BUSY|LOCKED)/.test(code)) || errcode === 5 || errcode === 6;
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Removes a database with the files that SQLite makes beside it. */
export function removeDatabase(file: string): void {
  for (const end of ["", "-wal", "-shm", "-journal"])
    if (fs.existsSync(`${file}${end}`)) fs.unlinkSync(`${file}${end}`);
}
