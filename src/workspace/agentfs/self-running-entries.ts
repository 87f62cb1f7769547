// The entries of a database's tree that execute automatically, such as git hooks: a session takes them, and says so.
import { type Protection, pathsBehindLink } from "../../policy/protected.ts";
import { isGitData } from "../diff/git-data.ts";
import { judgedPaths } from "../diff/judged-paths.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import type { SessionStore } from "../overlay/session-view.ts";
import { entriesIn } from "./compare-database.ts";
import type { DatabaseDirectory } from "./read-database-tree.ts";

const CLASSES: ReadonlySet<Protection["class"]> = new Set(["self-running", "ci"]);

/** Their paths. */
export function* findSelfRunning(
  root: DatabaseDirectory,
  protectionOf: SessionStore["protectionOf"],
): Cooperative<string[]> {
  const found: string[] = [];
  for (const [path, { kind }] of entriesIn(root)) {
    yield;
    if ((kind !== "file" && kind !== "symlink") || isGitData(path)) continue;
    const own = judgedPaths(path, false);
    const judged = kind === "symlink" ? [...own, ...pathsBehindLink(own[0]!)] : own;
    const classes = judged.map((one) => protectionOf(one)?.class);
    if (classes.some((one) => one !== undefined && CLASSES.has(one))) found.push(path);
  }
  return found;
}
