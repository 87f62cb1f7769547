// Reads the beginning of a file and hashes all of it. Memory is bounded by the beginning and one chunk.
import { createHash } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { OpenedFile } from "./workspace-fs.ts";

const CHUNKS_PER_TURN = 8;

export interface FileHead {
  /** U+FFFD replaces bytes that are not UTF-8. A character that is cut at the end is omitted. */
  readonly text: string;
  readonly truncated: boolean;
  /** Of the whole file. */
  readonly sha256: string;
  readonly bytes: number;
}

export async function readHead(file: OpenedFile, maxBytes: number, signal: AbortSignal): Promise<FileHead> {
  const hash = createHash("sha256");
  const kept: Buffer[] = [];
  let bytes = 0;
  let turn = 0;
  for (const chunk of file.chunks()) {
    signal.throwIfAborted();
    hash.update(chunk);
    if (bytes < maxBytes) kept.push(Buffer.from(chunk.subarray(0, maxBytes - bytes)));
    bytes += chunk.length;
    if (++turn % CHUNKS_PER_TURN === 0) await nextTurn();
  }
  const truncated = bytes > maxBytes;
  const decoder = new StringDecoder("utf8");
  const head = Buffer.concat(kept);
  const text = truncated ? decoder.write(head) : decoder.end(head);
  return { text, truncated, sha256: hash.digest("hex"), bytes };
}
