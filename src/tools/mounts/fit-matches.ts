import type { SearchMatch } from "../../workspace/files/search-query.ts";

/** As many matches as fit into one observation, and at least one. */
export function fittingMatches(matches: readonly SearchMatch[], maxChars: number): readonly SearchMatch[] {
  let chars = 0;
  const end = matches.findIndex(({ text, before, after }) => {
    chars += [text, ...before, ...after].reduce((sum, { length }) => sum + length + 1, 0);
    return chars > maxChars;
  });
  return end < 0 ? matches : matches.slice(0, Math.max(end, 1));
}
