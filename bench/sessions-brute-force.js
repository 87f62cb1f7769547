// Compares two trees without knowledge of the changes: it examines every name of both.
import fs from "node:fs";
import path from "node:path";

/** The number of regular files that differ. `isSame` compares two regular files of the same size and mode. */
export function countDifferences(before, after, isSame) {
  const old = filesIn(before);
  const now = filesIn(after);
  const isChanged = (file) => differ(path.join(before, file), path.join(after, file), isSame);
  const came = [...now].filter((file) => !old.has(file));
  const changed = [...old].filter((file) => !now.has(file) || isChanged(file));
  return came.length + changed.length;
}

function filesIn(dir) {
  const files = new Set();
  walkPlainly(dir, (file, entry) => entry.isFile() && files.add(file));
  return files;
}

export const haveSameBytes = (a, b) => fs.readFileSync(a.path).equals(fs.readFileSync(b.path));
export const haveSameTime = (a, b) => a.stat.mtimeMs === b.stat.mtimeMs;

function differ(before, after, isSame) {
  const [a, b] = [before, after].map((file) => ({ path: file, stat: fs.lstatSync(file) }));
  return a.stat.size !== b.stat.size || a.stat.mode !== b.stat.mode || !isSame(a, b);
}

/** Calls `visit` with the path below `dir` and the entry, for everything in it. */
export function walkPlainly(dir, visit, below = "") {
  for (const entry of fs.readdirSync(path.join(dir, below), { withFileTypes: true })) {
    const file = below === "" ? entry.name : `${below}/${entry.name}`;
    visit(file, entry);
    if (entry.isDirectory()) walkPlainly(dir, visit, file);
  }
}
