import type fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import type { TreeReader } from "../diff/tree-reader.ts";

/** Null where nothing is, or no way leads there; undefined where the system does not let us look. */
export function statIn(tree: TreeReader, at: string): fs.Stats | null | undefined {
  try {
    return tree.stat(at);
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    if (error.code === "NOT_FOUND" || error.code === "NOT_A_DIRECTORY") return null;
    if (error.details.errno === "EACCES") return undefined;
    throw error;
  }
}
