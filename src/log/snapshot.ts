import { isDeepStrictEqual } from "node:util";
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { type Anchor, readAnchorFile } from "./anchor.ts";
import { closeLogFiles, type LogFiles, openLogFiles, START } from "./read.ts";

export interface Snapshot {
  readonly anchor: Anchor | undefined;
  readonly files: LogFiles;
}

/**
 * Opens a consistent pair of log and anchor while the owner keeps writing. It takes no lock, because the owner holds it.
 * The owner writes the anchor after each record: if the anchor is unchanged, at most one record was added.
 */
export function openSnapshot(logFile: string, anchorFile: string): Snapshot {
  const deadline = performance.now() + LIMITS.lockWaitMs;
  while (performance.now() < deadline) {
    const anchor = readAnchorFile(anchorFile);
    const files = openLogFiles(logFile, START.firstSeq);
    if (isDeepStrictEqual(readAnchorFile(anchorFile), anchor)) return { anchor, files };
    closeLogFiles(files);
  }
  const message = `Could not read the log: its owner kept writing to it for ${LIMITS.lockWaitMs} ms. Try again.`;
  throw new HotcellError("LOCKED", message, { file: logFile });
}
