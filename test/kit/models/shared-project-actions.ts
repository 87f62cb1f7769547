// The actions of a session and its user on one project, with records for the later checks.
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../../src/core/errors.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { bruteForce, survey } from "../worlds/planted-tree.ts";
import type { SessionWorld } from "../worlds/session-world.ts";
import type { Action } from "./shared-project-sequences.ts";
import type { Tree } from "./tree-model.ts";

/** The user's last change of a file. */
export interface Edit {
  /** The added lines; null if the user removed the file. */
  readonly lines: readonly string[] | null;
  /** The calls of the session that began while the change was visible. */
  readonly seenBy: Set<string>;
  /** If the user created the file: the record that counts again if the user removes the file before a call saw it. */
  readonly made?: { readonly over: Edit | undefined };
  /** If the user removed the file: the record that counts again if the user restores it before a call saw the removal. */
  readonly removed?: { readonly was: readonly string[]; readonly over: Edit | undefined };
}

export interface Playing {
  readonly world: SessionWorld;
  session: Session;
  /** By path. */
  readonly edits: Map<string, Edit>;
  /** All paths that the user ever changed. */
  readonly users: Set<string>;
  /** The paths that the session changed since it began, or since only its removals are left. */
  readonly own: Set<string>;
  uncommitted: Set<string>;
  readonly removed: Set<string>;
  /** The project after each commit. */
  readonly commits: Map<string, { readonly before: Tree; readonly after: Tree }>;
  /** The renames in the last diff: to, from. */
  renamed: Map<string, string>;
  /** The expected trees after an undo and after a revert, if nothing happens in between. */
  undoTo: Tree | null;
  lastCommit: string | null;
  texts: number;
  calls: number;
}

/** The first and the last line are edited separately. */
export const textOf = (word: string): string => `${word}\n\n\n\n${word}\n`;
export const projectOf = ({ world }: Playing): Tree => survey(world.project);
/** The path in a line of the brute-force comparison. */
export const pathOf = (line: string): string => line.slice(line.indexOf(" ") + 1);

/** Returns the changed paths. */
export function actAsUser(action: Action, playing: Playing): string[] {
  const before = projectOf(playing);
  const at = path.join(playing.world.project, action.at);
  try {
    doAsUser(action, at, playing);
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
  }
  const after = projectOf(playing);
  const changed = bruteForce(before, after).map(pathOf);
  for (const at of changed) noteEdit(at, before, after, playing);
  return changed;
}

function doAsUser(action: Action, at: string, playing: Playing): unknown {
  const word = `u${playing.texts++}`;
  const beside = path.join(playing.world.top, "beside");
  switch (action.do) {
    case "write":
      fs.mkdirSync(path.dirname(at), { recursive: true });
      return fs.writeFileSync(at, textOf(word));
    case "replace":
      fs.writeFileSync(beside, textOf(word));
      return fs.renameSync(beside, at);
    case "append":
      return append(at, `${word}\n`);
    case "edit":
      return fs.writeFileSync(at, fs.readFileSync(at, "utf8").replace(/.*\n$/, `${word}\n`));
    case "mkdir":
      fs.mkdirSync(at, { recursive: true });
      return;
    case "remove":
      return fs.rmSync(at, { recursive: true });
    case "symlink":
      return fs.symlinkSync(TARGET, at);
    case "chmod":
      return mayGetMode(fs.lstatSync(at), action.mode) ? fs.chmodSync(at, action.mode) : undefined;
    case "rename":
      return fs.renameSync(at, path.join(playing.world.project, action.to));
    case "swap":
      return swap(at, path.join(playing.world.project, action.to), beside);
    case "copy":
      // For an entry that is not a file, it would create something and remove it again.
      if (!fs.lstatSync(at).isFile()) return;
      return fs.copyFileSync(at, path.join(playing.world.project, action.to));
  }
}

function swap(at: string, other: string, beside: string): void {
  if (`${at}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${at}/`)) return;
  fs.lstatSync(other);
  fs.renameSync(at, beside);
  fs.renameSync(other, at);
  fs.renameSync(beside, other);
}

/** Another mode than the present one, which would change only the time. */
function mayGetMode(stat: fs.Stats, mode: number): boolean {
  return !stat.isSymbolicLink() && (stat.mode & 0o7777) !== mode;
}

/** In place, if there is a file. */
function append(at: string, text: string): void {
  const fd = fs.openSync(at, fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW);
  fs.writeSync(fd, text);
  fs.closeSync(fd);
}

/** A dangling link, unless something creates its target. */
const TARGET = "no/no";

function noteEdit(at: string, before: Tree, after: Tree, { edits, users }: Playing): void {
  users.add(at);
  const [was, is] = [linesAt(before, at), linesAt(after, at)];
  const last = edits.get(at);
  edits.delete(at);
  const made = was === null ? { over: last } : last?.made;
  if (is !== null && isPutBack(is, last)) {
    if (last!.removed!.over !== undefined) edits.set(at, last!.removed!.over);
  } else if (is !== null) {
    const lines = is.filter((line) => !was?.includes(line));
    edits.set(at, { lines, seenBy: new Set(), ...(made && { made }) });
  } else if (last?.made !== undefined && last.seenBy.size === 0) {
    if (last.made.over !== undefined) edits.set(at, last.made.over);
  } else if (was !== null) edits.set(at, { lines: null, seenBy: new Set(), removed: { was, over: last } });
}

function isPutBack(is: readonly string[], last: Edit | undefined): boolean {
  return last?.removed?.was.join("\n") === is.join("\n") && last.seenBy.size === 0;
}

/** Null if there is no file. */
function linesAt(tree: Tree, at: string): string[] | null {
  const found = tree.get(at);
  return found?.kind === "file" ? found.content.split("\n") : null;
}

export function isAsEdited(tree: Tree, at: string, { lines }: Edit): boolean {
  const found = linesAt(tree, at);
  return lines === null ? found === null : found !== null && lines.every((line) => found.includes(line));
}

export function actAsSession(action: Action, playing: Playing): void {
  const { own, uncommitted, removed, session } = playing;
  for (const at of "to" in action ? [action.at, action.to] : [action.at]) {
    own.add(at);
    uncommitted.add(at);
    if (["remove", "rename", "swap", "copy"].includes(action.do)) removed.add(at);
  }
  try {
    doAsSession(action, session, `s${playing.texts++}`);
  } catch (error) {
    if (!(error instanceof HotcellError) && osErrorCode(error) === undefined) throw error;
  }
}

function doAsSession(action: Action, { workspace, view }: Session, word: string): unknown {
  const { at } = action;
  switch (action.do) {
    case "write":
    case "replace":
      return workspace.write(at, textOf(word));
    case "append":
      return append(`/proc/self/fd/${view.fd}/${at}`, `${word}\n`);
    case "edit":
      workspace.write(at, workspace.read(at).toString().replace(/^.*\n/, `${word}\n`));
      return;
    case "mkdir":
      return workspace.mkdir(at);
    case "remove":
      return workspace.remove(at, { recursive: true });
    case "symlink":
      return workspace.symlink(TARGET, at);
    case "chmod":
      return workspace.chmod(at, action.mode);
    case "rename":
    case "swap":
      return workspace.rename(at, action.to);
    case "copy":
      return workspace.copy(at, action.to);
  }
}
