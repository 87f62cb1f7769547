// Processes that a hotcell which was killed has left: bubblewrap's own, when it was not yet sure to die with us. They
// wait for ever for somebody who is dead, and run nothing.
import fs from "node:fs";
import { processToken, tokenIsAlive } from "../../core/lock.ts";
import { signalTo } from "./start-process.ts";

const MARK = "hotcell:";

/** Stands among the arguments of what this process starts. */
export function createMark(): string {
  return MARK + processToken();
}

export function endAbandoned(): void {
  for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const mark = argumentsOf(pid).find((arg) => arg.startsWith(MARK));
    if (mark !== undefined && !tokenIsAlive(mark.slice(MARK.length))) end(Number(pid));
  }
}

function argumentsOf(pid: string): string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
  } catch {
    return [];
  }
}

/** One of another user's is that user's to end. */
function end(pid: number): void {
  try {
    signalTo(pid, "SIGKILL");
  } catch {}
}
