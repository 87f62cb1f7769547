import path from "node:path";
import { quote } from "../../core/quote.ts";
import { unshowName } from "../../workspace/names.ts";
import { usage } from "./io.ts";

/** Paths as a diff has them; undefined stands for all: none was given, or the project's own directory. */
export function readPaths(given: readonly string[], workspace: string): string[] | undefined {
  const paths = given.map((text) => readPath(text, workspace));
  return paths.length === 0 || paths.includes("") ? undefined : paths;
}

/** Relative to the project, whatever the current directory is. */
function readPath(given: string, workspace: string): string {
  const relative = path.relative(workspace, path.resolve(workspace, given));
  if (relative === ".." || relative.startsWith("../"))
    throw usage(`The path ${quote(given)} is not in the project ${quote(workspace)}.`);
  const names = relative.split("/");
  return names.map((name) => unshowName(name) ?? name).join("/");
}
