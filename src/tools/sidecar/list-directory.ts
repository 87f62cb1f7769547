import { setImmediate as nextTurn } from "node:timers/promises";
import { HotcellError } from "../../core/errors.ts";
import { compileGlob } from "../../core/glob.ts";
import type { JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import type { FileStat, WalkEntry, WorkspaceFS } from "../../workspace/files/workspace-fs.ts";
import { showName } from "../../workspace/fs/names.ts";
import { splitPath } from "../../workspace/fs/path-text.ts";
import { defineTool } from "../define-tool.ts";
import { LIST_DIRECTORY_OUTPUT } from "../output/output-schemas.ts";

export interface ListDirectoryArgs {
  readonly path?: string;
  readonly pattern?: string;
  readonly recursive?: boolean;
}

/** Directories that are listed but not entered, unless the listing begins inside one: their entries would hide all others. */
export const NOT_ENTERED = [".git", "node_modules"];
const SHOWN_SKIPPED = 5;
/** How long a listing may block the event loop, and with it its own time limit. */
export const TURN_MS = 10;
/** The latest time that a `Date` can represent. */
const MAX_DATE_MS = 8.64e15;

export const LIST_DIRECTORY = {
  name: "list_directory",
  outputSchema: LIST_DIRECTORY_OUTPUT,
  description:
    "List a directory: name, type, size and time of change of each entry. Symbolic links are shown and not followed.",
  input: {
    type: "object",
    properties: {
      path: {
        type: "string",
        format: "path",
        description: "Directory relative to the workspace; default: the workspace",
      },
      pattern: {
        type: "string",
        minLength: 1,
        maxLength: 1024,
        description: "Glob, such as *.ts or src/**/*.md",
      },
      recursive: { type: "boolean", description: "Also list subdirectories" },
    },
    additionalProperties: false,
  },
  category: "file",
  danger: "safe",
  effect: "read",
  subject: "path",
  subjects: ({ path = "." }: ListDirectoryArgs) => [path],
} as const;

export const listDirectory = defineTool({
  ...LIST_DIRECTORY,
  toolset: "sidecar",
  needs: ["workspace"],
  run: (args: ListDirectoryArgs, { workspace }, signal) => listEntries(args, workspace, signal),
});

/** `fitEntries` selects the entries that fit. */
export async function listEntries(
  args: ListDirectoryArgs,
  workspace: WorkspaceFS,
  signal: AbortSignal,
  fitEntries = (entries: readonly JsonObject[]) => entries,
): Promise<JsonObject> {
  const { path = ".", pattern, recursive = false } = args;
  const start = workspace.resolve(path).path;
  const listed =
    recursive || pattern !== undefined ? await walk(start, args, workspace, signal) : list(path, workspace);
  const entries = fitEntries(listed.entries);
  const truncated = listed.truncated || entries.length < listed.entries.length;
  const output = { path: showName(start) || ".", entries, truncated };
  const note = notesOf(truncated ? entries.length : null, listed.skipped).join(" ");
  return note === "" ? output : { ...output, note };
}

interface Listed {
  readonly entries: readonly JsonObject[];
  readonly truncated: boolean;
  /** The first directories that were listed but not entered. */
  readonly skipped: readonly string[];
}

function list(path: string, workspace: WorkspaceFS): Listed {
  const { entries, total } = workspace.list(path, { limit: LIMITS.maxListEntries });
  const truncated = total > LIMITS.maxListEntries;
  return { entries: entries.map((entry) => entryOf(entry.name, entry)), truncated, skipped: [] };
}

async function walk(
  start: string,
  args: ListDirectoryArgs,
  workspace: WorkspaceFS,
  signal: AbortSignal,
): Promise<Listed> {
  const { path = ".", pattern, recursive = false } = args;
  const matches = pattern === undefined ? () => true : globOn(pattern);
  const entries: JsonObject[] = [];
  const skipped: string[] = [];
  // One more than are shown: a tree may have millions.
  const refused = (at: string) => {
    if (skipped.length <= SHOWN_SKIPPED) skipped.push(showName(at));
  };
  const enter = (at: string) => {
    const isSkipped = recursive && NOT_ENTERED.includes(splitPath(at).name);
    if (isSkipped) refused(at);
    return recursive && !isSkipped;
  };
  let turnEnds = performance.now() + TURN_MS;
  for (const entry of workspace.walk(path, { enter, refused })) {
    if (performance.now() > turnEnds) {
      await nextTurn();
      turnEnds = performance.now() + TURN_MS;
    }
    signal.throwIfAborted();
    const name = start === "" ? entry.path : entry.path.slice(start.length + 1);
    if (!matches(name)) continue;
    if (entries.length === LIMITS.maxListEntries) return { entries, truncated: true, skipped };
    const stat = tryStat(entry);
    if (stat !== null) entries.push(entryOf(name, stat));
  }
  return { entries, truncated: false, skipped };
}

/** Null if the entry has vanished: the tree may change during the listing. */
function tryStat(entry: WalkEntry): FileStat | null {
  try {
    return entry.stat();
  } catch (error) {
    if (error instanceof HotcellError && error.code === "NOT_FOUND") return null;
    throw error;
  }
}

/** A pattern without a slash matches the last name of a path. */
export function globOn(pattern: string): (name: string) => boolean {
  const matches = compileGlob(pattern);
  if (pattern.includes("/")) return matches;
  return (name) => matches(splitPath(name).name);
}

function entryOf(name: string, { kind, size, modifiedMs }: FileStat): JsonObject {
  return {
    name: showName(name),
    type: kind,
    size,
    modified: new Date(Math.min(modifiedMs, MAX_DATE_MS)).toISOString(),
  };
}

function notesOf(cutAt: number | null, skipped: readonly string[]): string[] {
  const notes: string[] = [];
  if (cutAt !== null)
    notes.push(`Only the first ${cutAt} entries are shown. Give a narrower path or a pattern.`);
  if (skipped.length > 0) {
    const more = skipped.length > SHOWN_SKIPPED ? " and more" : "";
    notes.push(
      `Not listed: ${skipped.slice(0, SHOWN_SKIPPED).join(", ")}${more}. List each by its own path.`,
    );
  }
  return notes;
}
