// How preview1 writes kinds, stats and times.
import type { EntryStat, EntryTimes, FileKind } from "../../../workspace/files/workspace-fs.ts";
import { fault } from "./errno.ts";
import type { GuestMemory } from "./memory.ts";

/** Preview1 has no number for a FIFO. */
const KINDS: ReadonlyMap<FileKind, number> = new Map([
  ["directory", 3],
  ["file", 4],
  ["socket", 6],
  ["symlink", 7],
  ["device", 2],
]);
export const UNKNOWN_KIND = 0;

export const kindNumber = (kind: FileKind): number => KINDS.get(kind) ?? UNKNOWN_KIND;

export const STREAM_STAT: Omit<EntryStat, "kind"> = {
  size: 0n,
  inode: 0n,
  device: 0n,
  links: 1n,
  accessed: 0n,
  modified: 0n,
  changed: 0n,
};

export function putStat(memory: GuestMemory, at: number, kind: number, stat: Omit<EntryStat, "kind">): void {
  const view = memory.view(at, 64);
  const values = [
    stat.device,
    stat.inode,
    BigInt(kind),
    stat.links,
    stat.size,
    stat.accessed,
    stat.modified,
    stat.changed,
  ];
  values.forEach((value, index) => {
    view.setBigUint64(index * 8, BigInt.asUintN(64, value), true);
  });
}

/** The flags say for each time: leave it, take the one given, or take the present. */
export function timesOf(accessed: bigint, modified: bigint, flags: number, now: () => bigint): EntryTimes {
  const [ACCESSED, ACCESSED_NOW, MODIFIED, MODIFIED_NOW] = [1, 2, 4, 8];
  const has = (flag: number) => (flags & flag) !== 0;
  const isAmbiguous = (has(ACCESSED) && has(ACCESSED_NOW)) || (has(MODIFIED) && has(MODIFIED_NOW));
  if (isAmbiguous || (flags & ~15) !== 0) fault("EINVAL");
  const choose = (given: bigint, isGiven: boolean, isNow: boolean) =>
    isNow ? now() : isGiven ? given : null;
  return {
    accessed: choose(accessed, has(ACCESSED), has(ACCESSED_NOW)),
    modified: choose(modified, has(MODIFIED), has(MODIFIED_NOW)),
  };
}
