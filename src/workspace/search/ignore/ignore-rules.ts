// One .gitignore or .ignore file, with git's semantics (gitignore(5)). Names and most suffixes are looked up in maps; only
// globs are matched one by one.
import { LIMITS } from "../../../core/limits.ts";
import { byteText } from "./byte-text.ts";
import { literalName, literalOf, matchesPath, parseGitGlob, type Segment, STAR } from "./git-glob.ts";

export interface IgnoreRules {
  readonly count: number;
  /**
   * `path` is relative to the directory of the ignore file; `name` is its last component. 1: ignored, -1: included again
   * by a `!` rule, 0: no rule matches.
   */
  test(path: string, name: string, isDirectory: boolean): 1 | -1 | 0;
}

/** The remaining budget. */
export interface IgnoreBudget {
  readonly bytes: number;
  readonly rules: number;
}

interface Rule {
  readonly order: number;
  readonly negated: boolean;
  readonly directoryOnly: boolean;
  /** The rule matches the whole path, not the name at any depth. */
  readonly anchored: boolean;
  readonly segments: readonly Segment[];
}

/** The last rule for a file and the last for a directory, by their order. */
interface Last {
  readonly file: number;
  readonly directory: number;
}

type Lookup = Map<string, Last>;

const NONE: Last = { file: -1, directory: -1 };
const BYTE_ORDER_MARK = "\xEF\xBB\xBF";

/** Takes the text of the file as `decodeName` returns it, so that rules and names treat invalid UTF-8 alike. */
export function parseIgnoreRules(text: string, budget: IgnoreBudget): IgnoreRules {
  const rules = readRules(byteText(text), budget);
  const names: Lookup = new Map();
  const paths: Lookup = new Map();
  const suffixes: Lookup = new Map();
  const globs: Rule[] = [];
  for (const rule of rules) {
    const literal = literalOf(rule.segments);
    const suffix = literal === null ? lookupSuffix(rule) : null;
    if (literal !== null) note(rule.anchored ? paths : names, literal, rule);
    else if (suffix !== null) note(suffixes, suffix, rule);
    else globs.push(rule);
  }
  return {
    count: rules.length,
    test(path, name, isDirectory) {
      const kind = isDirectory ? "directory" : "file";
      const wholePath = byteText(path);
      const wholeName = wholePath === path ? name : byteText(name);
      const found = Math.max(
        (names.get(wholeName) ?? NONE)[kind],
        (suffixes.get(suffixOf(wholeName)) ?? NONE)[kind],
        (paths.get(wholePath) ?? NONE)[kind],
      );
      const last = lastGlob(globs, found, wholePath, wholeName, isDirectory);
      return last < 0 ? 0 : rules[last]!.negated ? -1 : 1;
    },
  };
}

/**
 * Skips everything beyond the budget: rules after the allowed bytes or the allowed number of rules, and lines that are
 * too long. Then more files are searched; git itself skips an ignore file that is too large. A reader may cut the text
 * where the budget ends, so a last line without a line end there is an incomplete rule.
 */
function readRules(text: string, budget: IgnoreBudget): readonly Rule[] {
  const whole =
    text.length >= budget.bytes ? text.slice(0, text.lastIndexOf("\n", budget.bytes - 1) + 1) : text;
  const rules: Rule[] = [];
  for (const line of whole.slice(whole.startsWith(BYTE_ORDER_MARK) ? 3 : 0).split("\n")) {
    const rule = line.length > LIMITS.maxIgnoreLineBytes ? null : readRule(line, rules.length);
    if (rule !== null) rules.push(rule);
    if (rules.length >= budget.rules) break;
  }
  return rules;
}

function readRule(line: string, order: number): Rule | null {
  if (line.startsWith("#")) return null;
  const text = trimSpaces(untilNul(line.endsWith("\r") ? line.slice(0, -1) : line));
  const negated = text.startsWith("!");
  const directoryOnly = text.endsWith("/");
  const glob = text.slice(negated ? 1 : 0, directoryOnly ? -1 : undefined);
  const segments = parseGitGlob(glob.startsWith("/") ? glob.slice(1) : glob);
  if (glob === "" || segments === null) return null;
  return { order, negated, directoryOnly, anchored: glob.includes("/"), segments };
}

/** In git a rule is a C string: it ends at a NUL. */
function untilNul(line: string): string {
  const nul = line.indexOf("\0");
  return nul < 0 ? line : line.slice(0, nul);
}

/** Removes trailing spaces, except one after a `\`. A tab stays. */
function trimSpaces(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (line[at] === " ") continue;
    end = at + 1;
  }
  return line.slice(0, end);
}

/** The suffix of a rule such as `*.log`, if `suffixOf` returns the same for all names that match. */
function lookupSuffix({ anchored, segments }: Rule): string | null {
  const [tokens] = segments;
  if (anchored || tokens === undefined || tokens === "**" || tokens[0] !== STAR) return null;
  const suffix = literalName(tokens.slice(1));
  return suffix !== null && suffix !== "" && suffixOf(suffix) === suffix ? suffix : null;
}

function suffixOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot);
}

function note(lookup: Lookup, key: string, { order, directoryOnly }: Rule): void {
  const before = lookup.get(key) ?? NONE;
  lookup.set(key, { file: directoryOnly ? before.file : order, directory: order });
}

/** The last matching glob after the rule `found`, or `found`. */
function lastGlob(
  globs: readonly Rule[],
  found: number,
  path: string,
  name: string,
  isDirectory: boolean,
): number {
  for (let at = globs.length - 1; at >= 0; at--) {
    const { order, directoryOnly, anchored, segments } = globs[at]!;
    if (order < found) return found;
    if ((isDirectory || !directoryOnly) && matchesPath(segments, anchored ? path : name)) return order;
  }
  return found;
}
