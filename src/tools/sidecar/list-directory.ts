import { compileGlob } from "../../core/glob.ts";
import type { JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { showName } from "../../workspace/names.ts";
import type { FileStat } from "../../workspace/workspace-fs.ts";
import { defineTool } from "../define-tool.ts";

interface Args {
  readonly path?: string;
  readonly pattern?: string;
  readonly recursive?: boolean;
}

/** Named once and not entered, unless the listing begins inside: they would drown everything else. */
const NOT_ENTERED = [".git", "node_modules"];
const SHOWN_SKIPPED = 5;

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
  run({ path = ".", pattern, recursive = false }: Args, { workspace }, signal) {
    const start = workspace.resolve(path).path;
    const matches = pattern === undefined ? () => true : globOn(pattern);
    const entries: JsonObject[] = [];
    const skipped: string[] = [];
    let truncated = false;
    for (const entry of workspace.walk(path, { enter: (at) => recursive && !isSkipped(at, skipped) })) {
      signal.throwIfAborted();
      const name = start === "" ? entry.path : entry.path.slice(start.length + 1);
      if (!matches(name)) continue;
      truncated = entries.length === LIMITS.maxListEntries;
      if (truncated) break;
      entries.push(entryOf(name, entry.stat()));
    }
    const output = { path: showName(start) || ".", entries, truncated };
    const note = notesOf(truncated, skipped).join(" ");
    return note === "" ? output : { ...output, note };
  },
});

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
  return { name: showName(name), type: kind, size, modified: new Date(modifiedMs).toISOString() };
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
