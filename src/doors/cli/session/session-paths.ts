import path from "node:path";
import { quote } from "../../../core/quote.ts";
import { unshowName } from "../../../workspace/fs/names.ts";
import type { SessionDiff } from "../../../workspace/session/session-diff.ts";
import { usage } from "../io.ts";

/** The session that paths are of, open or not. */
interface ReadableSession {
  readonly record: { readonly workspace: string };
  diff<T>(work: (diff: SessionDiff) => T): Promise<T>;
}

/** Paths as a diff has them; undefined stands for all: none was given, or the project's own directory. */
export async function readPaths(
  given: readonly string[],
  session: ReadableSession,
): Promise<string[] | undefined> {
  const typed = given.map((text) => relativeTo(session.record.workspace, text));
  if (typed.length === 0 || typed.includes("")) return undefined;
  const read = typed.map((text) => ({ text, bytes: readBytes(text) }));
  if (read.every(({ text, bytes }) => text === bytes)) return typed;
  const changed = await session.diff(({ changes }) =>
    changes.flatMap(({ path: at, from }) => (from === undefined ? [at] : [at, from])),
  );
  // A file may have the very name by which another is shown.
  const isThere = (text: string) => changed.some((at) => at === text || at.startsWith(`${text}/`));
  return read.map(({ text, bytes }) => (isThere(text) ? text : bytes));
}

/** Relative to the project, whatever the current directory is. */
function relativeTo(workspace: string, given: string): string {
  if (given === "" || given.includes("\0")) {
    const problem = given === "" ? "is empty" : "contains a NUL character";
    throw usage(`Could not read the path ${quote(given)}: it ${problem}. Give a path in the project.`);
  }
  const relative = path.relative(workspace, path.resolve(workspace, given));
  if (relative === ".." || relative.startsWith("../"))
    throw usage(`The path ${quote(given)} is not in the project ${quote(workspace)}.`);
  return relative;
}

/** With the bytes that are shown as `\xff`; in capitals they are always meant, unless a file has that very name. */
function readBytes(text: string): string {
  const names = text.replace(/\\x[0-9A-F]{2}/g, (shown) => shown.toLowerCase()).split("/");
  const read = names.map((name) => unshowName(name) ?? name).join("/");
  return names.join("/") === read ? text : read;
}
