// Reads the .gitignore and .ignore files on the way down.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import { createCursor } from "../fs/cursor.ts";
import { decodeName } from "../fs/names.ts";
import { joinPath } from "../fs/path-text.ts";
import { type NamedKind, tryEnter } from "../fs/tree.ts";
import { type IgnoreFiles, type IgnoreStack, NOTHING_IGNORED, rulesFor } from "./ignore/ignore-stack.ts";
import { openRegular, readBeginning } from "./scan/open-regular.ts";
import type { WalkOrder } from "./workers/messages.ts";

/** The rules of the directories above the start of the search. */
export function readOuterRules({ root, path }: WalkOrder): IgnoreStack {
  if (path === "") return NOTHING_IGNORED;
  let rules = NOTHING_IGNORED;
  let directory = "";
  const cursor = createCursor(root);
  try {
    for (const name of path.split("/")) {
      rules = rulesFor(rules, readFiles(cursor.fd, rules), directory);
      directory = joinPath(directory, name);
      if (!tryEnter(cursor, name)) break;
    }
    return rules;
  } finally {
    cursor.close();
  }
}

/** The rules above together with those of an open directory, whose names are sorted. */
export function readRulesIn(
  dir: number,
  path: string,
  names: readonly NamedKind[],
  above: IgnoreStack,
): IgnoreStack {
  const has = (wanted: string) => {
    const first = names.find(({ name }) => name >= wanted);
    return first?.name === wanted && first.kind === "file";
  };
  return rulesFor(above, readFiles(dir, above, has), path);
}

/** The ignore files of an open directory. It opens only names for which `has` is true. */
function readFiles(
  dir: number,
  { budget }: IgnoreStack,
  has: (name: string) => boolean = () => true,
): IgnoreFiles {
  const textOf = (name: string): string | null =>
    budget.bytes > 0 && budget.rules > 0 && has(name) ? tryText(dir, name, budget.bytes) : null;
  return { gitignore: textOf(".gitignore"), ignore: textOf(".ignore") };
}

/** Null if the file cannot be read. */
function tryText(dir: number, name: string, maxBytes: number): string | null {
  try {
    const file = openRegular(dir, name);
    if (file === null) return null;
    try {
      return decodeName(readBeginning(file, maxBytes));
    } finally {
      fs.closeSync(file.fd);
    }
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
    return null;
  }
}
