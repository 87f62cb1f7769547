// Looks into a tree by canonical paths, from an open directory. No link is followed, and the paths may be
// of any length: it goes from directory to directory, with one open at a time.
import fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { createCursor } from "../cursor.ts";
import { decodeName, showName } from "../names.ts";
import { O_RDONLY, readBytes, withOpenFile } from "../open-file.ts";
import { explaining } from "../os-error.ts";
import { childPath, openChild } from "../paths.ts";
import { kindOf, type NamedKind, readNames } from "../tree.ts";
import type { Side } from "./changes.ts";
import { joinPath, namesBelow, splitPath } from "./path-names.ts";

export interface Looked {
  readonly side: Side;
  /** How many names it has. */
  readonly links: number;
}

export interface TreeReader {
  list(directory: string): NamedKind[];
  /** Null when nothing is there. */
  look(path: string): Looked | null;
  /** The same; also of the directory that it started in. */
  stat(path: string): fs.Stats | null;
  /** Opens the regular file there. */
  withFile<T>(path: string, work: (fd: number) => T): T;
  /** The whole file. */
  read(path: string): Buffer;
  close(): void;
}

/** Starts in an open directory, which stays the caller's. */
export function openTreeReader(root: number): TreeReader {
  const cursor = explaining("open", ".", () => createCursor(root));
  let here = "";

  const goTo = (directory: string): number => {
    let names = namesBelow(here, directory);
    for (; names === null; names = namesBelow(here, directory)) {
      cursor.up();
      here = splitPath(here).directory;
    }
    for (const name of names) {
      cursor.down(name);
      here = joinPath(here, name);
    }
    return cursor.fd;
  };

  /** Works in the directory that holds the path. */
  const at = <T>(action: string, path: string, work: (dir: number, name: string) => T): T =>
    explaining(action, path, () => {
      const { directory, name } = splitPath(path);
      return work(goTo(directory), name);
    });

  const withFile = <T>(path: string, work: (fd: number) => T): T =>
    at("read", path, (dir, name) => {
      const fd = openChild(dir, name);
      try {
        return withOpenFile({ fd, stat: fs.fstatSync(fd) }, path, O_RDONLY, work);
      } finally {
        fs.closeSync(fd);
      }
    });

  return {
    list: (directory) => explaining("list", directory || ".", () => readNames(goTo(directory))),
    look: (path) => at("look at", path, lookAt),
    stat: (path) => at("look at", path, (dir, name) => tryStat(dir, name || ".")),
    withFile,
    read: (path) =>
      withFile(path, (fd) => {
        const { size } = fs.fstatSync(fd);
        if (size > LIMITS.maxPatchFileBytes) throw tooLarge(path, size);
        return readBytes(fd, path, LIMITS.maxPatchFileBytes);
      }),
    close: cursor.close,
  };
}

function lookAt(dir: number, name: string): Looked | null {
  const stat = tryStat(dir, name);
  if (stat === null) return null;
  const kind = kindOf(stat) ?? "device";
  const target = kind === "symlink" ? decodeName(fs.readlinkSync(childPath(dir, name), "buffer")) : null;
  const size = kind === "directory" ? 0 : stat.size;
  return { side: { kind, mode: stat.mode & 0o7777, size, target }, links: stat.nlink };
}

function tryStat(dir: number, name: string): fs.Stats | null {
  return fs.lstatSync(childPath(dir, name), { throwIfNoEntry: false }) ?? null;
}

function tooLarge(path: string, size: number): HotcellError {
  return new HotcellError(
    "FILE_TOO_LARGE",
    `Could not put "${showName(path)}" into a patch: it has ${size} bytes, the limit is ${LIMITS.maxPatchFileBytes}. Leave it out, or commit it.`,
    { path, size, maxBytes: LIMITS.maxPatchFileBytes },
  );
}
