import type { JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { type Lines, readLines } from "../../workspace/files/read-lines.ts";
import type { OpenedFile } from "../../workspace/files/workspace-fs.ts";
import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { isBinary } from "../sidecar/binary.ts";
import {
  checkRange,
  LINE_COST,
  READ_FILE,
  type ReadFileArgs,
  readBinary,
  textOutput,
  withHead,
} from "../sidecar/read-file.ts";
import { imageMime } from "./image-mime.ts";

export const codingReadFile = defineTool({
  ...READ_FILE,
  toolset: "coding",
  description:
    "Read a text file or an image. Returns the lines of a text, each with its number and a tab before it, which are not part of the file. A long file is cut between lines, and the answer says where to go on: give start_line, and end_line if you need less.",
  needs: ["workspace", "limits"],
  async run(args: ReadFileArgs, { workspace, limits: { observationBytes } }, signal) {
    checkRange(args);
    const file = workspace.open(args.path);
    try {
      return await readOpened(file, args, observationBytes, signal);
    } finally {
      file.close();
    }
  },
});

async function readOpened(
  file: OpenedFile,
  { start_line: start = 1, end_line: end = Number.POSITIVE_INFINITY }: ReadFileArgs,
  maxBytes: number,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { head, whole } = withHead(file);
  const mime = imageMime(head);
  if (mime !== null) return readImage(file, mime, await readBinary(file, head, whole, signal));
  if (isBinary(head)) return readBinary(file, head, whole, signal);
  const range = { start, end, maxBytes, lineCost: LINE_COST, maxHashBytes: LIMITS.maxHashBytes };
  return shownText(showName(file.path), start, await readLines(whole, range, signal));
}

/** CRLF line endings are mentioned once instead of shown in each line: a model would copy them into one edit and forget them in the next. */
function shownText(path: string, start: number, read: Lines): JsonObject {
  const isCrlf = read.lines.length > 0 && read.lines.every((line) => line.endsWith("\r"));
  if (!isCrlf) return textOutput(path, start, read);
  const lines = read.lines.map((line) => line.slice(0, -1));
  const output = textOutput(path, start, { ...read, lines });
  const note = "The lines end with CRLF; edit_file keeps that.";
  return { ...output, note: output.note === undefined ? note : `${output.note} ${note}` };
}

function readImage(file: OpenedFile, mime: string, about: JsonObject): JsonObject {
  const { maxImageBytes } = LIMITS;
  if (file.size > maxImageBytes) {
    const note = `This is an image of ${file.size} bytes. Images up to ${maxImageBytes} bytes are shown: make a smaller copy with a command.`;
    return { ...about, mime, note };
  }
  const image = Buffer.concat([...file.chunks()].map((chunk) => Buffer.from(chunk))).toString("base64");
  return { ...about, mime, image, note: "This is an image." };
}
