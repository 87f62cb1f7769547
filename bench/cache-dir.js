import os from "node:os";
import path from "node:path";

/** The directory for fixtures that benchmarks create once, and for their work. It can be removed at any time. */
export function cacheDir() {
  return path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "hotcell-bench");
}
