import type fs from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import type { Root } from "../fs/paths.ts";
import { openTreeReader } from "../fs/tree-reader.ts";

/** Null if the path does not exist or is unreachable; undefined if the system denies access. */
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
