// Where there is no user namespace the kernel counts all processes and threads of a user together.
import fs from "node:fs";

/** The limit that leaves room for so many beside those that the user has now. It can't be above the user's own. */
export function processLimit(uid: number, processes: number): number {
  return Math.min(processes + countTasks(uid), ownLimit());
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

function ownLimit(): number {
  const limits = fs.readFileSync("/proc/self/limits", "latin1");
  const hard = /^Max processes +\S+ +(\d+)/m.exec(limits)?.[1];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}
