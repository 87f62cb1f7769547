import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { searchNotes } from "../search-notes.ts";

interface Args {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly regex?: boolean;
  readonly case_sensitive?: boolean;
  readonly max_results?: number;
}

const DEFAULT_RESULTS = 50;
const MAX_LINE_CHARS = 500;

export const searchFiles = defineTool({
  name: "search_files",
  toolset: "sidecar",
  description:
    "Search the workspace's files line by line for plain text, or for a regular expression. Files that git ignores, hidden and binary ones are left out.",
  inputSchema: {
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
        description: "Directory or file relative to the workspace; the workspace itself when left out",
      },
      glob: {
        type: "string",
        minLength: 1,
        maxLength: 1024,
        description: "Only files like *.ts or src/**/*.md",
      },
      regex: { type: "boolean", description: "The pattern is a regular expression (JavaScript's syntax)" },
      case_sensitive: { type: "boolean", description: "True unless told otherwise" },
      max_results: { type: "integer", minimum: 1, maximum: 1000, description: "50 unless told otherwise" },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  category: "search",
  danger: "safe",
  effect: "read",
  needs: ["workspace", "progress"],
  subject: "path",
  subjects: ({ path = "." }: Args) => [path],
  async run(args: Args, { workspace, progress }, signal) {
    const { path = ".", glob, regex = false, case_sensitive: minds = true } = args;
    const { max_results: maxMatches = DEFAULT_RESULTS } = args;
    const query = {
      pattern: args.pattern,
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
    } as const;
    const found = await workspace.search(path, query, { signal, onProgress: progress });
    const { filesScanned, truncated } = found;
    const matches = found.matches.map(({ path: at, line, text }) => ({ path: showName(at), line, text }));
    const narrower = `Only the first ${maxMatches} matches are shown: give a narrower pattern, path or glob.`;
    const notes = [...(truncated ? [narrower] : []), ...searchNotes(found)];
    const output = { matches, files_scanned: filesScanned, truncated };
    return notes.length === 0 ? output : { ...output, note: notes.join(" ") };
  },
});
