// A Landlock rule is about all that is below a directory, and nothing can be taken out of it again. So where
// something in a directory is to be hidden, its other entries are named one by one. What comes to be there
// later can't be read either.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";

/** The same directories, or what is in them, without what is at or below one of the hidden paths. */
export function withoutHidden(shown: readonly string[], hidden: readonly string[]): string[] {
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

/** Links are left out: a rule would be about what they lead to. They can be followed to what is named itself. */
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
