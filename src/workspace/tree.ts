import fs from "node:fs";
import { osErrorCode } from "../core/errors.ts";
import { createCursor } from "./cursor.ts";
import { decodeName } from "./names.ts";
import { childPath, fdPath, TEMP_PREFIX } from "./paths.ts";
import type { FileKind } from "./workspace-fs.ts";

export interface NamedKind {
  readonly name: string;
  readonly kind: FileKind;
}

/** One step of a tour through a tree. `dir` is open until the next step: the directory that holds `name`, or on `enter` the one entered. */
export interface TreeStep extends NamedKind {
  readonly step: "entry" | "enter" | "leave";
  readonly dir: number;
  /** Relative to where the tour began. */
  readonly path: string;
}

/** Visits everything below an open directory, in order of names, following no link: an `enter` and a `leave` for each directory, one `entry` for one that is not to be entered. */
export function* tourTree(
  start: number,
  enters: (path: string) => boolean = () => true,
): Generator<TreeStep, void, void> {
  const cursor = createCursor(start);
  const levels: { names: NamedKind[]; path: string }[] = [
    { names: readNames(cursor.fd).reverse(), path: "" },
  ];
  const trail: NamedKind[] = [];
  try {
    while (levels.length > 0) {
      const level = levels[levels.length - 1]!;
      const next = level.names.pop();
      if (next === undefined) {
        levels.pop();
        const left = trail.pop();
        if (left === undefined) return;
        cursor.up();
        yield { ...left, step: "leave", dir: cursor.fd, path: level.path };
        continue;
      }
      const path = level.path === "" ? next.name : `${level.path}/${next.name}`;
      if (next.kind !== "directory" || !enters(path)) {
        yield { ...next, step: "entry", dir: cursor.fd, path };
        continue;
      }
      if (!tryDown(cursor, next.name)) continue;
      yield { ...next, step: "enter", dir: cursor.fd, path };
      trail.push(next);
      levels.push({ names: readNames(cursor.fd).reverse(), path });
    }
  } finally {
    cursor.close();
  }
}

/** False when the directory is gone or no directory any more: the tree lives while it is visited. */
function tryDown(cursor: { down(name: string): void }, name: string): boolean {
  try {
    cursor.down(name);
    return true;
  } catch (error) {
    const code = osErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return false;
    throw error;
  }
}

/** The names in an open directory, sorted, without hotcell's own temporary files. */
export function readNames(dir: number): NamedKind[] {
  const names = readDirectory(dir).filter(({ name }) => !name.startsWith(TEMP_PREFIX));
  return names.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readDirectory(dir: number): NamedKind[] {
  const entries = fs.readdirSync(fdPath(dir), { withFileTypes: true });
  if (!entries.some((entry) => entry.name.includes("\uFFFD")))
    return entries.map((entry) => named(dir, entry.name, entry));
  const raw = fs.readdirSync(fdPath(dir), { withFileTypes: true, encoding: "buffer" });
  return raw.map((entry) => named(dir, decodeName(entry.name), entry));
}

function named(dir: number, name: string, entry: Kinds): NamedKind {
  return { name, kind: kindOf(entry) ?? kindOf(fs.lstatSync(childPath(dir, name))) ?? "device" };
}

interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
  isBlockDevice(): boolean;
  isCharacterDevice(): boolean;
}

/** Undefined where the file system does not tell the kind with the name. */
export function kindOf(entry: Kinds): FileKind | undefined {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  if (entry.isSymbolicLink()) return "symlink";
  if (entry.isFIFO()) return "fifo";
  if (entry.isSocket()) return "socket";
  if (entry.isBlockDevice() || entry.isCharacterDevice()) return "device";
  return undefined;
}
