import type { SearchQuery } from "../../workspace/files/search-query.ts";
import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { SEARCH_FILES_OUTPUT } from "../output/output-schemas.ts";
import { searchNotes } from "../search-notes.ts";

export interface SearchFilesArgs {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly regex?: boolean;
  readonly case_sensitive?: boolean;
  readonly max_results?: number;
}

const DEFAULT_RESULTS = 50;
const MAX_LINE_CHARS = 500;

export const SEARCH_FILES = {
  name: "search_files",
  outputSchema: SEARCH_FILES_OUTPUT,
  description:
    "Search the workspace's files line by line for plain text, or for a regular expression. The search skips hidden files, binary files and files that git ignores.",
  input: {
    type: "object",
    properties: {
      pattern: {
        type: "string",
        minLength: 1,
        description: "Plain text, or a regular expression with regex",
      },
      path: {
        type: "string",
        format: "path",
        description: "Directory or file relative to the workspace; default: the workspace",
      },
      glob: {
        type: "string",
        minLength: 1,
        maxLength: 1024,
        description: "Only files that match this glob, such as *.ts or src/**/*.md",
      },
      regex: { type: "boolean", description: "The pattern is a regular expression (JavaScript's syntax)" },
      case_sensitive: { type: "boolean", description: "Default: true" },
      max_results: { type: "integer", minimum: 1, maximum: 1000, description: "Default: 50" },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  category: "search",
  danger: "safe",
  effect: "read",
  subject: "path",
  subjects: ({ path = "." }: SearchFilesArgs) => [path],
} as const;

export const searchFiles = defineTool({
  ...SEARCH_FILES,
  toolset: "sidecar",
  needs: ["workspace", "progress"],
  async run(args: SearchFilesArgs, { workspace, progress }, signal) {
    const { path = ".", max_results: maxMatches = DEFAULT_RESULTS } = args;
    const found = await workspace.search(path, searchQuery(args, maxMatches), {
      signal,
      onProgress: progress,
    });
    const { filesScanned, truncated } = found;
    const matches = found.matches.map(({ path: at, line, text }) => ({ path: showName(at), line, text }));
    const narrower = `Only the first ${maxMatches} matches are shown. Give a narrower pattern, path or glob.`;
    const notes = [...(truncated ? [narrower] : []), ...searchNotes(found)];
    const output = { matches, files_scanned: filesScanned, truncated };
    return notes.length === 0 ? output : { ...output, note: notes.join(" ") };
  },
});

export function searchQuery(args: SearchFilesArgs, maxMatches: number): SearchQuery {
  const { pattern, glob, regex = false, case_sensitive: minds = true } = args;
  return {
    pattern,
    regex,
    ignoreCase: !minds,
    globs: glob === undefined ? [] : [glob],
    hidden: "none",
    ignored: false,
    skipped: [],
    before: 0,
    after: 0,
    maxMatches,
    maxLineChars: MAX_LINE_CHARS,
  };
}
