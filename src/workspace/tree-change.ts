// Making, copying and removing trees of any depth. Every name is used in an open directory, so a
// directory that is swapped for a link meanwhile leads nowhere else.
import fs from "node:fs";
import { osErrorCode } from "../core/errors.ts";
import type { Owner } from "./atomic-write.ts";
import { createCursor } from "./cursor.ts";
import { childPath, fdPath, openChild } from "./paths.ts";
import { tourTree } from "./tree.ts";

const { COPYFILE_EXCL, COPYFILE_FICLONE } = fs.constants;

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
  for (const { step, dir: holder, name } of tourTree(dir)) {
    if (step === "entry") fs.unlinkSync(childPath(holder, name));
    if (step === "leave") fs.rmdirSync(childPath(holder, name));
  }
}

/** Copies what is below the directory `from` into a new directory. Special files are left out. */
export function copyTree(from: number, dir: number, name: string, owner: Owner | null): void {
  makeDirectory(dir, name, owner);
  const target = createCursor(dir);
  try {
    target.down(name);
    for (const { step, dir: holder, name: child } of tourTree(from)) {
      if (step === "entry") copyEntry(holder, target.fd, child, owner);
      if (step === "leave") target.up();
      if (step === "enter") {
        makeDirectory(target.fd, child, owner);
        target.down(child);
      }
    }
  } finally {
    target.close();
  }
}

function copyEntry(from: number, to: number, name: string, owner: Owner | null): void {
  const target = childPath(to, name);
  const source = openChild(from, name);
  try {
    const stat = fs.fstatSync(source);
    if (stat.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(childPath(from, name), "buffer"), target);
    else if (stat.isFile()) fs.copyFileSync(fdPath(source), target, COPYFILE_EXCL | COPYFILE_FICLONE);
    else return;
    if (owner !== null) fs.lchownSync(target, owner.uid, owner.gid);
  } finally {
    fs.closeSync(source);
  }
}
