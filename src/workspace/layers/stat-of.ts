import type fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import type { Root } from "../fs/paths.ts";
import { openTreeReader } from "../fs/tree-reader.ts";

/** Null where nothing is, or no way leads there; undefined where the system does not let us look. */
export function statPath(root: Root, at: string): fs.Stats | null | undefined {
  const tree = openTreeReader(root);
  try {
    return tree.stat(at);
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    if (error.code === "NOT_FOUND" || error.code === "NOT_A_DIRECTORY") return null;
    if (error.details.errno === "EACCES") return undefined;
    throw error;
  } finally {
    tree.close();
  }
}
