import { LIMITS } from "../core/limits.ts";
import { isLocked } from "../core/lock.ts";
import { type Log, openLog } from "./log.ts";
import { runPaths } from "./runs.ts";

/**
 * Opens the first log of a run that no other cell has open: RUN, RUN.2, RUN.3 and so on. Cells that are opened one after
 * the other continue the same log; cells that are open together have one each.
 */
export function openFreeLog(stateDir: string, run: string, secrets: readonly string[]): Log {
  for (let nth = 1; ; nth++) {
    try {
      return openLog({ ...runPaths(stateDir, nth === 1 ? run : `${run}.${nth}`), secrets });
    } catch (error) {
      if (!isLocked(error) || nth === LIMITS.maxOpenLogs) throw error;
    }
  }
}
