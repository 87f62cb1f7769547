import type { SearchResult } from "../workspace/files/search-query.ts";

/** Notes about files and lines that a search skipped without a mark in its results. */
export function searchNotes(found: SearchResult): string[] {
  const { matches, filesScanned, binaryFiles, partlySearchedLines } = found;
  const notes: string[] = [];
  if (found.engine === "backtracking")
    notes.push("The pattern has look-around or a back-reference, so it ran with a separate deadline.");
  if (partlySearchedLines > 0)
    notes.push(
      `Lines of which only the first 1 MiB was searched: ${partlySearchedLines}. A pattern without look-around and back-references searches whole lines.`,
    );
  if (binaryFiles > 0 && (matches.length === 0 || binaryFiles === filesScanned))
    notes.push(`Binary files, which were not searched completely: ${binaryFiles} of ${filesScanned}.`);
  return notes;
}
