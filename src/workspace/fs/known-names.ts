// The names in directories that were listed before. Each time the directory itself says whether they are still right:
// its times change with every name that comes, goes, or becomes something else.
import fs from "node:fs";
import { TIME_STEP_MS } from "./file-clock.ts";
import { childPath, fdPath } from "./paths.ts";
import type { NamedKind, NamesIn } from "./tree.ts";

const OVERLAYFS = 0x794c7630;
/** File systems that keep a directory's times so: ext2 to 4, XFS, btrfs, F2FS, ZFS, tmpfs. */
const EXACT = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994]);
/** A directory counts as one more. */
const MAX_NAMES = 150_000;

interface Known {
  readonly dev: number;
  readonly nlink: number;
  readonly ctimeMs: number;
  readonly mtimeMs: number;
  readonly names: readonly NamedKind[];
}

/** Whether the times of directories tell of every change in them, in the file system that an open one is in. */
export function tellsByTimes(dir: number): boolean {
  return EXACT.has(fs.statfsSync(fdPath(dir)).type);
}

export function rememberNames(read: NamesIn, now: () => number = Date.now): NamesIn {
  const known = new Map<number, Known>();
  /** Overlays that keep the numbers of their directories, or don't. */
  const lasting = new Map<number, boolean>();
  let count = 0;

  /** In an overlay one that several layers make up tells of the topmost alone; of one link are only these. */
  const tellsChanges = (dir: number, { dev, ino, nlink }: fs.Stats, names: readonly NamedKind[]): boolean => {
    if (!Number.isSafeInteger(ino)) return false;
    // Not known by `dev`: when a file system is unmounted, the next one may get its number.
    const { type } = fs.statfsSync(fdPath(dir));
    if (type !== OVERLAYFS) return EXACT.has(type);
    if (nlink === 1) return false;
    const lasts = lasting.get(dev) ?? keepsNumbers(dir, dev, names);
    if (lasts !== null) lasting.set(dev, lasts);
    return lasts === true;
  };
  const keep = (ino: number, fresh: Known): void => {
    const before = known.get(ino);
    count += fresh.names.length - (before?.names.length ?? -1);
    if (count > MAX_NAMES) {
      known.clear();
      count = fresh.names.length + 1;
    }
    known.set(ino, fresh);
  };

  return (dir, stat) => {
    const { dev, ino, nlink, ctimeMs, mtimeMs } = stat;
    const found = known.get(ino);
    const isIt = found?.dev === dev && found.nlink === nlink;
    if (isIt && found.ctimeMs === ctimeMs && found.mtimeMs === mtimeMs) return found.names;
    const isSettled = Math.max(ctimeMs, mtimeMs) < now() - TIME_STEP_MS;
    const names = read(dir, stat);
    if (isSettled && tellsChanges(dir, stat, names)) keep(ino, { dev, nlink, ctimeMs, mtimeMs, names });
    return names;
  };
}

/** An overlay of several file systems may number its directories anew with each mount. Then its files have another `dev`. Null when no file tells. */
function keepsNumbers(dir: number, dev: number, names: readonly NamedKind[]): boolean | null {
  const other = names.find(({ kind }) => kind !== "directory");
  if (other === undefined) return null;
  try {
    return fs.lstatSync(childPath(dir, other.name)).dev === dev;
  } catch {
    return null;
  }
}
