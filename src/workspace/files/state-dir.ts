import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";

/** Creates the state directory. Throws if it and the workspace are inside one another: no tool may reach the log. */
export function openStateDir(stateDir: string, workspace: string): string {
  const state = realPathOf(path.resolve(stateDir));
  if (!areApart(state, realPathOf(path.resolve(workspace)))) {
    throw new HotcellError(
      "WORKSPACE_UNUSABLE",
      `Could not keep state in "${stateDir}": one of it and the workspace "${workspace}" contains the other. Set HOTCELL_STATE_DIR (or --state-dir) to a directory elsewhere.`,
    );
  }
  try {
    makeDirectory(state);
    fs.accessSync(state, fs.constants.W_OK);
    if (!isDirectory(path.join(state, "runs"))) tryToMake(state);
  } catch (error) {
    throw new HotcellError(
      "WORKSPACE_UNUSABLE",
      `Could not keep state in "${stateDir}": the system refused (${osErrorCode(error)}). Set HOTCELL_STATE_DIR to a directory that you can write.`,
    );
  }
  return state;
}

/** Node's recursive mkdir loops for ever if a parent exists but accepts no new entries, as in /proc. */
function makeDirectory(at: string): void {
  if (isDirectory(at)) return;
  makeDirectory(path.dirname(at));
  try {
    fs.mkdirSync(at, 0o700);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isDirectory(at)) throw error;
  }
}

/** In /proc, creation fails even if the mode allows writing. */
function tryToMake(dir: string): void {
  fs.rmdirSync(fs.mkdtempSync(path.join(dir, "try-")));
}

function isDirectory(at: string): boolean {
  return fs.statSync(at, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Whether two real paths differ and neither is inside the other. */
export function areApart(one: string, other: string): boolean {
  return !isWithin(one, other) && !isWithin(other, one);
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer === "/" ? "/" : `${outer}/`);
}

/** The real path, also for a path that does not exist yet. */
function realPathOf(absolute: string): string {
  try {
    return fs.realpathSync(absolute);
  } catch (error) {
    if (osErrorCode(error) !== "ENOENT") return absolute;
    return path.join(realPathOf(path.dirname(absolute)), path.basename(absolute));
  }
}
