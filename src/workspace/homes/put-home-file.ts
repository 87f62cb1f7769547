// Puts a copy of a file of the user into a home. An earlier program may have left links, directories or files without
// rights there: the way is walked name by name, and no link is followed.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { openNewFile, writeAll } from "../fs/atomic-write.ts";
import { allowOwner } from "../fs/metadata.ts";
import type { Owner } from "../fs/owner.ts";
import { childPath, openChildDirectory, openRoot } from "../fs/paths.ts";
import { makeDirectory } from "../fs/tree-change.ts";
import { explainHomeFailure } from "./homes.ts";

export interface HomeFile {
  /** Names from the home, with "/" between them. */
  readonly path: string;
  readonly content: Uint8Array;
}

/** Replaces what is there. The program may read the copy, not write it. */
export function putHomeFile(directory: string, { path, content }: HomeFile, owner: Owner): void {
  const names = path.split("/");
  const name = names.pop()!;
  const root = openRoot(directory);
  let dir = root.fd;
  try {
    for (const parent of names) {
      const next = enterDirectory(dir, parent, owner);
      fs.closeSync(dir);
      dir = next;
    }
    replaceEntry(dir, name, content, owner);
  } catch (error) {
    throw isBlocked(error) ? blocked(path) : explainHomeFailure(error, `put ${quote(path)} into the home`);
  } finally {
    fs.closeSync(dir);
  }
}

/** Whether the home has an entry of this name, of any kind. */
export function hasHomeEntry(directory: string, name: string): boolean {
  return fs.lstatSync(`${directory}/${name}`, { throwIfNoEntry: false }) !== undefined;
}

function enterDirectory(dir: number, name: string, owner: Owner): number {
  const asRoot = process.geteuid?.() === 0;
  if (fs.lstatSync(childPath(dir, name), { throwIfNoEntry: false }) === undefined)
    makeDirectory(dir, name, asRoot ? owner : null);
  const fd = openChildDirectory(dir, name);
  if (!asRoot) allowOwner(fd, 0o700);
  return fd;
}

function replaceEntry(dir: number, name: string, content: Uint8Array, owner: Owner): void {
  const temporary = childPath(dir, `.hotcell-${randomBytes(8).toString("hex")}`);
  const fd = openNewFile(temporary, { mode: 0o400, owner: process.geteuid?.() === 0 ? owner : null });
  try {
    writeAll(fd, content);
    fs.renameSync(temporary, childPath(dir, name));
  } catch (error) {
    fs.unlinkSync(temporary);
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

/** The last name is a directory, or one before it is a link or a file. */
function isBlocked(error: unknown): boolean {
  return ["EISDIR", "ENOTDIR", "ELOOP", "ENOTEMPTY", "EEXIST"].includes(osErrorCode(error) ?? "");
}

function blocked(path: string): HotcellError {
  const message = `Could not put ${quote(path)} into the home: the home has a link or something else at this place. To begin with an empty home: hotcell run --forget`;
  return new HotcellError("PRECONDITION_FAILED", message);
}
