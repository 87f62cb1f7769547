// The clone strategy's records of the working copy and the project, and marks for changes in progress: small
// files in the session's directory, each replaced atomically.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { replaceJson, writeSynced } from "../fs/replace-json.ts";
import type { Stack } from "../layers/record.ts";
import { createScannedDirectory, type ScannedEntry } from "./clone-scan.ts";

/** The stack that the working copy shows, and the copy's content. */
interface WorkingCopy {
  readonly stack: Stack;
  readonly tree: ScannedEntry;
}

/** A change of the working copy, or of the live layer. */
type Change = "showing" | "capturing";

/** For each entry, parents before children: depth, name, letter of the kind, mode; also ctimeMs, ino and size if it is no directory. */
type Rows = (string | number)[];

const WORKING_COPY = "merged.json";
const PROJECT = "project.json";
const KINDS = { d: "directory", f: "file", l: "symlink" } as const;
const LETTERS = { directory: "d", file: "f", symlink: "l" } as const;

export function readWorkingCopy(dir: string): WorkingCopy | null {
  const found = tryRead(dir, WORKING_COPY) as { stack: Stack; rows: Rows } | null;
  return found && { stack: found.stack, tree: treeOf(found.rows) };
}

export function writeWorkingCopy(dir: string, { stack, tree }: WorkingCopy): void {
  replaceJson(path.join(dir, WORKING_COPY), { stack, rows: rowsOf(tree) });
}

export function readProjectTree(dir: string): ScannedEntry | null {
  const found = tryRead(dir, PROJECT) as Rows | null;
  return found && treeOf(found);
}

export function writeProjectTree(dir: string, tree: ScannedEntry): void {
  replaceJson(path.join(dir, PROJECT), rowsOf(tree));
}

/** Whether a change has begun and not ended, in any process. */
export function isInProgress(dir: string, change: Change): boolean {
  return fs.existsSync(path.join(dir, change));
}

export function markStarted(dir: string, change: Change): void {
  writeSynced(path.join(dir, change), "");
}

export function markEnded(dir: string, change: Change): void {
  fs.unlinkSync(path.join(dir, change));
}

/** Null if the file does not exist, or a power failure truncated it. */
function tryRead(dir: string, name: string): unknown {
  try {
    return JSON.parse(fs.readFileSync(path.join(dir, name), "utf8"));
  } catch (error) {
    if (osErrorCode(error) === "ENOENT" || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The rows are flat because a tree may be deeper than JSON can nest. */
function rowsOf(root: ScannedEntry): Rows {
  const rows: Rows = [];
  const pending = [{ depth: 0, name: "", entry: root }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { depth, name, entry } = next;
    rows.push(depth, name, LETTERS[entry.kind], entry.mode);
    if (entry.below === null) rows.push(entry.ctimeMs, entry.ino, entry.size);
    else
      for (const [below, child] of entry.below) pending.push({ depth: depth + 1, name: below, entry: child });
  }
  return rows;
}

function treeOf(rows: Rows): ScannedEntry {
  /** The latest entry of each depth. */
  const latest: ScannedEntry[] = [];
  const values = rows.values();
  const next = <T>(): T => values.next().value as T;
  for (let depth = next<number | undefined>(); depth !== undefined; depth = next()) {
    const name = next<string>();
    const kind = KINDS[next<keyof typeof KINDS>()];
    const mode = next<number>();
    const entry: ScannedEntry =
      kind === "directory"
        ? createScannedDirectory(mode, new Map())
        : { kind, below: null, mode, ctimeMs: next(), ino: next(), size: next() };
    latest[depth - 1]?.below?.set(name, entry);
    latest[depth] = entry;
  }
  return latest[0]!;
}
