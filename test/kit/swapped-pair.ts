// The two names that an attacker exchanges: a real file or directory, and a link that leads outside.
import fs from "node:fs";
import path from "node:path";
import type { PathRow } from "./worlds/path-fixture.ts";

/** A dead attacker must not block the test. */
const MOST_LOOKS = 1_000_000;
/** An exchange takes far less time. After this long the attacker is not scheduled, and may need our processor. */
const MOST_LOOKS_AT_ONCE = 100;
const PAUSE_MS = 0.1;

export interface SwappedPair {
  readonly names: readonly [string, string];
  /** Waits until the first name does not lead outside, so that a check would pass when an attempt begins. */
  awaitInside(): void;
  /** Recreates both after an attempt that may have removed them. */
  restore(): void;
  /** Whether the attempt removed the link, not the real entry. */
  onlyLinkIsGone(): boolean;
}

export function createSwappedPair(top: string, row: PathRow, restores?: "directory" | "file"): SwappedPair {
  const [, real, link] = row.tags!.find((tag) => tag.startsWith("swap:"))!.split(":");
  const names = [path.join(top, real!), path.join(top, link!)] as const;
  const parked = [path.join(top, "parked-0"), path.join(top, "parked-1")] as const;
  const target = fs.readlinkSync(names[1]);
  const clock = new Int32Array(new SharedArrayBuffer(4));
  const makeReal = (at: string) => {
    if (restores === "directory") fs.mkdirSync(at, { recursive: true });
    const file = restores === "directory" ? `${at}/f` : at;
    if (!fs.existsSync(file)) fs.writeFileSync(file, "BENIGN");
  };

  return {
    names,
    awaitInside() {
      for (let looks = 1; looks < MOST_LOOKS && tryReadlink(names[0]) === target; looks++)
        if (looks % MOST_LOOKS_AT_ONCE === 0) Atomics.wait(clock, 0, 0, PAUSE_MS);
    },
    // While one name is missing, the attacker cannot exchange: both names exist again only after the last rename.
    restore() {
      if (restores === undefined) return;
      names.forEach((name, index) => {
        tryRename(name, parked[index]!);
      });
      const linkAt = parked.find(isLink) ?? parked[1];
      const realAt = parked.find((name) => name !== linkAt)!;
      if (!isLink(linkAt)) {
        fs.rmSync(linkAt, { recursive: true, force: true });
        fs.symlinkSync(target, linkAt);
      }
      makeReal(realAt);
      fs.mkdirSync(path.dirname(names[0]), { recursive: true });
      fs.renameSync(linkAt, names[1]);
      fs.renameSync(realAt, names[0]);
    },
    onlyLinkIsGone() {
      const left = names.filter((name) => fs.lstatSync(name, { throwIfNoEntry: false }) !== undefined);
      return left.length === 1 && !isLink(left[0]!);
    },
  };
}

function isLink(at: string): boolean {
  return fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function tryReadlink(at: string): string | null {
  try {
    return isLink(at) ? fs.readlinkSync(at) : null;
  } catch {
    return null;
  }
}

function tryRename(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
