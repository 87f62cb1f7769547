import { HotcellError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { type Lines, readLines } from "../../workspace/files/read-lines.ts";
import type { OpenedFile } from "../../workspace/files/workspace-fs.ts";
import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { READ_FILE_OUTPUT } from "../output/output-schemas.ts";
import { readFitting } from "../read-fitting.ts";
import { guessMime, isBinary } from "./binary.ts";

export interface ReadFileArgs {
  readonly path: string;
  readonly start_line?: number;
  readonly end_line?: number;
}

export const READ_FILE = {
  name: "read_file",
  outputSchema: READ_FILE_OUTPUT,
  input: {
    type: "object",
    properties: {
      path: { type: "string", format: "path", description: "File path relative to the workspace" },
      start_line: { type: "integer", minimum: 1, description: "First line to read (1-based)" },
      end_line: { type: "integer", minimum: 1, description: "Last line to read (inclusive)" },
    },
    required: ["path"],
    additionalProperties: false,
  },
  category: "file",
  danger: "safe",
  effect: "read",
  subject: "path",
} as const;

export const readFile = defineTool({
  ...READ_FILE,
  toolset: "sidecar",
  description:
    "Read a text file. Returns its lines, each after its number and a tab. For a large file, give start_line and end_line.",
  needs: ["workspace"],
  async run(args: ReadFileArgs, { workspace }, signal) {
    checkRange(args);
    const file = workspace.open(args.path);
    try {
      return await readOpened(file, args, signal);
    } finally {
      file.close();
    }
  },
});

async function readOpened(file: OpenedFile, args: ReadFileArgs, signal: AbortSignal): Promise<JsonObject> {
  const { start_line: start = 1, end_line: end = Number.POSITIVE_INFINITY } = args;
  const path = showName(file.path);
  const { head, whole } = withHead(file);
  if (isBinary(head)) return readBinary(file, head, whole, signal);
  const isWhole = args.start_line === undefined && args.end_line === undefined;
  if (isWhole && file.size > LIMITS.maxReadBytes) throw tooLarge(path, file.size);
  const { maxReadBytes, maxHashBytes } = LIMITS;
  return readFitting(file.size, maxReadBytes, async (maxBytes) => {
    const range = { start, end, maxBytes, lineCost: LINE_COST, maxHashBytes };
    return textOutput(path, start, await readLines(maxBytes === maxReadBytes ? whole : file, range, signal));
  });
}

function tooLarge(path: string, size: number): HotcellError {
  return new HotcellError(
    "FILE_TOO_LARGE",
    `Could not read "${path}" whole: it has ${size} bytes, the limit is ${LIMITS.maxReadBytes}. Give start_line and end_line.`,
  );
}

/** The number, the tab, and the line end as escaped in JSON. */
export const LINE_COST = 8;
const NOTHING = { start: 1, end: 0, maxBytes: 0, lineCost: 0, maxHashBytes: LIMITS.maxHashBytes };

export function checkRange({ start_line: start = 1, end_line: end }: ReadFileArgs): void {
  if (end === undefined || end >= start) return;
  throw new HotcellError(
    "INVALID_ARGUMENTS",
    `The range is refused: end_line ${end} is before start_line ${start}.`,
  );
}

/** The first bytes, valid until the next chunk is read; and all chunks, so that nothing is read twice. */
export function withHead({ size, chunks }: OpenedFile) {
  const rest = chunks();
  const first = rest.next();
  const head = first.done ? Buffer.alloc(0) : first.value.subarray(0, LIMITS.binaryProbeBytes);
  function* all() {
    if (!first.done) yield first.value;
    yield* rest;
  }
  return { head, whole: { size, chunks: all } };
}

export async function readBinary(
  { path, size }: OpenedFile,
  head: Buffer,
  whole: Pick<OpenedFile, "size" | "chunks">,
  signal: AbortSignal,
): Promise<JsonObject> {
  const mime = guessMime(head);
  const { sha256 } = await readLines(whole, NOTHING, signal);
  const note = "This is a binary file, so its content is not shown.";
  return {
    path: showName(path),
    content: null,
    binary: true,
    size,
    mime,
    lines: null,
    sha256,
    truncated: false,
    note,
  };
}

export function textOutput(path: string, start: number, lines: Lines): JsonObject {
  const content = lines.lines.map((text, index) => `${start + index}\t${text}`).join("\n");
  const notes = notesOf(start, lines);
  const output = {
    path,
    content,
    lines: lines.total,
    sha256: lines.sha256,
    truncated: lines.nextLine !== null,
  };
  return notes.length === 0 ? output : { ...output, note: notes.join(" ") };
}

function notesOf(start: number, { lines, nextLine, cutWithinLine, lossy, total }: Lines): string[] {
  const notes: string[] = [];
  if (nextLine !== null) {
    const cut = cutWithinLine
      ? `Line ${nextLine - 1} is longer than the limit of one result, and was cut.`
      : "The result was cut.";
    notes.push(`${cut} Continue with start_line ${nextLine}.`);
  }
  if (total === null)
    notes.push("The result has no sha256 and no line count, because the file is larger than 256 MiB.");
  if (lossy) notes.push("The file is not UTF-8. Invalid bytes are shown as U+FFFD.");
  if (lines.length === 0 && start > 1)
    notes.push(`There is no line ${start}${total === null ? "" : `: the file has ${total}`}.`);
  return notes;
}
