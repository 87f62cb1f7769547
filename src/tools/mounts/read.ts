import { HotcellError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { readHead } from "../../workspace/files/read-head.ts";
import { type Lines, readLines } from "../../workspace/files/read-lines.ts";
import type { OpenedFile } from "../../workspace/files/workspace-fs.ts";
import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { hasOddBytes, ODD_BYTES_NOTE } from "../non-utf8.ts";
import { readFitting } from "../read-fitting.ts";
import { LOOKING, MOUNT_PATH, MOUNT_TOOL } from "./mount-tool.ts";

interface Args {
  readonly path: string;
  readonly startLine?: number;
  readonly endLine?: number;
}

export const fsRead = defineTool({
  ...MOUNT_TOOL,
  ...LOOKING,
  name: "fs.read",
  description:
    "Read a text file, whole or from startLine to endLine. A long answer is cut and says so; sha256 is of the whole file.",
  inputSchema: {
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
  const odd = hasOddBytes(file, text) ? [ODD_BYTES_NOTE] : [];
  if (!truncated) return { ...about, content: text, ...hintOf(odd) };
  const size = `The file has ${bytes} bytes, and ${maxBytes} may be read at once.`;
  const next = await nextStep(file, text, signal);
  return { ...about, contentPreview: text, ...hintOf([size, next, ...odd]) };
}

/** From a preview that ends anywhere. */
async function nextStep(file: OpenedFile, preview: string, signal: AbortSignal): Promise<string> {
  const line = preview.split("\n").length;
  if (line > 1) return `Give startLine and endLine, or use fs.search. Go on with startLine ${line}.`;
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
  const cut = `Line ${line} is longer than may be read at once.`;
  const next = line === total ? "It is the last line" : `Go on with startLine ${line + 1}`;
  return `${cut} ${next}; fs.search finds what is in it.`;
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
    notes.push(cutWithinLine ? behindLongLine(nextLine - 1, total) : `Go on with startLine ${nextLine}.`);
  if (startLine > 1 && total !== null && startLine > total)
    notes.push(`There is no line ${startLine}: the file has ${total} ${total === 1 ? "line" : "lines"}.`);
  if (lossy) notes.push(ODD_BYTES_NOTE);
  return notes;
}

function hintOf(notes: readonly string[]): { hint?: string } {
  return notes.length === 0 ? {} : { hint: notes.join(" ") };
}
