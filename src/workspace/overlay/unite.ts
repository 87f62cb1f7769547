// Many layers become two directories that show the same over whatever lies below them, now and later:
// `united` with all that the layers have, and under it `ends` with a whiteout for each directory that is not
// to be one with what the project has there. Files are shared with the layers, not copied.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { type Cursor, createCursor } from "../cursor.ts";
import { childPath } from "../paths.ts";
import { type TourOptions, type TreeStep, tourTree } from "../tree.ts";
import { makeDirectory } from "../tree-change.ts";
import { kindAt, makeAlike, takeOver, unlock } from "./alike.ts";
import { createPace, type Pace } from "./pace.ts";
import type { MakeWhiteout } from "./whiteout.ts";

/**
 * Node can't read the attribute by which a directory of a layer hides those below it. So each directory that
 * the layers have is made in a tree of its own, with a marker in it: mounted over that tree, they show the
 * markers of those that hide nothing.
 */
export async function makeMarkers(layers: readonly string[], at: string, marker: string): Promise<void> {
  fs.mkdirSync(at);
  const pace = createPace();
  const cursor = openCursor(at);
  try {
    for (const layer of layers) await addMarkers(layer, cursor, marker, pace);
  } finally {
    cursor.close();
  }
}

async function addMarkers(layer: string, cursor: Cursor, marker: string, pace: Pace): Promise<void> {
  for (const { step, name } of tourLayer(layer)) {
    await pace();
    if (step === "leave") cursor.up();
    if (step !== "enter") continue;
    const isNew = kindAt(cursor.fd, name) === null;
    makeDirectory(cursor.fd, name, null);
    cursor.down(name);
    if (isNew) fs.symlinkSync(marker, childPath(cursor.fd, marker));
  }
}

export interface MarkedView {
  /** The layers, mounted over their markers. */
  readonly fd: number;
  readonly marker: string;
}

/** Takes the paths of the layers, topmost first. */
export async function uniteLayers(
  layers: readonly string[],
  at: string,
  { fd, marker }: MarkedView,
  makeWhiteout: MakeWhiteout,
): Promise<void> {
  for (const dir of [at, path.join(at, "united"), path.join(at, "ends")]) fs.mkdirSync(dir);
  const united = openCursor(path.join(at, "united"));
  const seen = createCursor(fd);
  const end = (trail: readonly string[]) => makeEnd(path.join(at, "ends"), trail, makeWhiteout);
  const uniting = { united, seen, marker, end, makeWhiteout, pace: createPace() };
  try {
    takeOver(united.fd, fs.statSync(layers[0]!));
    for (const layer of layers) await addLayer(layer, uniting);
  } finally {
    united.close();
    seen.close();
  }
}

interface Uniting {
  readonly united: Cursor;
  readonly seen: Cursor;
  readonly marker: string;
  readonly end: (trail: readonly string[]) => void;
  readonly makeWhiteout: MakeWhiteout;
  readonly pace: Pace;
}

interface Level {
  /** What the project has there is seen. */
  readonly isOpen: boolean;
  readonly stat: fs.Stats;
}

/** Adds what a layer has and those above it have not. */
async function addLayer(layer: string, uniting: Uniting): Promise<void> {
  const { united, seen, makeWhiteout, pace } = uniting;
  const levels: Level[] = [{ isOpen: true, stat: unlock(united.fd) }];
  const enters = (trail: readonly string[]) => kindAt(seen.fd, trail.at(-1)!) === "directory";
  for (const { step, dir, name, kind, trail } of tourLayer(layer, enters)) {
    await pace();
    const { isOpen, stat } = levels.at(-1)!;
    if (step === "enter") levels.push(enter(dir, trail, isOpen, uniting));
    if (step === "leave") {
      makeAlike(united.fd, stat);
      levels.pop();
      united.up();
      seen.up();
    }
    // What is not seen is a whiteout; in a directory that hides the project, there is no need for it.
    if (step === "entry" && kind !== "directory" && (isOpen || kindAt(seen.fd, name) !== null)) {
      shareUnlessThere(dir, united.fd, name, makeWhiteout);
    }
  }
  makeAlike(united.fd, levels[0]!.stat);
}

function enter(dir: number, trail: readonly string[], wasOpen: boolean, uniting: Uniting): Level {
  const { united, seen, marker, end } = uniting;
  const name = trail.at(-1)!;
  const isNew = kindAt(united.fd, name) === null;
  if (isNew) fs.mkdirSync(childPath(united.fd, name));
  united.down(name);
  seen.down(name);
  if (isNew) takeOver(united.fd, fs.fstatSync(dir));
  const isOpen = wasOpen && kindAt(seen.fd, marker) !== null;
  if (isNew && wasOpen && !isOpen) end(trail);
  return { isOpen, stat: unlock(united.fd) };
}

/** The kernel makes one whiteout with many names, until it can have no more. */
function shareUnlessThere(from: number, to: number, name: string, makeWhiteout: MakeWhiteout): void {
  try {
    fs.linkSync(childPath(from, name), childPath(to, name));
  } catch (error) {
    const isFull = osErrorCode(error) === "EMLINK" && kindAt(from, name) === "device";
    if (isFull) makeWhiteout(to, name);
    else if (osErrorCode(error) !== "EEXIST") throw error;
  }
}

function makeEnd(ends: string, trail: readonly string[], makeWhiteout: MakeWhiteout): void {
  const cursor = openCursor(ends);
  try {
    for (const name of trail.slice(0, -1)) {
      makeDirectory(cursor.fd, name, null);
      cursor.down(name);
    }
    makeWhiteout(cursor.fd, trail.at(-1)!);
  } finally {
    cursor.close();
  }
}

function* tourLayer(layer: string, enters?: TourOptions["enters"]): Generator<TreeStep, void, void> {
  const start = openCursor(layer);
  try {
    yield* tourTree(start.fd, { temporary: true, ...(enters && { enters }) });
  } finally {
    start.close();
  }
}

function openCursor(at: string): Cursor {
  const fd = fs.openSync(at, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  try {
    return createCursor(fd);
  } finally {
    fs.closeSync(fd);
  }
}
