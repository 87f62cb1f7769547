import { HotcellError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { readHead } from "../../workspace/files/read-head.ts";
import { type Lines, readLines } from "../../workspace/files/read-lines.ts";
import type { OpenedFile } from "../../workspace/files/workspace-fs.ts";
import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { hasNonUtf8Bytes, NON_UTF8_NOTE } from "../non-utf8.ts";
import { FS_READ_OUTPUT } from "../output/output-schemas.ts";
import { readFitting } from "../read-fitting.ts";
import { MOUNT_PATH, MOUNT_TOOL, READING_TOOL } from "./mount-tool.ts";

interface Args {
  readonly path: string;
  readonly startLine?: number;
  readonly endLine?: number;
}

export const fsRead = defineTool({
  ...MOUNT_TOOL,
  ...READING_TOOL,
  name: "fs.read",
  outputSchema: FS_READ_OUTPUT,
  description:
    "Read a text file, whole or from startLine to endLine. A long result is cut, with a note. sha256 covers the whole file.",
  input: {
    type: "object",
    properties: {
      path: MOUNT_PATH,
      startLine: { type: "integer", minimum: 1, description: "First line to read (1-based)" },
      endLine: { type: "integer", minimum: 1, description: "Last line to read (inclusive)" },
    },
    required: ["path"],
    additionalProperties: false,
  },
  needs: ["workspace", "limits"],
  async run(args: Args, { workspace, limits: { maxReadBytes } }, signal) {
    checkWindow(args);
    const file = workspace.open(args.path);
    try {
      const isWhole = args.startLine === undefined && args.endLine === undefined;
      return await readFitting(file.size, maxReadBytes, (maxBytes) =>
        isWhole ? whole(file, maxBytes, signal) : windowOf(file, args, maxBytes, signal),
      );
    } finally {
      file.close();
    }
  },
});

function checkWindow({ path, startLine = 1, endLine }: Args): void {
  if (endLine === undefined || endLine >= startLine) return;
  const message = `Could not read "${path}": endLine ${endLine} is before startLine ${startLine}.`;
  throw new HotcellError("EXECUTION_ERROR", message);
}

async function whole(file: OpenedFile, maxBytes: number, signal: AbortSignal): Promise<JsonObject> {
  const { text, truncated, sha256, bytes } = await readHead(file, maxBytes, signal);
  const about = { path: showName(file.path), bytes, sha256, truncated };
  const odd = hasNonUtf8Bytes(file, text) ? [NON_UTF8_NOTE] : [];
  if (!truncated) return { ...about, content: text, ...hintOf(odd) };
  const size = `The file has ${bytes} bytes, and one call may read ${maxBytes}.`;
  const next = await nextStep(file, text, signal);
  return { ...about, contentPreview: text, ...hintOf([size, next, ...odd]) };
}

/** From a preview that ends anywhere. */
async function nextStep(file: OpenedFile, preview: string, signal: AbortSignal): Promise<string> {
  const line = preview.split("\n").length;
  if (line > 1) return `Give startLine and endLine, or use fs.search. Continue with startLine ${line}.`;
  const { total } = await readLines(file, { ...ALL_LINES, maxBytes: 0 }, signal);
  return behindLongLine(1, total);
}

const ALL_LINES = {
  start: 1,
  end: Number.POSITIVE_INFINITY,
  lineCost: 0,
  maxHashBytes: Number.POSITIVE_INFINITY,
};

function behindLongLine(line: number, total: number | null): string {
  const cut = `Line ${line} is longer than one call may read.`;
  const next = line === total ? "It is the last line" : `Continue with startLine ${line + 1}`;
  return `${cut} ${next}. Use fs.search to find text in it.`;
}

async function windowOf(
  file: OpenedFile,
  { startLine = 1, endLine = Number.POSITIVE_INFINITY }: Args,
  maxBytes: number,
  signal: AbortSignal,
): Promise<JsonObject> {
  const range = { ...ALL_LINES, start: startLine, end: endLine, maxBytes };
  const found = await readLines(file, range, signal);
  const { lines, nextLine, sha256, bytes } = found;
  const truncated = nextLine !== null;
  const about = { path: showName(file.path), bytes, sha256, truncated };
  const text = lines.join("\n");
  const hint = hintOf(notesOf(startLine, found));
  return truncated ? { ...about, contentPreview: text, ...hint } : { ...about, content: text, ...hint };
}

function notesOf(startLine: number, { nextLine, cutWithinLine, total, lossy }: Lines): string[] {
  const notes: string[] = [];
  if (nextLine !== null)
    notes.push(cutWithinLine ? behindLongLine(nextLine - 1, total) : `Continue with startLine ${nextLine}.`);
  if (startLine > 1 && total !== null && startLine > total)
    notes.push(`There is no line ${startLine}: the file has ${total} ${total === 1 ? "line" : "lines"}.`);
  if (lossy) notes.push(NON_UTF8_NOTE);
  return notes;
}

function hintOf(notes: readonly string[]): { hint?: string } {
  return notes.length === 0 ? {} : { hint: notes.join(" ") };
}
