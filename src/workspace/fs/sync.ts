// Makes written files durable.
import fs from "node:fs";
import { promisify } from "node:util";
import { osErrorCode } from "../../core/errors.ts";
import { type EntryRef, entryPath } from "./no-follow.ts";
import { explainAsyncErrors } from "./os-error.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

export interface ToSync {
  /** The action and its path, for error messages. */
  readonly action: string;
  readonly path: string;
  /** Error codes that are harmless. */
  readonly ignored?: readonly string[];
  /** `withSyncing` closes the descriptor. Null if there is nothing to sync. */
  open(): number | null;
}

/** So few small files are synced before other threads would have started. */
const FEW = 3;
const SMALL_BYTES = 1024 * 1024;
/** The maximum number of open files. */
const AT_ONCE = 32;
const fsync = promisify(fs.fsync);

/** In any order. Syncs that wait for the disk together take hardly longer than one. */
export async function syncMany(all: readonly ToSync[]): Promise<void> {
  await withSyncing(all.length, async (sync) => {
    for (const next of all) await sync(next);
  });
}

/** Runs `work`, and meanwhile syncs the `count` files that it passes to `sync`. All are durable when this returns. After a failure, the next call of `sync` throws. */
export async function withSyncing(
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
  return explainAsyncErrors(action, path, async () => {
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

/** For a regular file. A link needs no sync of its own: its directory's sync makes it durable. */
export function openToSync(ref: EntryRef): number {
  return fs.openSync(entryPath(ref), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
}

/** EINVAL: some file systems cannot sync directories and need not. EACCES: an unreadable directory cannot be synced. */
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
