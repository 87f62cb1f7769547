// Putting what was written on the disk.
import fs from "node:fs";
import { promisify } from "node:util";
import { osErrorCode } from "../../core/errors.ts";
import { pathTo, type Spot } from "./no-follow.ts";
import { explainingLater } from "./os-error.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

export interface ToSync {
  /** What is being done to which path, for errors. */
  readonly action: string;
  readonly path: string;
  /** What the system may say to it without harm. */
  readonly ignored?: readonly string[];
  /** The descriptor is closed afterwards; null: there is nothing to sync. */
  open(): number | null;
}

/** So few small files are done by the time that other threads would have begun. */
const FEW = 3;
const SMALL_BYTES = 1024 * 1024;
/** So many are open at a time. */
const AT_ONCE = 32;
const fsync = promisify(fs.fsync);

/** In any order. Those that wait for the disk at the same time take hardly longer than one. */
export async function syncMany(all: readonly ToSync[]): Promise<void> {
  await whileSyncing(all.length, async (sync) => {
    for (const next of all) await sync(next);
  });
}

/** Works, and meanwhile what it hands over, so many, is put on the disk; all of it is when this returns. What fails ends the work when it hands over more. */
export async function whileSyncing(
  count: number,
  work: (sync: (next: ToSync) => Promise<void> | undefined) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const sync = (next: ToSync): Promise<void> | undefined => {
    if (failures.length > 0) throw failures[0];
    const syncing = syncOne(next, count <= FEW)
      .catch((error) => void failures.push(error))
      .finally(() => underWay.delete(syncing));
    underWay.add(syncing);
    return underWay.size < AT_ONCE ? undefined : Promise.race(underWay);
  };
  try {
    await work(sync);
  } finally {
    await Promise.all(underWay);
  }
  if (failures.length > 0) throw failures[0];
}

function syncOne({ action, path, ignored = [], open }: ToSync, isFew: boolean): Promise<void> {
  return explainingLater(action, path, async () => {
    try {
      await openAndSync(open, isFew);
    } catch (error) {
      if (!ignored.includes(osErrorCode(error) ?? "")) throw error;
    }
  });
}

async function openAndSync(open: ToSync["open"], isFew: boolean): Promise<void> {
  const fd = open();
  if (fd === null) return;
  try {
    if (isFew && fs.fstatSync(fd).size <= SMALL_BYTES) fs.fsyncSync(fd);
    else await fsync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** A regular file. A link needs no sync: it is there with its directory. */
export function openToSync(spot: Spot): number {
  return fs.openSync(pathTo(spot), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
}

/** Some file systems have nothing to do here and say so; a directory that may not be read can't be synced. */
export const NOT_FOR_DIRECTORIES: readonly string[] = ["EINVAL", "EACCES"];

export function openDirectory(at: string): number {
  return fs.openSync(at, O_RDONLY | O_DIRECTORY);
}

export function syncDirectory(at: string): void {
  try {
    const fd = openDirectory(at);
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    if (!NOT_FOR_DIRECTORIES.includes(osErrorCode(error) ?? "")) throw error;
  }
}
