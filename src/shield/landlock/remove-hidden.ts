// A Landlock rule grants everything below a directory and allows no exceptions. So if a directory contains a hidden
// path, its other entries are granted one by one. Commands cannot read entries that are created there later.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";

/** Returns the same directories, or entries of them, without the hidden paths and everything below them. */
export function removeHidden(shown: readonly string[], hidden: readonly string[]): string[] {
  const found: string[] = [];
  const todo = [...shown].reverse();
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    const above = at;
    if (hidden.some((secret) => isWithin(above, secret))) continue;
    if (hidden.some((secret) => isWithin(secret, above))) todo.push(...entriesOf(above).reverse());
    else found.push(above);
  }
  return found;
}

/** Omits links, because a rule would apply to the target. Commands can still follow a link to a granted path. */
function entriesOf(dir: string): string[] {
  return readEntries(dir)
    .filter((entry) => !entry.isSymbolicLink())
    .map(({ name }) => path.join(dir, name));
}

function readEntries(dir: string): fs.Dirent[] {
  try {
    return fs.readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if (osErrorCode(error) !== "EACCES") throw error;
    return [];
  }
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer === "/" ? "/" : `${outer}/`);
}
