// What a session and its user do to one project, with what has to be known of it later.
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../src/core/errors.ts";
import type { Session } from "../../src/workspace/session/session-types.ts";
import { bruteForce, survey } from "./planted-tree.ts";
import type { SessionWorld } from "./session-world.ts";
import type { Action } from "./shared-project-sequences.ts";
import type { Tree } from "./tree-model.ts";

/** What the user did to a file last. */
export interface Edit {
  /** Lines that came; null where it is gone. */
  readonly lines: readonly string[] | null;
  /** The calls of the session that began with it in sight. */
  readonly seenBy: Set<string>;
  /** Where the user has made the file himself: what counts again when he removes it and nobody saw it. */
  readonly made?: { readonly over: Edit | undefined };
  /** Where the user has removed it: what counts again when he puts the same back and nobody saw that it was gone. */
  readonly removed?: { readonly was: readonly string[]; readonly over: Edit | undefined };
}

export interface Playing {
  readonly world: SessionWorld;
  session: Session;
  /** By path. */
  readonly edits: Map<string, Edit>;
  /** All that the user ever touched. */
  readonly users: Set<string>;
  /** What the session touched since it began, or since nothing of it is left but what it has removed. */
  readonly own: Set<string>;
  uncommitted: Set<string>;
  readonly removed: Set<string>;
  /** The project after each commit. */
  readonly commits: Map<string, { readonly before: Tree; readonly after: Tree }>;
  /** What the last diff said was renamed: to, from. */
  renamed: Map<string, string>;
  /** What an undo has to show, and a revert has to leave, as long as nothing came between. */
  undoTo: Tree | null;
  lastCommit: string | null;
  texts: number;
  calls: number;
}

/** The first line and the last are edited apart from each other. */
export const textOf = (word: string): string => `${word}\n\n\n\n${word}\n`;
export const projectOf = ({ world }: Playing): Tree => survey(world.project);
/** The paths of what brute force says. */
export const pathOf = (line: string): string => line.slice(line.indexOf(" ") + 1);

/** Gives what it has changed. */
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
      // Of what is no file it would make something, and take it away again.
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

/** The mode that it has would change nothing but its time. */
function mayGetMode(stat: fs.Stats, mode: number): boolean {
  return !stat.isSymbolicLink() && (stat.mode & 0o7777) !== mode;
}

/** In place, where a file is. */
function append(at: string, text: string): void {
  const fd = fs.openSync(at, fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW);
  fs.writeSync(fd, text);
  fs.closeSync(fd);
}

/** Leads to nothing, unless somebody makes it. */
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

/** Null where no file is. */
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
