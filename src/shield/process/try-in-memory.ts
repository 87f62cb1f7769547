import os from "node:os";

/** Calls `make` with a directory in memory or, if that fails, with the directory for temporary files. */
export function tryInMemory<T>(make: (dir: string) => T): T {
  try {
    return make("/dev/shm");
  } catch {
    return make(os.tmpdir());
  }
}
