// A layer of the clone strategy: a directory with all changed entries, and beside it the deleted names. Each deleted
// name has an empty placeholder file in the layer. Files of a layer are replaced, never rewritten.
import fs from "node:fs";
import { promisify } from "node:util";
import { osErrorCode } from "../../core/errors.ts";
import { createPace } from "../fs/cooperative.ts";
import type { EntryRef } from "../fs/no-follow.ts";
import { childPath } from "../fs/paths.ts";
import { type TreeStep, walkTree } from "../fs/tree.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
const fsync = promisify(fs.fsync);

/** Marks the place of a deleted path. */
export function putPlaceholder({ dir, name }: EntryRef): void {
  fs.writeFileSync(childPath(dir, name), "", { flag: "wx", mode: 0o600 });
}

/** Makes files durable that were written since then. */
export async function syncLayer(at: string, sinceMs: number): Promise<void> {
  await tourLayer(at, async ({ step, kind, dir, name }) => {
    if (step !== "entry" || kind !== "file") return;
    if (fs.lstatSync(childPath(dir, name)).ctimeMs >= sinceMs) await syncFile(dir, name);
  });
}

async function syncFile(dir: number, name: string): Promise<void> {
  const fd = tryOpen(dir, name);
  if (fd === null) return;
  try {
    await fsync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Null if it may not be read. */
function tryOpen(dir: number, name: string): number | null {
  try {
    return fs.openSync(childPath(dir, name), O_RDONLY | O_NOFOLLOW);
  } catch (error) {
    if (osErrorCode(error) === "EACCES") return null;
    throw error;
  }
}

async function tourLayer(at: string, visit: (step: TreeStep) => Promise<void> | void): Promise<void> {
  const pace = createPace();
  const fd = fs.openSync(at, O_RDONLY | O_DIRECTORY);
  try {
    for (const step of walkTree(fd)) {
      await visit(step);
      await pace();
    }
  } finally {
    fs.closeSync(fd);
  }
}
