import { HotcellError } from "../../../core/errors.ts";
import type { FileKind } from "../../files/workspace-fs.ts";
import type { TreeReader } from "../../fs/tree-reader.ts";

/** Null if it is not a directory or may not be read. */
export function kindsIn(tree: TreeReader, directory: string): Map<string, FileKind> | null {
  try {
    if (directory !== "" && !tree.stat(directory)?.isDirectory()) return null;
    return new Map(tree.list(directory).map(({ name, kind }) => [name, kind]));
  } catch (error) {
    if (error instanceof HotcellError) return null;
    throw error;
  }
}
