import { basename } from "node:path";
import { advance, callsOpened, EMPTY_HEAD, type Head, startFile } from "./head.ts";
import { logTampered } from "./log-error.ts";
import { readLogLines, START } from "./read.ts";
import { checkRecord, continues } from "./record.ts";

/** How far a log is intact, read from its first record on. Only the file that grows may be damaged. */
export function findIntactHead(logFile: string): Head {
  const growing = basename(logFile);
  let head = EMPTY_HEAD;
  let file: string | undefined;
  for (const line of readLogLines(logFile, START)) {
    if (file !== undefined && line.file !== file) head = startFile(head);
    file = line.file;
    const record = line.complete ? checkRecord(line.bytes) : undefined;
    if (record !== undefined && continues(record, head)) {
      head = advance(head, record, line.bytes.length + 1, callsOpened(record.kind, record));
      continue;
    }
    if (file === growing) return head;
    throw logTampered(logFile, `"${file}" is not what was written`);
  }
  return file === undefined || file === growing ? head : startFile(head);
}
