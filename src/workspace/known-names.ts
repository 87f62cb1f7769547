// The names in directories that were listed before. Each time the directory itself says whether they are still right:
// its times change with every name that comes, goes, or becomes something else.
import fs from "node:fs";
import { fdPath } from "./paths.ts";
import type { NamedKind, NamesIn } from "./tree.ts";

const OVERLAYFS = 0x794c7630;
/** File systems that keep a directory's times so: ext2 to 4, XFS, btrfs, F2FS, ZFS, tmpfs, overlayfs. */
const EXACT = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, OVERLAYFS]);
/** Two changes may have the same time: what changed so short before it was listed may have changed again unseen. */
const SETTLED_MS = 3000;
const MAX_NAMES = 150_000;

interface Known {
  readonly dev: number;
  readonly ctimeMs: number;
  readonly mtimeMs: number;
  readonly names: readonly NamedKind[];
}

export function rememberNames(read: NamesIn, now: () => number = Date.now): NamesIn {
  const known = new Map<number, Known>();
  const types = new Map<number, number>();
  let count = 0;

  const typeOf = (dir: number, dev: number): number => {
    const type = types.get(dev) ?? fs.statfsSync(fdPath(dir)).type;
    types.set(dev, type);
    return type;
  };
  /** In an overlay one that several layers make up tells of the topmost alone; of one link are only these. */
  const tellsChanges = (dir: number, { dev, ino, nlink }: fs.Stats): boolean => {
    if (!Number.isSafeInteger(ino)) return false;
    const type = typeOf(dir, dev);
    return EXACT.has(type) && (type !== OVERLAYFS || nlink > 1);
  };
  const keep = (ino: number, fresh: Known): void => {
    if (count + fresh.names.length > MAX_NAMES) {
      known.clear();
      count = 0;
    }
    count += fresh.names.length - (known.get(ino)?.names.length ?? 0);
    known.set(ino, fresh);
  };

  return (dir, stat) => {
    const { dev, ino, ctimeMs, mtimeMs } = stat;
    const found = known.get(ino);
    const isSame = found?.dev === dev && found.ctimeMs === ctimeMs && found.mtimeMs === mtimeMs;
    if (isSame && tellsChanges(dir, stat)) return found.names;
    const isSettled = Math.max(ctimeMs, mtimeMs) < now() - SETTLED_MS;
    const names = read(dir, stat);
    if (isSettled && tellsChanges(dir, stat)) keep(ino, { dev, ctimeMs, mtimeMs, names });
    return names;
  };
}
