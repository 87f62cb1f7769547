// A lock between processes. A lock is a directory with one empty file, the lock file. Its name is "free" or the token of
// the process that holds the lock. Renaming the lock file is atomic, so exactly one process takes the lock, also from a
// dead process. (Creating and removing a lock file each time costs ten times as much, and two waiters could both remove
// the file of a dead process.)
import { randomBytes } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { HotcellError, osErrorCode } from "./errors.ts";
import { LIMITS } from "./limits.ts";

const FREE = "free";
const FIRST_PAUSE_MS = 0.1;
const LONGEST_PAUSE_MS = 5;
/** Short, because the holder of such a lock keeps it for long. */
const HOLD_WAIT_MS = 100;

/** Runs the work while holding the lock. Callers that lock often should reuse their token. */
export function withLock<T>(lockPath: string, work: () => T, token = processToken()): T {
  take(lockPath, token, LIMITS.lockWaitMs);
  try {
    return work();
  } finally {
    releaseLock(lockPath, token);
  }
}

/** Takes the lock, or soon throws LOCKED. The lock is held until the returned function releases it or this process ends. */
export function holdLock(lockPath: string, waitMs = HOLD_WAIT_MS): () => void {
  const token = processToken();
  take(lockPath, token, waitMs);
  return () => releaseLock(lockPath, token);
}

/** Whether a living process holds the lock now. */
export function isLockHeld(lockPath: string): boolean {
  const holder = namesIn(lockPath)[0] ?? FREE;
  return holder !== FREE && tokenIsAlive(holder);
}

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

function tokenIsOfThisNamespace(token: string): boolean {
  return token.split(":")[3] === pidNamespace();
}

function take(lockPath: string, token: string, waitMs: number): void {
  const deadline = performance.now() + waitMs;
  let pauseMs = FIRST_PAUSE_MS;
  let from = FREE;
  let isLastTry = false;
  while (!renameLockFile(lockPath, from, token)) {
    const holder = findHolder(lockPath, token);
    if (holder === token) return;
    if (isLastTry) throw heldTooLong(lockPath, holder, waitMs);
    // On a busy machine the time may run out just after the lock was created or found free, so there is one more try.
    isLastTry = performance.now() > deadline;
    const held = tokenIsAlive(holder);
    from = held ? FREE : holder;
    if (held) pauseMs = pause(pauseMs);
  }
}

/** Returns false if the lock file has another name now. */
function renameLockFile(lockPath: string, from: string, to: string): boolean {
  try {
    renameSync(`${lockPath}/${from}`, `${lockPath}/${to}`);
    return true;
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return false;
    throw osErrorCode(error) === "ENOTDIR" ? notALock(lockPath) : error;
  }
}

// Does not throw, because the work is done and the caller needs its result. If the release fails, this process keeps the
// lock: the same token can take it again, and others can take it when the process has ended.
function releaseLock(lockPath: string, token: string): void {
  try {
    renameSync(`${lockPath}/${token}`, `${lockPath}/${FREE}`);
  } catch {}
}

function findHolder(lockPath: string, token: string): string {
  const names = namesIn(lockPath);
  if (names.length === 0) makeLock(lockPath, token);
  return names.length === 0 || names.includes(FREE) ? FREE : names[0]!;
}

function namesIn(lockPath: string): string[] {
  try {
    return readdirSync(lockPath);
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

// Renaming a directory onto another succeeds only if the target is missing or empty. So there is never a second lock
// file, even if others create the lock too, or the listing above missed a lock file during a rename.
function makeLock(lockPath: string, token: string): void {
  const made = `${lockPath}.${token}`;
  try {
    mkdirSync(made, { mode: 0o700 });
    writeFileSync(join(made, FREE), "", { mode: 0o600 });
    renameSync(made, lockPath);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!["ENOTEMPTY", "EEXIST"].includes(osErrorCode(error) ?? "")) throw error;
  }
}

function pause(pauseMs: number): number {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  return Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
}

function heldTooLong(lockPath: string, holder: string, waitMs: number): HotcellError {
  const pid = holder === FREE ? null : Number(holder.split(":")[0]);
  const message = `Could not lock "${basename(lockPath)}" within ${waitMs} ms: ${describeHolder(pid, holder)}`;
  return new HotcellError("LOCKED", message, { file: lockPath, pid });
}

function describeHolder(pid: number | null, holder: string): string {
  if (pid === null) return "others took it again and again. Try again when they are done.";
  if (tokenIsOfThisNamespace(holder)) return `process ${pid} holds it. Try again when it is done.`;
  return `process ${pid} of another PID namespace (a container?) holds it, and can't be seen from here. Try again when it is done; when it was killed, remove the lock.`;
}

function notALock(lockPath: string): HotcellError {
  const message = `Could not lock "${basename(lockPath)}": what is there is not a lock. Remove it.`;
  return new HotcellError("LOCKED", message, { file: lockPath, pid: null });
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
