import fs from "node:fs";
import { copyFile } from "../commit/copy-file.ts";
import { atExactly } from "../commit/exactly.ts";
import { type Cursor, createCursor } from "../cursor.ts";
import { explainingPieces } from "../os-error.ts";
import { ownerOfReplaced } from "../owner.ts";
import { childPath, openChild, type Root } from "../paths.ts";
import type { Pieces } from "../pieces.ts";
import { tourTree } from "../tree.ts";
import { makeDirectory, makeLink } from "../tree-change.ts";
import { kindAt, makeAlike } from "./alike.ts";
import { removeSpot } from "./remove-spot.ts";

const CARRIED = new Set(["file", "symlink", "directory"]);

/**
 * Makes what is at a canonical path of one tree be what is there in another: nothing, a file, a link, or a
 * directory with all below it. What stands in the way goes. A special file counts as nothing, and so does what
 * is to be left out; a directory's path ends in `/`.
 */
export function transplant(
  from: Root,
  to: Root,
  at: string,
  leavesOut: (path: string) => boolean,
): Pieces<void> {
  return explainingPieces("put back", at, put(from, to, at, leavesOut));
}

function* put(from: Root, to: Root, at: string, leavesOut: (path: string) => boolean): Pieces<void> {
  if (isCarried(from, at) && !leavesOut(at)) yield* carry(from, to, at, leavesOut);
  else atExactly(to, at, (spot) => typeof spot === "string" || removeSpot(spot));
}

function isCarried(from: Root, at: string): boolean {
  return atExactly(from, at, (spot) => {
    const kind = typeof spot === "string" ? null : kindAt(spot.dir, spot.name);
    return kind !== null && CARRIED.has(kind);
  });
}

function* carry(from: Root, to: Root, at: string, leavesOut: (path: string) => boolean): Pieces<void> {
  const way = at.split("/");
  const name = way.pop()!;
  const source = createCursor(from.fd);
  const target = createCursor(to.fd);
  try {
    let made = 0;
    for (const step of way) if (followInto(source, target, step)) made++;
    removeSpot({ dir: target.fd, name });
    yield* copy(source, target, name, (trail) => leavesOut([at, ...trail].join("/")));
    for (; made > 0; made--) leaveAlike(source, target);
  } finally {
    source.close();
    target.close();
  }
}

/** True when the directory had to be made. */
function followInto(source: Cursor, target: Cursor, name: string): boolean {
  source.down(name);
  const isMissing = kindAt(target.fd, name) !== "directory";
  if (isMissing) {
    removeSpot({ dir: target.fd, name });
    makeDirectory(target.fd, name, ownerOfReplaced(fs.fstatSync(source.fd)));
  }
  target.down(name);
  return isMissing;
}

function leaveAlike(source: Cursor, target: Cursor): void {
  makeAlike(target.fd, fs.fstatSync(source.fd));
  source.up();
  target.up();
}

type LeavesOut = (trail: readonly string[]) => boolean;

function* copy(source: Cursor, target: Cursor, name: string, leavesOut: LeavesOut): Pieces<void> {
  if (kindAt(source.fd, name) === "directory") yield* copyTree(source, target, name, leavesOut);
  else yield* copyEntry(source.fd, target.fd, name);
}

function* copyTree(source: Cursor, target: Cursor, name: string, leavesOut: LeavesOut): Pieces<void> {
  followInto(source, target, name);
  const stats: fs.Stats[] = [];
  const enters = (trail: readonly string[]) => !leavesOut([...trail, ""]);
  for (const { step, dir, name: below, trail } of tourTree(source.fd, { temporary: true, enters })) {
    if (step === "entry" && !leavesOut(trail)) yield* copyEntry(dir, target.fd, below);
    if (step === "enter") {
      stats.push(fs.fstatSync(dir));
      makeDirectory(target.fd, below, ownerOfReplaced(stats.at(-1)!));
      target.down(below);
    }
    if (step === "leave") {
      makeAlike(target.fd, stats.pop()!);
      target.up();
    }
  }
  leaveAlike(source, target);
}

function* copyEntry(from: number, to: number, name: string): Pieces<void> {
  const fd = openChild(from, name);
  try {
    const stat = fs.fstatSync(fd);
    const owner = ownerOfReplaced(stat);
    if (stat.isFile()) yield* copyFile({ fd, stat }, { dir: to, name }, { mode: stat.mode & 0o7777, owner });
    if (stat.isSymbolicLink()) makeLink(fs.readlinkSync(childPath(from, name), "buffer"), to, name, owner);
  } finally {
    fs.closeSync(fd);
  }
}
