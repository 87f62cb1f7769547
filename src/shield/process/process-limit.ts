// Without a user namespace, the kernel counts all processes and threads of a user together.
import fs from "node:fs";

/** The limit that allows `processes` more than the user's current ones. */
export function processLimit(uid: number, processes: number): number {
  return processes + countTasks(uid);
}

function countTasks(uid: number): number {
  const pids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.reduce((total, pid) => total + threadsOf(`/proc/${pid}`, uid), 0);
}

/** The process may end meanwhile. */
function threadsOf(process: string, uid: number): number {
  try {
    return fs.statSync(process).uid === uid ? fs.readdirSync(`${process}/task`).length : 0;
  } catch {
    return 0;
  }
}
