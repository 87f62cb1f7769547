// A cell on an empty project, to try out on this machine what a command can do. Nothing of it stays.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Cell, type CellOptions, openCell } from "../../../cell.ts";
import { openStateDir } from "../../../workspace/files/state-dir.ts";
import { removeDirectory } from "../../../workspace/layers/session-dirs.ts";

/** The state is where it always is, in a directory of its own. */
export async function inTrialCell<T>(
  stateDir: string,
  options: Omit<CellOptions, "workspace" | "stateDir">,
  work: (cell: Cell) => Promise<T>,
): Promise<T> {
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-trial-"));
  try {
    const own = fs.mkdtempSync(path.join(openStateDir(stateDir, workspace), "trial-"));
    try {
      const cell = await openCell({ ...options, workspace, stateDir: own });
      return await work(cell).finally(cell.close);
    } finally {
      removeDirectory(own);
    }
  } finally {
    removeDirectory(workspace);
  }
}
