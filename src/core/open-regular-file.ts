import { closeSync, constants, fstatSync, openSync, type Stats } from "node:fs";
import { closeOnFailure } from "./close-on-failure.ts";

export interface RegularFile {
  /** The caller closes it. */
  readonly fd: number;
  readonly stat: Stats;
}

/**
 * Opens a file for reading, or as the flags say; null if it is not a regular file. It does not wait, as an open of a FIFO
 * waits for a writer. Throws the system's errors. A file that it creates is for its owner alone.
 */
export function openRegularFile(path: string | Buffer, flags = 0): RegularFile | null {
  const fd = openSync(path, flags | constants.O_NONBLOCK | constants.O_NOCTTY, 0o600);
  const stat = closeOnFailure(
    () => closeSync(fd),
    () => fstatSync(fd),
  );
  if (stat.isFile()) return { fd, stat };
  closeSync(fd);
  return null;
}
