import fs from "node:fs";
import os from "node:os";

/**
 * A directory in memory, if the machine has one, for tests with many writes or with sparse files of 10 GB. With
 * HOTCELL_TEST_DIR they run on the disk of that directory.
 */
export const MEMORY_DIR =
  process.env.HOTCELL_TEST_DIR ?? (fs.existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir());
