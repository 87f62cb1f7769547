import type { JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import type { SearchMatch, SearchResult } from "../../workspace/files/search-query.ts";
import { showName } from "../../workspace/fs/names.ts";
import type { FoundLine } from "../builtin-types.ts";
import { defineTool } from "../define-tool.ts";
import { searchNotes } from "../search-notes.ts";
import { SEARCH_FILES, type SearchFilesArgs, searchQuery } from "../sidecar/search-files.ts";
import { fittingItems, jsonBytes } from "./fit-items.ts";
import { foundLineText } from "./found-line-text.ts";

interface Args extends SearchFilesArgs {
  readonly context?: number;
  readonly show?: "lines" | "files" | "counts";
}

const DEFAULT_RESULTS = 100;
/** The text of a line is not needed to count it. */
const COUNTED_LINE_CHARS = 1;

export const codingSearchFiles = defineTool({
  ...SEARCH_FILES,
  toolset: "coding",
  input: {
    ...SEARCH_FILES.input,
    properties: {
      ...SEARCH_FILES.input.properties,
      context: {
        type: "integer",
        minimum: 0,
        maximum: 20,
        description: "Lines to show before and after each match; default: 0",
      },
      show: {
        type: "string",
        enum: ["lines", "files", "counts"],
        description: "Matching lines (the default), only the names of files, or how many lines of each file",
      },
      max_results: {
        type: "integer",
        minimum: 1,
        maximum: 1000,
        description: "Lines or files to show; default: 100",
      },
    },
  },
  needs: ["workspace", "progress", "limits"],
  async run(args: Args, { workspace, progress, limits: { observationBytes } }, signal) {
    const { path = ".", context = 0, show = "lines", max_results: maxResults = DEFAULT_RESULTS } = args;
    const query =
      show === "lines"
        ? { ...searchQuery(args, maxResults), before: context, after: context }
        : { ...searchQuery(args, LIMITS.maxCountedMatches), maxLineChars: COUNTED_LINE_CHARS };
    const found = await workspace.search(path, query, { signal, onProgress: progress });
    if (show === "lines") return shownLines(found, observationBytes);
    return shownFiles(found, { show, maxResults, observationBytes });
  },
});

function shownLines(found: SearchResult, maxBytes: number): JsonObject {
  const lines = found.matches.map(lineOf);
  const isTooLong = lines.length > 0 && shownBytes(lines[0]!) > maxBytes;
  const matches = isTooLong ? [withoutContext(lines[0]!)] : fittingItems(lines, maxBytes, shownBytes);
  const truncated = found.truncated || isTooLong || matches.length < lines.length;
  const cut = `Only the first ${matches.length} matches are shown. Give a narrower pattern, path or glob.`;
  const alone = "The lines around the match are too long to be shown: give a smaller context.";
  const cuts = [...(truncated ? [cut] : []), ...(isTooLong ? [alone] : [])];
  return answer(found, { matches, truncated }, cuts);
}

/** A model gets JSON or text, and the text repeats the path on each line of context. */
const shownBytes = (line: FoundLine): number =>
  Math.max(jsonBytes(line), Buffer.byteLength(foundLineText(line)));

const withoutContext = ({ path, line, text }: FoundLine): FoundLine => ({ path, line, text });

function lineOf({ path, line, text, before, after }: SearchMatch): FoundLine {
  const around = before.length + after.length > 0 ? { before, after } : {};
  return { path: showName(path), line, text, ...around };
}

interface ShownFiles {
  readonly show: "files" | "counts";
  readonly maxResults: number;
  readonly observationBytes: number;
}

function shownFiles(found: SearchResult, { show, maxResults, observationBytes }: ShownFiles): JsonObject {
  const counts = new Map<string, number>();
  for (const { path } of found.matches) counts.set(path, (counts.get(path) ?? 0) + 1);
  const all = [...counts].map(([path, count]) => ({ path: showName(path), count }));
  const files = fittingItems(all.slice(0, maxResults), observationBytes);
  const truncated = found.truncated || files.length < all.length;
  const about = { matches: [], [show]: show === "files" ? files.map(({ path }) => path) : files, truncated };
  return answer(found, about, [
    ...(found.truncated ? [`Only the first ${LIMITS.maxCountedMatches} matching lines count.`] : []),
    ...(files.length < all.length
      ? [`Only the first ${files.length} of ${all.length} files are shown. Give a narrower path or glob.`]
      : []),
  ]);
}

function answer(found: SearchResult, about: JsonObject, cuts: readonly string[]): JsonObject {
  const { truncated, ...shown } = about;
  const output = { ...shown, files_scanned: found.filesScanned, truncated: truncated! };
  const notes = [...cuts, ...searchNotes(found)];
  return notes.length === 0 ? output : { ...output, note: notes.join(" ") };
}
