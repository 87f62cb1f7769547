import { LIMITS } from "../../core/limits.ts";
import type { SearchMatch } from "../../workspace/files/search-query.ts";
import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { FS_SEARCH_OUTPUT } from "../output/output-schemas.ts";
import { searchNotes } from "../search-notes.ts";
import { fittingMatches } from "./fit-matches.ts";
import { MOUNT_PATH, MOUNT_TOOL, READING_TOOL } from "./mount-tool.ts";
import { looksLikeRegex, readSearchPattern } from "./search-pattern.ts";

interface Args {
  readonly path: string;
  readonly pattern: string;
  readonly before?: number;
  readonly after?: number;
  readonly maxMatches?: number;
}

const MAX_CONTEXT = 20;
const MAX_LINE_CHARS = 2000;
const TAKEN_AS_TEXT =
  "The pattern was searched for as plain text. For a regular expression, write /…/, with \\/ for a slash.";

export const fsSearch = defineTool({
  ...MOUNT_TOOL,
  ...READING_TOOL,
  name: "fs.search",
  outputSchema: FS_SEARCH_OUTPUT,
  description:
    "Search the files of a directory, line by line, for plain text or a /regex/ (/regex/i ignores case). The search skips files that git ignores, node_modules and hidden directories.",
  input: {
    type: "object",
    properties: {
      path: MOUNT_PATH,
      pattern: { type: "string", minLength: 1, description: "Plain text, or /regex/ or /regex/i" },
      before: { type: "integer", minimum: 0, maximum: MAX_CONTEXT, description: "Lines before (default 1)" },
      after: { type: "integer", minimum: 0, maximum: MAX_CONTEXT, description: "Lines after (default 1)" },
      maxMatches: {
        type: "integer",
        minimum: 1,
        maximum: 1000,
        description: "The maximum number of matches",
      },
    },
    required: ["path", "pattern"],
    additionalProperties: false,
  },
  category: "search",
  needs: ["workspace", "limits", "progress"],
  async run(args: Args, { workspace, limits, progress }, signal) {
    const { before = 1, after = 1 } = args;
    const maxMatches = Math.min(args.maxMatches ?? limits.maxMatches, limits.maxMatches);
    const pattern = readSearchPattern(args.pattern);
    const query = {
      ...pattern,
      globs: [],
      hidden: "files",
      ignored: false,
      skipped: ["node_modules"],
      before,
      after,
      maxMatches,
      maxLineChars: MAX_LINE_CHARS,
    } as const;
    const found = await workspace.search(args.path, query, { signal, onProgress: progress });
    const matches = fittingMatches(found.matches, LIMITS.maxMatchChars).map(matchOf);
    const truncated = found.truncated || matches.length < found.matches.length;
    const output = {
      path: showName(workspace.resolve(args.path).path),
      matches,
      truncated,
      stats: { filesScanned: found.filesScanned, matches: matches.length },
    };
    const narrower = `Only the first ${matches.length} matches are shown. Search a subdirectory, give a narrower pattern, or ask for fewer context lines.`;
    const meantAsRegex = matches.length === 0 && looksLikeRegex(pattern);
    const hints = [
      ...(truncated ? [narrower] : []),
      ...(meantAsRegex ? [TAKEN_AS_TEXT] : []),
      ...searchNotes(found),
    ];
    return hints.length === 0 ? output : { ...output, hint: hints.join(" ") };
  },
});

function matchOf({ path, line, text, before, after }: SearchMatch) {
  return { path: showName(path), line, text, before, after };
}
