// The deleted names of a clone layer, stored beside it. They form a tree, in memory and on disk: the whole paths of
// deep entries would take quadratic space.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import { replaceJson } from "../fs/replace-json.ts";

/** Names in a directory of a layer. Null marks a deleted name; other names are directories that contain some. */
export type DeletedNames = Map<string, DeletedNames | null>;

/** For each name, parents before children: its depth, and the name. Names without others below them are deleted. */
type Rows = (number | string)[];

export function readDeleted(layer: string): DeletedNames {
  try {
    const stored = JSON.parse(fs.readFileSync(`${layer}.gone`, "utf8")) as Rows;
    // Earlier builds stored whole paths.
    return fromRows(
      typeof stored[0] === "string" ? stored.flatMap((path) => rowsOfPath(path as string)) : stored,
    );
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return new Map();
    throw error;
  }
}

export function writeDeleted(layer: string, names: DeletedNames): void {
  replaceJson(`${layer}.gone`, toRows(names));
}

export function isDeletedPath(names: DeletedNames, path: string): boolean {
  let found: DeletedNames | null | undefined = names;
  for (const name of path.split("/")) found = found?.get(name);
  return found === null;
}

/** Attaches the deleted names of a directory to those of its parent. */
export function attachDeleted(names: DeletedNames, name: string, below: DeletedNames): void {
  if (below.size > 0) names.set(name, below);
  else names.delete(name);
}

const rowsOfPath = (path: string): Rows => path.split("/").flatMap((name, depth) => [depth, name]);

function fromRows(rows: Rows): DeletedNames {
  const trail: DeletedNames[] = [new Map()];
  for (let row = 0; row < rows.length; row += 2) {
    const [depth, name] = [rows[row] as number, rows[row + 1] as string];
    const names = trail[depth]!;
    const isDirectory = rows[row + 2] === depth + 1;
    if (!isDirectory) names.set(name, null);
    else {
      const below = names.get(name) ?? new Map();
      names.set(name, below);
      trail[depth + 1] = below;
    }
  }
  return trail[0]!;
}

function toRows(root: DeletedNames): Rows {
  const rows: Rows = [];
  const levels = [root.entries()];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { done, value } = level.next();
    if (done) {
      levels.pop();
      continue;
    }
    const [name, below] = value;
    rows.push(levels.length - 1, name);
    if (below !== null) levels.push(below.entries());
  }
  return rows;
}
