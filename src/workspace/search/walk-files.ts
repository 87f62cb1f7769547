// Walks a tree depth first, in order of names, and returns its files in chunks. It follows no link.
import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { createCursor } from "../fs/cursor.ts";
import { osPath } from "../fs/names.ts";
import { joinPath } from "../fs/path-text.ts";
import { type NamedKind, type NamesIn, readNamesForTool, tryEnter } from "../fs/tree.ts";
import { compileFileGlobs } from "./file-globs.ts";
import { type IgnoreStack, isIgnored, NOTHING_IGNORED } from "./ignore/ignore-stack.ts";
import { readOuterRules, readRulesIn } from "./ignore-files.ts";
import { createSharedDirectories, startChunk, type WalkedChunk } from "./walk-chunk.ts";
import type { WalkOrder } from "./workers/messages.ts";

/** A chunk also ends after this many directories, so that results need not wait for the end of a tree without files. */
const MAX_CHUNK_DIRECTORIES = 256;
/** Directories with files stay open until the chunk is finished. */
const MAX_OPEN_DIRECTORIES = 32;
/** Characters for which the order of JavaScript's strings differs from byte order. */
const OUT_OF_ORDER = /[\uD800-\uFFFF]/;

export interface FileWalk {
  /** The next chunk of about this many files, or fewer if stopped; null at the end of the walk. */
  next(files: number, stopped: () => boolean): WalkedChunk | null;
  close(): void;
}

interface Level {
  /** Relative to the workspace. */
  readonly path: string;
  readonly rules: IgnoreStack;
  readonly names: readonly NamedKind[];
  /** The index of the next name. */
  index: number;
}

export interface FileWalkOptions extends WalkOrder {
  /** `readInOrder`, or a cache of it. */
  readonly namesIn: NamesIn;
}

export function createFileWalk(order: FileWalkOptions): FileWalk {
  const { fd, path: start, query, namesIn } = order;
  const isWanted = compileFilter(order);
  const directories = createSharedDirectories();
  const cursor = createCursor(fd, directories.release);
  const levels: Level[] = [];
  let chunk = startChunk(directories);

  const enter = (path: string, above: IgnoreStack): void => {
    const { fd: dir } = cursor;
    const stat = fs.fstatSync(dir);
    const names = tryNames(() => namesIn(dir, stat));
    if (names === null) chunk.unreadable++;
    const rules = query.ignored || names === null ? above : readRulesIn(dir, path, names, above);
    chunk.entered.push({ path, nlink: stat.nlink, ctimeMs: stat.ctimeMs });
    levels.push({ path, rules, names: names ?? [], index: 0 });
  };

  const goDown = ({ path, rules }: Level, name: string): void => {
    const below = joinPath(path, name);
    // No tool can name longer paths.
    if (below.length <= LIMITS.maxPathBytes && tryEnter(cursor, name)) enter(below, rules);
    else chunk.unreadable++;
  };

  const goUp = (): void => {
    levels.pop();
    if (levels.length > 0) cursor.up();
  };

  enter(start, query.ignored ? NOTHING_IGNORED : readOuterRules(order));
  return {
    next(files, stopped) {
      while (levels.length > 0 && chunk.files < files && !isFull(chunk) && !stopped()) {
        const level = levels.at(-1)!;
        const entry = level.names[level.index++];
        if (entry === undefined) goUp();
        else if (!isWanted(level, entry)) continue;
        else if (entry.kind === "file") chunk.add(cursor.fd, level.path, entry.name);
        else goDown(level, entry.name);
      }
      const made = chunk;
      chunk = startChunk(directories);
      return made.files + made.entered.length + made.unreadable === 0 ? null : made;
    },
    close() {
      chunk.close();
      cursor.close();
    },
  };
}

function isFull({ runs, entered }: WalkedChunk): boolean {
  return runs.length >= MAX_OPEN_DIRECTORIES || entered.length >= MAX_CHUNK_DIRECTORIES;
}

function compileFilter({ query, path: start }: WalkOrder): (level: Level, entry: NamedKind) => boolean {
  const globs = compileFileGlobs(query.globs);
  const { hidden } = query;
  const skipped = new Set(query.skipped);
  const belowStart = start === "" ? 0 : start.length + 1;
  return ({ path, rules }, { name, kind }) => {
    const isDirectory = kind === "directory";
    if (!isDirectory && kind !== "file") return false;
    if (name === ".git") return false;
    if (name.startsWith(".") && hidden !== "all" && (isDirectory || hidden === "none")) return false;
    if (isDirectory && skipped.has(name)) return false;
    const whole = joinPath(path, name);
    const below = whole.slice(belowStart);
    const passes = isDirectory ? globs.wantsDirectory(below, name) : globs.wantsFile(below, name);
    return passes && (query.ignored || !isIgnored(rules, whole, name, isDirectory));
  };
}

export function readInOrder(dir: number, stat: fs.Stats): readonly NamedKind[] {
  const names = readNamesForTool(dir, stat);
  return names.some(({ name }) => OUT_OF_ORDER.test(name)) ? names.sort(byBytes) : names;
}

/** Null if the names cannot be read or are too many. */
function tryNames(read: () => readonly NamedKind[]): readonly NamedKind[] | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof HotcellError || osErrorCode(error) !== undefined) return null;
    throw error;
  }
}

function byBytes(a: NamedKind, b: NamedKind): number {
  return Buffer.compare(bytesOf(a.name), bytesOf(b.name));
}

const bytesOf = (name: string): Buffer => Buffer.from(osPath(name));
