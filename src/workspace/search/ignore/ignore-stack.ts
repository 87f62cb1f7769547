// The rules of nested directories. As in git the deepest file that says something decides, and in it the last
// rule; as in ripgrep every .ignore file goes before every .gitignore file. An ignored directory is not to be
// entered, so that a `!` below it has no effect. Files above the workspace, .git/info/exclude and the user's
// own excludes don't count, and no .git is needed for rules to count.
import { LIMITS } from "../../../core/limits.ts";
import { type IgnoreRoom, type IgnoreRules, parseIgnoreRules } from "./ignore-rules.ts";

export interface IgnoreStack {
  readonly gitignore: Level | null;
  readonly ignore: Level | null;
  /** What further down may still be read: a path has a limit for all files above it together. */
  readonly room: IgnoreRoom;
}

/** The texts of a directory's files, as `decodeName` gives them; null for one that is not there. */
export interface IgnoreFiles {
  readonly gitignore: string | null;
  readonly ignore: string | null;
}

interface Level {
  readonly rules: IgnoreRules;
  /** What stands before the paths that the rules are about. */
  readonly skippedChars: number;
  readonly above: Level | null;
}

export const NOTHING_IGNORED: IgnoreStack = {
  gitignore: null,
  ignore: null,
  room: { bytes: LIMITS.maxIgnoreBytes, rules: LIMITS.maxIgnoreRules },
};

/** The rules for what is in a directory, given those of the directory that it is in; its path is `""` for the workspace. */
export function rulesFor(above: IgnoreStack, files: IgnoreFiles, directoryPath: string): IgnoreStack {
  const withOne = withFile(above, "gitignore", files.gitignore, directoryPath);
  return withFile(withOne, "ignore", files.ignore, directoryPath);
}

function withFile(
  stack: IgnoreStack,
  which: keyof IgnoreFiles,
  text: string | null,
  directoryPath: string,
): IgnoreStack {
  const { room } = stack;
  if (text === null || room.bytes <= 0 || room.rules <= 0) return stack;
  const rules = parseIgnoreRules(text, room);
  const left = { bytes: room.bytes - text.length, rules: room.rules - rules.count };
  if (rules.count === 0) return { ...stack, room: left };
  const skippedChars = directoryPath === "" ? 0 : directoryPath.length + 1;
  return { ...stack, [which]: { rules, skippedChars, above: stack[which] }, room: left };
}

/** `path` begins where the paths of the directories begin, `name` is its last component; a link is no directory. */
export function isIgnored(stack: IgnoreStack, path: string, name: string, isDirectory: boolean): boolean {
  const said = ask(stack.ignore, path, name, isDirectory) || ask(stack.gitignore, path, name, isDirectory);
  return said === 1;
}

function ask(deepest: Level | null, path: string, name: string, isDirectory: boolean): 1 | -1 | 0 {
  for (let level = deepest; level !== null; level = level.above) {
    const said = level.rules.test(path.slice(level.skippedChars), name, isDirectory);
    if (said !== 0) return said;
  }
  return 0;
}
