import fs from "node:fs";
import { HotcellError, osErrorCode } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { openRegularFile, type RegularFile } from "../core/open-regular-file.ts";
import { quote } from "../core/quote.ts";

/**
 * The text of a configuration file, or null if there is none. Throws CONFIG_INVALID if the file cannot be read whole or
 * changes meanwhile. `source` is the file's name in messages. A file that the user did not name must not be a link.
 */
export function readConfigFile(path: string, source: string, isFound = false): string | null {
  const opened = openConfig(path, source, isFound);
  if (opened === undefined) return null;
  if (opened === null) throw unreadable(source, "it is not a regular file. Give a file");
  try {
    return decode(readUnchanged(opened, source), source);
  } finally {
    fs.closeSync(opened.fd);
  }
}

/** Undefined if there is none. */
function openConfig(path: string, source: string, isFound: boolean): RegularFile | null | undefined {
  try {
    // A link in a project could show any file of the machine in an error message.
    return openRegularFile(path, isFound ? fs.constants.O_NOFOLLOW : 0);
  } catch (error) {
    const code = osErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw unreadable(source, `the system refused (${code}). Make it a file that you may read`);
  }
}

function readUnchanged({ fd, stat }: RegularFile, source: string): Buffer {
  if (stat.size > LIMITS.maxConfigBytes) {
    throw unreadable(source, `it is larger than ${LIMITS.maxConfigBytes} bytes. Give a smaller file`);
  }
  const bytes = readFrom(fd, stat.size + 1);
  // Reads twice, because change times are too coarse: two writes within 4 ms can have the same time.
  if (bytes.length !== stat.size || !bytes.equals(readFrom(fd, stat.size + 1))) {
    throw unreadable(source, "it changed during the read. Try again when its writer has finished");
  }
  return bytes;
}

/** Reads the file from its beginning, up to the limit. */
function readFrom(fd: number, maxBytes: number): Buffer {
  const buffer = Buffer.alloc(maxBytes);
  let length = 0;
  while (length < maxBytes) {
    const count = fs.readSync(fd, buffer, length, maxBytes - length, length);
    if (count === 0) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

function decode(bytes: Buffer, source: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unreadable(source, "it is not UTF-8 text. Save it as UTF-8");
  }
}

function unreadable(source: string, problem: string): HotcellError {
  return new HotcellError(
    "CONFIG_INVALID",
    `Could not read the configuration ${quote(source)}: ${problem}.`,
    {
      source,
    },
  );
}
