export interface SearchPattern {
  readonly pattern: string;
  readonly regex: boolean;
  readonly ignoreCase: boolean;
}

// Without an unescaped slash inside: text like /usr/lib/g is a path.
const WRAPPED = /^\/((?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+)\/([dgimsuvy]*)$/;

/** Plain text, or `/regex/flags`. Lines are matched one by one, so of the flags only `i` changes anything. */
export function readSearchPattern(text: string): SearchPattern {
  const [, pattern, flags = ""] = WRAPPED.exec(text) ?? [];
  const isRegex = pattern !== undefined && new Set(flags).size === flags.length;
  if (!isRegex) return { pattern: text, regex: false, ignoreCase: false };
  return { pattern, regex: true, ignoreCase: flags.includes("i") };
}

const REGEX_SIGNS = /^\^|\$$|\||\.[*+?]|\\[bdswBDSW.]|\[[^\]]+\]/;

/** Whether plain text looks like a regular expression. Only a hint depends on it. */
export function looksLikeRegex({ pattern, regex }: SearchPattern): boolean {
  return !regex && REGEX_SIGNS.test(pattern);
}
