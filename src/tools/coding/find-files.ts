import { setImmediate as nextTurn } from "node:timers/promises";
import { LIMITS } from "../../core/limits.ts";
import type { WorkspaceFS } from "../../workspace/files/workspace-fs.ts";
import { showName } from "../../workspace/fs/names.ts";
import { splitPath } from "../../workspace/fs/path-text.ts";
import { defineTool } from "../define-tool.ts";
import { FIND_FILES_OUTPUT } from "../output/output-schemas.ts";
import { globOn, NOT_ENTERED, TURN_MS } from "../sidecar/list-directory.ts";
import { fittingItems } from "./fit-items.ts";
import { createIgnoreCheck } from "./ignore-check.ts";

interface Args {
  readonly pattern: string;
  readonly path?: string;
}

export const findFiles = defineTool({
  name: "find_files",
  outputSchema: FIND_FILES_OUTPUT,
  toolset: "coding",
  description:
    "Find files by a glob. A pattern without a slash matches the name in any directory. Files that git ignores, .git and node_modules are left out.",
  input: {
    type: "object",
    properties: {
      pattern: {
        type: "string",
        minLength: 1,
        maxLength: 1024,
        description: "Glob, such as *.test.ts or src/**/index.{js,ts}",
      },
      path: {
        type: "string",
        format: "path",
        description: "Directory to look in, relative to the workspace; the workspace itself when left out",
      },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  category: "search",
  danger: "safe",
  effect: "read",
  needs: ["workspace", "limits"],
  subject: "path",
  subjects: ({ path = "." }: Args) => [path],
  async run(args: Args, { workspace, limits: { observationBytes } }, signal) {
    const { found, isComplete } = await find(args, workspace, signal);
    const paths = fittingItems(found, observationBytes);
    if (isComplete && paths.length === found.length) return { paths, truncated: false };
    const note = `Only the first ${paths.length} files are shown: give a narrower pattern or a path.`;
    return { paths, truncated: true, note };
  },
});

interface Found {
  readonly found: readonly string[];
  readonly isComplete: boolean;
}

async function find(
  { pattern, path = "." }: Args,
  workspace: WorkspaceFS,
  signal: AbortSignal,
): Promise<Found> {
  const start = workspace.resolve(path).path;
  const matches = globOn(pattern);
  const isIgnored = createIgnoreCheck(workspace);
  const enter = (at: string) => !NOT_ENTERED.includes(splitPath(at).name) && !isIgnored(at, true);
  const found: string[] = [];
  let turnEnds = performance.now() + TURN_MS;
  for (const entry of workspace.walk(path, { enter, refused: () => {} })) {
    if (performance.now() > turnEnds) {
      await nextTurn();
      turnEnds = performance.now() + TURN_MS;
    }
    signal.throwIfAborted();
    const name = start === "" ? entry.path : entry.path.slice(start.length + 1);
    if (entry.kind === "directory" || !matches(name) || isIgnored(entry.path, false)) continue;
    if (found.length === LIMITS.maxListEntries) return { found, isComplete: false };
    found.push(showName(entry.path));
  }
  return { found, isComplete: true };
}
