import fs from "node:fs";

/** The living child processes of a process. */
export function childrenOf(pid: number | "self"): number[] {
  const tasks = `/proc/${pid}/task`;
  return fs
    .readdirSync(tasks)
    .flatMap((task) => fs.readFileSync(`${tasks}/${task}/children`, "utf8").split(" ").slice(0, -1))
    .map(Number);
}

/** Not a zombie. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Processes with this text in their arguments. */
export function processesNaming(text: string): number[] {
  const isNaming = (pid: number) => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(text);
    } catch {
      return false;
    }
  };
  return fs
    .readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && isNaming(pid));
}
