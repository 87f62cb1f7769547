import { basename } from "node:path";
import type { Anchor } from "./anchor.ts";
import { EMPTY_HEAD, follow, type Head, startFile } from "./head.ts";
import { logTampered } from "./log-error.ts";
import { readLogLines, START } from "./read.ts";

/** How far a log is intact, read from its first record on. Only the file that grows may be damaged. */
export function findIntactHead(logFile: string, anchored: Anchor): Head {
  const growing = basename(logFile);
  let head = EMPTY_HEAD;
  let file: string | undefined;
  for (const line of readLogLines(logFile, START)) {
    if (file !== undefined && line.file !== file) head = startFile(head);
    file = line.file;
    const next = follow(head, line);
    if (next === undefined && file === growing) return head;
    if (next === undefined) throw logTampered(logFile, `"${file}" is not what was written`);
    if (next.seq === anchored.seq && next.hash !== anchored.hash)
      throw logTampered(logFile, `record ${next.seq} was written anew`);
    head = next;
  }
  return file === undefined || file === growing ? head : startFile(head);
}
