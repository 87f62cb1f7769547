// The rules of nested directories. As in git, the deepest file with a matching rule decides, and in it the last matching
// rule. As in ripgrep, .ignore files have precedence over .gitignore files. The caller must not enter an ignored
// directory, so a `!` below it has no effect. Files above the workspace, .git/info/exclude and the user's global excludes
// do not count. The rules apply without a .git directory too.
import { LIMITS } from "../../../core/limits.ts";
import { type IgnoreBudget, type IgnoreRules, parseIgnoreRules } from "./ignore-rules.ts";

export interface IgnoreStack {
  readonly gitignore: Level | null;
  readonly ignore: Level | null;
  /** The remaining budget for directories below: all ignore files above a path share one limit. */
  readonly budget: IgnoreBudget;
}

/** The texts of a directory's ignore files, as `decodeName` returns them; null if a file does not exist. */
export interface IgnoreFiles {
  readonly gitignore: string | null;
  readonly ignore: string | null;
}

interface Level {
  readonly rules: IgnoreRules;
  /** The prefix of the paths to which the rules apply. */
  readonly skippedChars: number;
  readonly above: Level | null;
}

export const NOTHING_IGNORED: IgnoreStack = {
  gitignore: null,
  ignore: null,
  budget: { bytes: LIMITS.maxIgnoreBytes, rules: LIMITS.maxIgnoreRules },
};

/** The rules for the entries of a directory, from the rules of its parent. The path of the workspace is `""`. */
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
  const { budget } = stack;
  if (text === null || budget.bytes <= 0 || budget.rules <= 0) return stack;
  const rules = parseIgnoreRules(text, budget);
  const left = { bytes: budget.bytes - text.length, rules: budget.rules - rules.count };
  if (rules.count === 0) return { ...stack, budget: left };
  const skippedChars = directoryPath === "" ? 0 : directoryPath.length + 1;
  return { ...stack, [which]: { rules, skippedChars, above: stack[which] }, budget: left };
}

/** `path` has the same origin as the paths of the directories; `name` is its last component. A link is not a directory. */
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
