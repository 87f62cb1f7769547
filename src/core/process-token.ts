// Tokens that identify a process, so that others can check later whether it is alive.
import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { osErrorCode } from "./errors.ts";

/** Identifies this process, so that others can check later whether it is alive. */
export function processToken(): string {
  const nonce = randomBytes(8).toString("hex");
  return [process.pid, startOf(process.pid) ?? UNKNOWN, bootId(), pidNamespace(), nonce].join(":");
}

/** A process of another pid namespace is not visible here: it counts as alive until the machine reboots. */
export function tokenIsAlive(token: string): boolean {
  const [pid = "", start] = token.split(":");
  if (!/^[1-9]\d*$/.test(pid) || !tokenIsOfThisBoot(token)) return false;
  if (!tokenIsOfThisNamespace(token)) return true;
  const found = startOf(Number(pid));
  return found === start || found === UNKNOWN;
}

/** Whether the machine has not rebooted since the process of this token ran. */
export function tokenIsOfThisBoot(token: string): boolean {
  return token.split(":")[2] === bootId();
}

export function isTokenOfThisProcess(token: string): boolean {
  const [pid, start] = token.split(":");
  return (
    pid === String(process.pid) &&
    start === (startOf(process.pid) ?? UNKNOWN) &&
    tokenIsOfThisBoot(token) &&
    tokenIsOfThisNamespace(token)
  );
}

export function tokenIsOfThisNamespace(token: string): boolean {
  return token.split(":")[3] === pidNamespace();
}

/** Without /proc, any process with the pid that can be signalled counts as the same process. */
const UNKNOWN = "unknown";

/** The start time of a process in clock ticks since boot; undefined if it has ended or is a zombie. */
function startOf(pid: number): string | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  if (stat === undefined) return canBeSignalled(pid) ? UNKNOWN : undefined;
  // The second field is the command's name in parentheses, and may hold spaces and parentheses itself.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? undefined : fields[18];
}

function bootId(): string {
  return readProc("/proc/sys/kernel/random/boot_id")?.trim() ?? UNKNOWN;
}

/** The pid namespace of this process. */
function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replace(/\D/g, "");
  } catch {
    return UNKNOWN;
  }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

function canBeSignalled(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return osErrorCode(error) === "EPERM";
  }
}
