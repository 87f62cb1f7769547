// Ends processes that a killed hotcell left behind. bubblewrap may have started them before it set its parent-death
// signal. They wait for ever for the dead process and run no command.
import fs from "node:fs";
import { processToken, tokenIsAlive } from "../../core/process-token.ts";
import { sendSignal } from "./start-process.ts";

const MARK = "hotcell:";

/** An argument that identifies the processes that this process starts. */
export function createOwnerMark(): string {
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

/** Ignores processes of other users, which we may not signal. */
function end(pid: number): void {
  try {
    sendSignal(pid, "SIGKILL");
  } catch {}
}
