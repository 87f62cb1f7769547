// The files that say what is ignored, on the way down.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { decodeName } from "../names.ts";
import type { NamedKind } from "../tree.ts";
import { type IgnoreStack, NOTHING_IGNORED, rulesFor } from "./ignore/ignore-stack.ts";
import type { SearchOrder } from "./messages.ts";
import { openRegular, readBeginning } from "./open-regular.ts";

export const IGNORE_FILES = { gitignore: ".gitignore", ignore: ".ignore" } as const;

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
  const textOf = (wanted: string): string | null =>
    names.some(({ name, kind }) => name === wanted && kind === "file") ? tryText(dir, wanted) : null;
  return rulesFor(
    above,
    { gitignore: textOf(IGNORE_FILES.gitignore), ignore: textOf(IGNORE_FILES.ignore) },
    path,
  );
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
