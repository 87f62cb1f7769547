// What is searched for, and what is found.

export interface SearchQuery {
  readonly pattern: string;
  /** In JavaScript's syntax, with `\p{…}` and `\u{…}`; else the pattern means itself. With look-around or back-references it sees 1 MiB of a line. */
  readonly regex: boolean;
  readonly ignoreCase: boolean;
  /** Which files, by path below where the search begins (a glob without `/` is about the name at any depth; `!` first leaves out). Empty: all. */
  readonly globs: readonly string[];
  /** Which names that begin with a dot are searched too; never `.git`. */
  readonly hidden: "none" | "files" | "all";
  /** Also what .gitignore (and .ignore) leave out. */
  readonly ignored: boolean;
  /** Names of directories that are never entered. */
  readonly skipped: readonly string[];
  /** Lines shown around each match. */
  readonly before: number;
  readonly after: number;
  readonly maxMatches: number;
  /** Longer lines are cut around the first hit. */
  readonly maxLineChars: number;
}

/** One line that matches, however often. */
export interface SearchMatch {
  /** Relative to the workspace. */
  readonly path: string;
  readonly line: number;
  /** Without its line end; bytes that are no UTF-8 stand as U+FFFD. */
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The text was cut: `…` stands where something is missing. */
  readonly clipped: boolean;
}

export interface SearchResult {
  /** By path, names in order of their bytes; the first `maxMatches`. */
  readonly matches: readonly SearchMatch[];
  /** There are more matches than shown. */
  readonly truncated: boolean;
  /** Up to the last match that is shown, when there are more. */
  readonly filesScanned: number;
  /** Of these, files that are no text from some point on, and were searched only up to there. */
  readonly binaryFiles: number;
  /** Lines without a match of which only the first 1 MiB was searched, for that is what look-around and back-references see. */
  readonly partlySearchedLines: number;
  /** Files and directories that could not be read. */
  readonly unreadable: number;
  /** "backtracking": look-around or back-references made it necessary to match in a way that may take long. */
  readonly engine: "linear" | "backtracking";
}

export interface SearchProgress {
  readonly files: number;
  readonly matches: number;
}

export interface SearchOptions {
  readonly signal?: AbortSignal;
  /** Told now and then. */
  readonly onProgress?: (seen: SearchProgress) => void;
}
