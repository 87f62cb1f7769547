import fs from "node:fs";
import { createCursor } from "../../src/workspace/fs/cursor.ts";
import { makeDirectory } from "../../src/workspace/fs/tree-change.ts";

/** A directory `d` in a directory `d` in a directory…, with these files at the bottom. */
export function digDown(root: string, depth: number, files: readonly string[], name = "d"): void {
  const start = fs.openSync(root, fs.constants.O_DIRECTORY);
  const cursor = createCursor(start);
  for (let level = 0; level < depth; level++) {
    makeDirectory(cursor.fd, name, null);
    cursor.down(name);
  }
  for (const file of files) fs.writeFileSync(`/proc/self/fd/${cursor.fd}/${file}`, "bottom");
  cursor.close();
  fs.closeSync(start);
}
