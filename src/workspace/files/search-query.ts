// The query and the result of a search.

export interface SearchQuery {
  readonly pattern: string;
  /** The pattern is a regular expression in JavaScript's syntax, with `\p{…}` and `\u{…}`; else it is literal text. With look-around or back-references it sees only 1 MiB of a line. */
  readonly regex: boolean;
  readonly ignoreCase: boolean;
  /** Selects files by their path below the start of the search. A glob without `/` matches the name at any depth; a leading `!` excludes. Empty selects all. */
  readonly globs: readonly string[];
  /** Which entries with a leading dot are also searched; never `.git`. */
  readonly hidden: "none" | "files" | "all";
  /** Also searches files that .gitignore or .ignore exclude. */
  readonly ignored: boolean;
  /** Names of directories that are never entered. */
  readonly skipped: readonly string[];
  /** Lines shown around each match. */
  readonly before: number;
  readonly after: number;
  readonly maxMatches: number;
  /** Longer lines are cut around their first match. */
  readonly maxLineChars: number;
}

/** One matching line, with any number of matches. */
export interface SearchMatch {
  /** Relative to the workspace. */
  readonly path: string;
  readonly line: number;
  /** Without its line end. U+FFFD replaces bytes that are not UTF-8. */
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The text was cut; `…` marks each cut. */
  readonly clipped: boolean;
}

export interface SearchResult {
  /** The first `maxMatches`, by path, with names in byte order. */
  readonly matches: readonly SearchMatch[];
  /** There are more matches than shown. */
  readonly truncated: boolean;
  /** If truncated, only the files up to the last shown match. */
  readonly filesScanned: number;
  /** The scanned files that turned out to be binary at some point and were searched only up to there. */
  readonly binaryFiles: number;
  /** Lines without a match of which only the first 1 MiB was searched, the limit of look-around and back-references. */
  readonly partlySearchedLines: number;
  /** Files and directories that could not be read. */
  readonly unreadable: number;
  /** "backtracking": the pattern has look-around or back-references, and matching may take long. */
  readonly engine: "linear" | "backtracking";
}

export interface SearchProgress {
  readonly files: number;
  readonly matches: number;
}

export interface SearchOptions {
  readonly signal?: AbortSignal;
  /** Called from time to time. */
  readonly onProgress?: (seen: SearchProgress) => void;
}
