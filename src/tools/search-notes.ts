import type { SearchResult } from "../workspace/files/search-query.ts";

/** What a search has not looked at, though it may seem so. */
export function searchNotes(found: SearchResult): string[] {
  const { matches, filesScanned, binaryFiles, partlySearchedLines } = found;
  const notes: string[] = [];
  if (found.engine === "backtracking")
    notes.push("The pattern has look-around or a back-reference: it was run with a deadline of its own.");
  if (partlySearchedLines > 0)
    notes.push(
      `Lines longer than 1 MiB, of which such a pattern sees only the first 1 MiB: ${partlySearchedLines}. A pattern without look-around and back-references sees them whole.`,
    );
  if (binaryFiles > 0 && (matches.length === 0 || binaryFiles === filesScanned))
    notes.push(
      `Binary files, which were not searched, or not to their end: ${binaryFiles} of ${filesScanned}.`,
    );
  return notes;
}
