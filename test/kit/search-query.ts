import type { SearchQuery } from "../../src/workspace/files/search-query.ts";

const PLAIN: Omit<SearchQuery, "pattern"> = {
  regex: false,
  ignoreCase: false,
  globs: [],
  hidden: "none",
  ignored: true,
  skipped: [],
  before: 0,
  after: 0,
  maxMatches: 1_000_000,
  maxLineChars: 1_000_000,
};

/** A query for everything that matches, whole lines. */
export function queryFor(pattern: string, asked: Partial<SearchQuery> = {}): SearchQuery {
  return { ...PLAIN, pattern, ...asked };
}
