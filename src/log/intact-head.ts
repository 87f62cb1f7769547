import { basename } from "node:path";
import type { Anchor } from "./anchor.ts";
import { advanceByLine, EMPTY_HEAD, headOfNewFile, type LogHead } from "./head.ts";
import { tamperedLogError } from "./log-error.ts";
import { readLogLines, START } from "./read.ts";

/**
 * Reads a log from its first record and returns the head of its intact part. Only the current file may be damaged. A last
 * record `log.recovered` does not count unless it is anchored: that recovery was not finished.
 */
export function findIntactHead(logFile: string, anchored: Anchor): LogHead {
  const growing = basename(logFile);
  let head = EMPTY_HEAD;
  let settled = head;
  let file: string | undefined;
  for (const line of readLogLines(logFile, START)) {
    if (file !== undefined && line.file !== file) settled = head = headOfNewFile(head);
    file = line.file;
    const next = advanceByLine(head, line);
    if (next === undefined && file === growing) return settled;
    if (next === undefined) throw tamperedLogError(logFile, `"${file}" is not what was written`);
    const { seq, hash } = next.head;
    if (seq === anchored.seq && hash !== anchored.hash)
      throw tamperedLogError(logFile, `record ${seq} was rewritten`);
    settled = next.kind === "log.recovered" && hash !== anchored.hash ? head : next.head;
    head = next.head;
  }
  return file === undefined || file === growing ? settled : headOfNewFile(head);
}
