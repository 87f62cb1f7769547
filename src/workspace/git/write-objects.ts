// Writes objects of the session into the project's repository. The project gets hotcell's own compression of checked
// content, never a file of the session.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import zlib from "node:zlib";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { createFile, writeAll } from "../fs/atomic-write.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import { atExactPath, type EntryRef, entryExists, entryPath } from "../fs/no-follow.ts";
import { chownNew, ownerOfNew } from "../fs/owner.ts";
import { fdPath, type Root } from "../fs/paths.ts";
import { syncDirectory } from "../fs/sync.ts";
import { type ObjectName, readLooseObject } from "./loose-object.ts";
import type { ObjectSources } from "./new-objects.ts";
import { loosePath } from "./project-objects.ts";

/** In the given order, so that at any time each object in the project has all objects that it names. */
export function* writeObjects(
  names: readonly ObjectName[],
  project: Root,
  { view, format }: Pick<ObjectSources, "view" | "format">,
): Cooperative<void> {
  for (const name of names) {
    writeObject(project, name.id, readLooseObject(view, name, format).bytes);
    yield;
  }
}

function writeObject(project: Root, id: string, bytes: Buffer): void {
  makeDirectories(project, loosePath(id));
  atExactPath(project, loosePath(id), (ref) => {
    if (typeof ref === "string") throw blockedError(loosePath(id));
    // git removes abandoned files of this name.
    const temporary = { dir: ref.dir, name: `tmp_obj_${randomBytes(6).toString("hex")}` };
    writeNew(project, temporary, zlib.deflateSync(bytes, { level: 1 }), 0o444);
    linkNew(temporary, ref);
  });
}

/** Creates and syncs a file that did not exist. */
export function writeNew(project: Root, ref: EntryRef, bytes: Buffer, mode: number | null): void {
  createFile(entryPath(ref), { mode, owner: ownerOfNew(project.fd) }, (fd) => {
    writeAll(fd, bytes);
    fs.fsyncSync(fd);
  });
}

/** Gives a new file its final name, if that is free; whether it was. The file's first name is gone in any case. */
export function linkNew(from: EntryRef, to: EntryRef): boolean {
  try {
    fs.linkSync(entryPath(from), entryPath(to));
    return true;
  } catch (error) {
    if (osErrorCode(error) !== "EEXIST") throw error;
    return false;
  } finally {
    fs.unlinkSync(entryPath(from));
    syncDirectory(fdPath(to.dir));
  }
}

/** Creates the missing directories above a path. Follows no link. */
export function makeDirectories(project: Root, path: string): void {
  const names = path.split("/").slice(0, -1);
  for (const at of names.map((_, last) => names.slice(0, last + 1).join("/"))) {
    atExactPath(project, at, (ref) => {
      if (typeof ref === "string") throw blockedError(at);
      if (!entryExists(ref)) makeDirectory(project, ref);
    });
  }
}

function makeDirectory(project: Root, ref: EntryRef): void {
  const began = Date.now();
  const owner = ownerOfNew(project.fd);
  fs.mkdirSync(entryPath(ref));
  if (owner !== null) chownNew(ref.dir, ref.name, owner, began);
  syncDirectory(fdPath(ref.dir));
}

export function blockedError(path: string): HotcellError {
  return new HotcellError("ALREADY_EXISTS", `Could not write "${path}": a parent of it is not a directory.`, {
    path,
  });
}
