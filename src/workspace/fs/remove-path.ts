import fs from "node:fs";
import { kindAt } from "./metadata.ts";
import type { Spot } from "./no-follow.ts";
import { childPath, openChildDirectory } from "./paths.ts";
import { removeBelow } from "./tree-change.ts";

/** Removes what is at a name, if something is: a directory with all below it, whatever rights its owner has left himself. */
export function removeSpot({ dir, name }: Spot): void {
  const kind = kindAt(dir, name);
  if (kind === "directory") removeDirectory(dir, name);
  else if (kind !== null) fs.unlinkSync(childPath(dir, name));
}

function removeDirectory(dir: number, name: string): void {
  const fd = openChildDirectory(dir, name);
  try {
    removeBelow(fd, true);
  } finally {
    fs.closeSync(fd);
  }
  fs.rmdirSync(childPath(dir, name));
}
