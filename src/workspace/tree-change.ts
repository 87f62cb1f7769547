// Making, copying and removing trees of any depth. Every name is used in an open directory, so a
// directory that is swapped for a link meanwhile leads nowhere else.
import fs from "node:fs";
import { osErrorCode } from "../core/errors.ts";
import { createFile } from "./atomic-write.ts";
import { createCursor } from "./cursor.ts";
import { copyBytes, O_RDONLY, withOpenFile } from "./open-file.ts";
import type { Owner } from "./owner.ts";
import { childPath, type Found, fdPath, openChild } from "./paths.ts";
import { tourTree } from "./tree.ts";

/** Content with it when something of that name is there: whoever goes down into it finds out what. */
export function makeDirectory(dir: number, name: string, owner: Owner | null): void {
  try {
    fs.mkdirSync(childPath(dir, name));
  } catch (error) {
    if (osErrorCode(error) === "EEXIST") return;
    throw error;
  }
  if (owner !== null) fs.lchownSync(childPath(dir, name), owner.uid, owner.gid);
}

export function removeBelow(dir: number): void {
  for (const { step, dir: holder, name } of tourTree(dir, { temporary: true })) {
    if (step === "entry") fs.unlinkSync(childPath(holder, name));
    if (step === "leave") fs.rmdirSync(childPath(holder, name));
  }
}

/** Copies a directory and what is below it to a new one. Special files are left out. */
export function copyTree(from: Found, dir: number, name: string, owner: Owner | null): void {
  const target = createCursor(dir);
  const modes: number[] = [];
  const enter = (child: string, mode: number) => {
    makeDirectory(target.fd, child, owner);
    target.down(child);
    modes.push(mode & 0o777);
  };
  // The mode comes last: a directory that may not be written has to be filled first.
  const finish = () => fs.chmodSync(fdPath(target.fd), modes.pop()!);
  try {
    enter(name, from.stat.mode);
    for (const { step, dir: holder, name: child } of tourTree(from.fd)) {
      if (step === "enter") enter(child, fs.fstatSync(holder).mode);
      if (step === "entry") copyEntry(holder, target.fd, child, owner);
      if (step !== "leave") continue;
      finish();
      target.up();
    }
    finish();
  } finally {
    target.close();
  }
}

function copyEntry(from: number, to: number, name: string, owner: Owner | null): void {
  const target = childPath(to, name);
  const fd = openChild(from, name);
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isFile()) copyFile({ fd, stat }, name, target, owner);
    if (!stat.isSymbolicLink()) return;
    fs.symlinkSync(fs.readlinkSync(childPath(from, name), "buffer"), target);
    if (owner !== null) fs.lchownSync(target, owner.uid, owner.gid);
  } finally {
    fs.closeSync(fd);
  }
}

function copyFile(from: Found, name: string, target: string | Buffer, owner: Owner | null): void {
  withOpenFile(from, name, O_RDONLY, (source) =>
    createFile(target, { mode: from.stat.mode, owner }, (fd) => copyBytes(source, name, fd)),
  );
}
