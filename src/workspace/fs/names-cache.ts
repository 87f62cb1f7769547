// A cache for listings of directories. A directory's own times show whether a cached listing is valid: they change
// whenever a name appears, vanishes, or is replaced.
import fs from "node:fs";
import { TIME_STEP_MS } from "./file-clock.ts";
import { childPath, fdPath } from "./paths.ts";
import type { NamedKind, NamesIn } from "./tree.ts";

const OVERLAYFS = 0x794c7630;
/** File systems with such directory times: ext2 to 4, XFS, btrfs, F2FS, ZFS, tmpfs. */
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

/** Whether directory times show every change of names, in the file system of an open directory. */
export function hasExactTimes(dir: number): boolean {
  return EXACT.has(fs.statfsSync(fdPath(dir)).type);
}

export function createNamesCache(read: NamesIn, now: () => number = Date.now): NamesIn {
  const known = new Map<number, Known>();
  /** By `dev` of an overlay: whether its directories keep their inode numbers. */
  const keepsNumbersByDev = new Map<number, boolean>();
  let count = 0;

  /** The times of a merged directory of an overlay show changes of its topmost layer only. Only merged directories have a link count of 1. */
  const showsChanges = (dir: number, { dev, ino, nlink }: fs.Stats, names: readonly NamedKind[]): boolean => {
    if (!Number.isSafeInteger(ino)) return false;
    // The type cannot be cached by `dev`: after an unmount, another file system may get the same number.
    const { type } = fs.statfsSync(fdPath(dir));
    if (type !== OVERLAYFS) return EXACT.has(type);
    if (nlink === 1) return false;
    const isStable = keepsNumbersByDev.get(dev) ?? keepsNumbers(dir, dev, names);
    if (isStable !== null) keepsNumbersByDev.set(dev, isStable);
    return isStable === true;
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
    if (isSettled && showsChanges(dir, stat, names)) keep(ino, { dev, nlink, ctimeMs, mtimeMs, names });
    return names;
  };
}

/** An overlay over several file systems may renumber its directories at each mount. In that case its files have another `dev`. Null if no file shows it. */
function keepsNumbers(dir: number, dev: number, names: readonly NamedKind[]): boolean | null {
  const other = names.find(({ kind }) => kind !== "directory");
  if (other === undefined) return null;
  try {
    return fs.lstatSync(childPath(dir, other.name)).dev === dev;
  } catch {
    return null;
  }
}
