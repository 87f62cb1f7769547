import { HotcellError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { type Lines, readLines } from "../../workspace/files/read-lines.ts";
import type { OpenedFile } from "../../workspace/files/workspace-fs.ts";
import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { readFitting } from "../read-fitting.ts";
import { guessMime, isBinary } from "./binary.ts";

interface Args {
  readonly path: string;
  readonly start_line?: number;
  readonly end_line?: number;
}

export const readFile = defineTool({
  name: "read_file",
  toolset: "sidecar",
  description:
    "Read a text file. Returns its lines, each with its number and a tab before it. For a large file give start_line and end_line.",
  inputSchema: {
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
  needs: ["workspace"],
  subject: "path",
  async run(args: Args, { workspace }, signal) {
    checkRange(args);
    const file = workspace.open(args.path);
    try {
      return await readOpened(file, args, signal);
    } finally {
      file.close();
    }
  },
});

async function readOpened(file: OpenedFile, args: Args, signal: AbortSignal): Promise<JsonObject> {
  const { start_line: start = 1, end_line: end = Number.POSITIVE_INFINITY } = args;
  const path = showName(file.path);
  const { head, whole } = withHead(file);
  if (isBinary(head)) {
    const mime = guessMime(head);
    return binaryOutput(path, file.size, mime, await readLines(whole, NOTHING, signal));
  }
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

/** The number, the tab, and the line end as it stands in JSON. */
const LINE_COST = 8;
const NOTHING = { start: 1, end: 0, maxBytes: 0, lineCost: 0, maxHashBytes: LIMITS.maxHashBytes };

function checkRange({ start_line: start = 1, end_line: end }: Args): void {
  if (end === undefined || end >= start) return;
  throw new HotcellError(
    "INVALID_ARGUMENTS",
    `The range is refused: end_line ${end} is before start_line ${start}.`,
  );
}

/** The first bytes, valid until the next chunk is asked for; and all chunks, so that nothing is read twice. */
function withHead({ size, chunks }: OpenedFile) {
  const rest = chunks();
  const first = rest.next();
  const head = first.done ? Buffer.alloc(0) : first.value.subarray(0, LIMITS.binaryProbeBytes);
  function* all() {
    if (!first.done) yield first.value;
    yield* rest;
  }
  return { head, whole: { size, chunks: all } };
}

function binaryOutput(path: string, size: number, mime: string, { sha256 }: Lines): JsonObject {
  const note = "This is a binary file: its content is not shown.";
  return {
    path,
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

function textOutput(path: string, start: number, lines: Lines): JsonObject {
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
      ? `Line ${nextLine - 1} is longer than one answer may be and was cut.`
      : "The answer was cut.";
    notes.push(`${cut} Go on with start_line ${nextLine}.`);
  }
  if (total === null)
    notes.push("sha256 and the count of lines were skipped: the file is larger than 256 MiB.");
  if (lossy) notes.push("The file is not UTF-8: odd bytes are shown as U+FFFD.");
  if (lines.length === 0 && start > 1)
    notes.push(`There is no line ${start}${total === null ? "" : `: the file has ${total}`}.`);
  return notes;
}
