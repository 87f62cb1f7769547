import { setImmediate as nextTurn } from "node:timers/promises";
import { HotcellError } from "../../core/errors.ts";
import { compileGlob } from "../../core/glob.ts";
import type { JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import type { FileStat, WalkEntry, WorkspaceFS } from "../../workspace/files/workspace-fs.ts";
import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";

interface Args {
  readonly path?: string;
  readonly pattern?: string;
  readonly recursive?: boolean;
}

/** Named once and not entered, unless the listing begins inside: they would drown everything else. */
const NOT_ENTERED = [".git", "node_modules"];
const SHOWN_SKIPPED = 5;
/** How long a listing may keep everything else waiting, its own time limit included. */
const TURN_MS = 10;
/** The last moment that a date can tell. */
const MAX_DATE_MS = 8.64e15;

export const listDirectory = defineTool({
  name: "list_directory",
  toolset: "sidecar",
  description:
    "List a directory: name, type, size and time of change of each entry. Links are shown, never followed.",
  inputSchema: {
    type: "object",
    properties: {
      path: {
        type: "string",
        format: "path",
        description: "Directory relative to the workspace; the workspace itself when left out",
      },
      pattern: {
        type: "string",
        minLength: 1,
        maxLength: 1024,
        description: "Glob, such as *.ts or src/**/*.md",
      },
      recursive: { type: "boolean", description: "Also list what is in directories below" },
    },
    additionalProperties: false,
  },
  category: "file",
  danger: "safe",
  effect: "read",
  needs: ["workspace"],
  subject: "path",
  subjects: ({ path = "." }: Args) => [path],
  async run(args: Args, { workspace }, signal) {
    const { path = ".", pattern, recursive = false } = args;
    const start = workspace.resolve(path).path;
    const { entries, truncated, skipped } =
      recursive || pattern !== undefined ? await walk(start, args, workspace, signal) : list(path, workspace);
    const output = { path: showName(start) || ".", entries, truncated };
    const note = notesOf(truncated, skipped).join(" ");
    return note === "" ? output : { ...output, note };
  },
});

interface Listed {
  readonly entries: readonly JsonObject[];
  readonly truncated: boolean;
  /** Directories that were named and not entered. */
  readonly skipped: readonly string[];
}

function list(path: string, workspace: WorkspaceFS): Listed {
  const { entries, total } = workspace.list(path, { limit: LIMITS.maxListEntries });
  const truncated = total > LIMITS.maxListEntries;
  return { entries: entries.map((entry) => entryOf(entry.name, entry)), truncated, skipped: [] };
}

async function walk(start: string, args: Args, workspace: WorkspaceFS, signal: AbortSignal): Promise<Listed> {
  const { path = ".", pattern, recursive = false } = args;
  const matches = pattern === undefined ? () => true : globOn(pattern);
  const entries: JsonObject[] = [];
  const skipped: string[] = [];
  const refused = (at: string) => skipped.push(showName(at));
  const enter = (at: string) => recursive && !isSkipped(at, skipped);
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

/** Null when it is gone by now: the tree lives while it is listed. */
function tryStat(entry: WalkEntry): FileStat | null {
  try {
    return entry.stat();
  } catch (error) {
    if (error instanceof HotcellError && error.code === "NOT_FOUND") return null;
    throw error;
  }
}

/** A pattern without a slash is about the last name, wherever it is. */
function globOn(pattern: string): (name: string) => boolean {
  const matches = compileGlob(pattern);
  if (pattern.includes("/")) return matches;
  return (name) => matches(name.slice(name.lastIndexOf("/") + 1));
}

function isSkipped(path: string, skipped: string[]): boolean {
  const skip = NOT_ENTERED.includes(path.slice(path.lastIndexOf("/") + 1));
  if (skip) skipped.push(showName(path));
  return skip;
}

function entryOf(name: string, { kind, size, modifiedMs }: FileStat): JsonObject {
  return {
    name: showName(name),
    type: kind,
    size,
    modified: new Date(Math.min(modifiedMs, MAX_DATE_MS)).toISOString(),
  };
}

function notesOf(truncated: boolean, skipped: readonly string[]): string[] {
  const notes: string[] = [];
  if (truncated)
    notes.push(
      `Only the first ${LIMITS.maxListEntries} entries are shown: give a narrower path or a pattern.`,
    );
  if (skipped.length > 0) {
    const more = skipped.length > SHOWN_SKIPPED ? " and more" : "";
    notes.push(
      `Not entered: ${skipped.slice(0, SHOWN_SKIPPED).join(", ")}${more}. List them by their own path.`,
    );
  }
  return notes;
}
