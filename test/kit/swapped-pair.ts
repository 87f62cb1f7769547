// The two names that an attacker exchanges: something real, and a link that leads outside.
import fs from "node:fs";
import path from "node:path";
import type { PathRow } from "./path-fixture.ts";

export interface SwappedPair {
  readonly names: readonly [string, string];
  /** Puts both back when an attempt may have used them up. */
  restore(): void;
  /** Whether the attempt took the link away, not the real thing. */
  onlyLinkIsGone(): boolean;
}

export function createSwappedPair(top: string, row: PathRow, restores?: "directory" | "file"): SwappedPair {
  const [, real, link] = row.tags!.find((tag) => tag.startsWith("swap:"))!.split(":");
  const names = [path.join(top, real!), path.join(top, link!)] as const;
  if (restores === undefined) return { names, restore() {}, onlyLinkIsGone: () => false };
  const parked = [path.join(top, "parked-0"), path.join(top, "parked-1")] as const;
  const target = fs.readlinkSync(names[1]);

  return {
    names,
    // With one name missing the attacker can do nothing: then both are out of its reach until the last rename.
    restore() {
      names.forEach((name, index) => tryRename(name, parked[index]!));
      const kept = parked.filter((name) => fs.lstatSync(name, { throwIfNoEntry: false }) !== undefined);
      const isLink = (name: string) => fs.lstatSync(name).isSymbolicLink();
      const freeName = () => parked.find((name) => !fs.existsSync(name) && !kept.includes(name))!;
      const linkAt = kept.find(isLink) ?? freeName();
      if (!kept.includes(linkAt)) fs.symlinkSync(target, linkAt);
      const realAt = parked.find((name) => name !== linkAt)!;
      if (restores === "file") fs.writeFileSync(realAt, "BENIGN");
      if (restores === "directory") {
        fs.mkdirSync(realAt, { recursive: true });
        fs.writeFileSync(`${realAt}/f`, "BENIGN");
      }
      fs.renameSync(linkAt, names[1]);
      fs.renameSync(realAt, names[0]);
    },
    onlyLinkIsGone() {
      const left = names.filter((name) => fs.lstatSync(name, { throwIfNoEntry: false }) !== undefined);
      return left.length === 1 && !fs.lstatSync(left[0]!).isSymbolicLink();
    },
  };
}

function tryRename(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
