import os from "node:os";

/** Gives what is made in a directory that is in memory, or where that can't be, in the one for temporary files. */
export function inMemory<T>(make: (dir: string) => T): T {
  try {
    return make("/dev/shm");
  } catch {
    return make(os.tmpdir());
  }
}
