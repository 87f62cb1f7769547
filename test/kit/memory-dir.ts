import fs from "node:fs";
import os from "node:os";

/** Where temporary files are kept in memory, if there is such a place: many writes, or holes of 10 GB, cost little there. */
export const MEMORY_DIR = fs.existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir();
