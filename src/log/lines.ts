import { readSync } from "node:fs";
import { LIMITS } from "../core/limits.ts";

export interface Line {
  /** Of the line's first byte in the file. */
  readonly offset: number;
  /** Without the newline. */
  readonly bytes: Buffer;
  /** False for a last line without a newline: torn, or being written now. */
  readonly complete: boolean;
}

const CHUNK_BYTES = 64 * 1024;

/** The lines of a file from one offset to another, in bounded memory. */
export function* readRawLines(fd: number, from: number, to = Number.POSITIVE_INFINITY): Generator<Line> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let offset = from;
  let rest = Buffer.alloc(0);
  for (let read = 1; read > 0; ) {
    const at = offset + rest.length;
    read = readSync(fd, chunk, 0, Math.min(CHUNK_BYTES, to - at), at);
    rest = Buffer.concat([rest, chunk.subarray(0, read)]);
    for (let end = lineEnd(rest); end >= 0; end = lineEnd(rest)) {
      yield { offset, bytes: rest.subarray(0, end), complete: true };
      offset += end + 1;
      rest = rest.subarray(end + 1);
    }
  }
  if (rest.length > 0) yield { offset, bytes: rest, complete: false };
}

// No record is longer than the limit. A longer line is split there, and neither part is a valid record.
function lineEnd(rest: Buffer): number {
  const end = rest.indexOf("\n");
  return end < 0 && rest.length > LIMITS.maxLogRecordBytes ? LIMITS.maxLogRecordBytes : end;
}
