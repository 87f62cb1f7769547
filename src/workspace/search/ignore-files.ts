// The files that say what is ignored, on the way down.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { decodeName } from "../names.ts";
import type { NamedKind } from "../tree.ts";
import { type IgnoreFiles, type IgnoreStack, NOTHING_IGNORED, rulesFor } from "./ignore/ignore-stack.ts";
import type { SearchOrder } from "./messages.ts";
import { openRegular, readBeginning } from "./open-regular.ts";

/** The rules that hold for where the search begins, but for those of its own directory. */
export function outerRules({ outerRules: files }: SearchOrder): IgnoreStack {
  return files.reduce((above, { directory, ...texts }) => rulesFor(above, texts, directory), NOTHING_IGNORED);
}

/** With those of an open directory. */
export function rulesIn(
  dir: number,
  path: string,
  names: readonly NamedKind[],
  above: IgnoreStack,
): IgnoreStack {
  const has = (wanted: string) => names.some(({ name, kind }) => name === wanted && kind === "file");
  return rulesFor(above, ignoreTexts(dir, has), path);
}

/** What an open directory says itself; of names that it does not have, no file is opened. */
export function ignoreTexts(dir: number, has: (name: string) => boolean = () => true): IgnoreFiles {
  const textOf = (name: string): string | null => (has(name) ? tryText(dir, name) : null);
  return { gitignore: textOf(".gitignore"), ignore: textOf(".ignore") };
}

/** Null when it can't be read. */
function tryText(dir: number, name: string): string | null {
  try {
    const file = openRegular(dir, name);
    if (file === null) return null;
    try {
      return decodeName(readBeginning(file, LIMITS.maxIgnoreFileBytes));
    } finally {
      fs.closeSync(file.fd);
    }
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
    return null;
  }
}
