import fs from "node:fs";

/** The processes that a process has started and that are still there. */
export function childrenOf(pid: number | "self"): number[] {
  const tasks = `/proc/${pid}/task`;
  return fs
    .readdirSync(tasks)
    .flatMap((task) => fs.readFileSync(`${tasks}/${task}/children`, "utf8").split(" ").slice(0, -1))
    .map(Number);
}

/** Not one that has ended and is still to be waited for. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
