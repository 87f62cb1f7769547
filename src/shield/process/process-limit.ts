// Where there is no user namespace the kernel counts all processes and threads of a user together.
import fs from "node:fs";

/** The limit that leaves room for so many beside those that the user has now. */
export function processLimit(uid: number, processes: number): number {
  return processes + countTasks(uid);
}

function countTasks(uid: number): number {
  const pids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.reduce((total, pid) => total + threadsOf(`/proc/${pid}`, uid), 0);
}

/** It may end while it is looked at. */
function threadsOf(process: string, uid: number): number {
  try {
    return fs.statSync(process).uid === uid ? fs.readdirSync(`${process}/task`).length : 0;
  } catch {
    return 0;
  }
}
