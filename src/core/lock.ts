// A lock between processes. A lock is a directory with one FIFO, the lock file. Its name is "free" or the token of the
// process that holds the lock. Renaming the lock file is atomic, so exactly one process takes the lock, also from a dead
// process. (Creating and removing a lock file each time costs ten times as much, and two waiters could both remove the
// file of a dead process.) The holder keeps the FIFO open for reading, and the kernel closes it when the holder ends: so
// also a process in another container can tell whether the holder is alive.
import { spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { HotcellError, osErrorCode } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import { isTokenOfThisProcess, processToken, tokenIsAlive, tokenIsOfThisNamespace } from "./process-token.ts";

const FREE = "free";
const FIRST_PAUSE_MS = 0.1;
const LONGEST_PAUSE_MS = 5;
const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Runs the work while holding the lock. Callers that lock often should reuse their token. */
export function withLock<T>(lockPath: string, work: () => T, token = lockToken()): T {
  const fd = take(lockPath, token, LIMITS.lockWaitMs, basename(lockPath));
  try {
    return work();
  } finally {
    releaseLock(lockPath, token, fd);
  }
}

/** Takes the lock, or soon throws LOCKED. The lock is held until the returned function releases it or this process ends. */
export function holdLock(lockPath: string, waitMs: number = LIMITS.holdWaitMs): () => void {
  const token = lockToken();
  const fd = take(lockPath, token, waitMs, lockPath);
  let isHeld = true;
  return () => {
    if (isHeld) releaseLock(lockPath, token, fd);
    // A second close could close another file that meanwhile has the same descriptor.
    isHeld = false;
  };
}

/** Like `holdLock`, without blocking this process, which may be the holder itself. */
export async function waitForLock(
  lockPath: string,
  waitMs: number = LIMITS.holdWaitMs,
  signal?: AbortSignal,
): Promise<() => void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const isLastTry = performance.now() >= deadline;
    try {
      return holdLock(lockPath, 0);
    } catch (error) {
      if (isLastTry || !isLocked(error)) throw error;
    }
    await setTimeout(LONGEST_PAUSE_MS);
    signal?.throwIfAborted();
  }
}

export function isLocked(error: unknown): error is HotcellError {
  return error instanceof HotcellError && error.code === "LOCKED";
}

/** Whether a living process holds the lock now. */
export function isLockHeld(lockPath: string): boolean {
  const holder = namesIn(lockPath)[0] ?? FREE;
  return holder !== FREE && holderIsAlive(lockPath, holder);
}

/** Whether this very process holds the lock now. */
export function isLockHeldHere(lockPath: string): boolean {
  const [holder = FREE] = namesIn(lockPath);
  return isTokenOfThisProcess(holder);
}

/** The token of this process with its command, for messages about who holds the lock. */
export function lockToken(): string {
  return `${processToken()}:${commandName()}`;
}

const MAX_COMMAND_CHARS = 60;

/** The program and its subcommands, without arguments. */
function commandName(): string {
  const [, script = "node", ...args] = process.argv;
  const end = args.findIndex((word) => !/^[a-z]+$/.test(word));
  const words = [basename(script, ".js"), ...args.slice(0, end < 0 ? 2 : Math.min(end, 2))];
  return words
    .join(" ")
    .replace(/[^\w. -]/g, "_")
    .slice(0, MAX_COMMAND_CHARS);
}

/** Returns the descriptor that shows that the holder is alive. */
function take(lockPath: string, token: string, waitMs: number, shownPath: string): number {
  const deadline = performance.now() + waitMs;
  let pauseMs = FIRST_PAUSE_MS;
  let from = FREE;
  let isLastTry = false;
  for (;;) {
    const fd = renameLockFile(lockPath, from, token);
    if (fd !== null) return fd;
    const holder = findHolder(lockPath, token);
    from = holder;
    if (holder === token) continue;
    if (isLastTry) throw heldTooLong(lockPath, holder, shownPath);
    // On a busy machine the time may run out just after the lock was created or found free, so there is one more try.
    isLastTry = performance.now() > deadline;
    if (!holderIsAlive(lockPath, holder)) continue;
    from = FREE;
    pauseMs = pause(pauseMs);
  }
}

/** Returns null if the lock file has another name now. It opens the file first: a holder without it would seem dead. */
function renameLockFile(lockPath: string, from: string, to: string): number | null {
  try {
    const fd = openSync(`${lockPath}/${from}`, O_RDONLY | O_NONBLOCK);
    try {
      renameSync(`${lockPath}/${from}`, `${lockPath}/${to}`);
      return fd;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return null;
    throw osErrorCode(error) === "ENOTDIR" ? notALock(lockPath) : error;
  }
}

function holderIsAlive(lockPath: string, holder: string): boolean {
  return tokenIsAlive(holder) && (tokenIsOfThisNamespace(holder) || hasReader(`${lockPath}/${holder}`));
}

/** Whether a process has the FIFO open for reading. For a regular file, as an older hotcell created it, this is unknown. */
function hasReader(file: string): boolean {
  try {
    closeSync(openSync(file, O_WRONLY | O_NONBLOCK));
    return true;
  } catch (error) {
    return osErrorCode(error) !== "ENXIO";
  }
}

// Does not throw, because the work is done and the caller needs its result. If the release fails, this process keeps the
// lock: the same token can take it again, and others can take it when the process has ended.
function releaseLock(lockPath: string, token: string, fd: number): void {
  try {
    renameSync(`${lockPath}/${token}`, `${lockPath}/${FREE}`);
  } catch {}
  closeSync(fd);
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
    makeLockFile(join(made, FREE));
    renameSync(made, lockPath);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!["ENOTEMPTY", "EEXIST"].includes(osErrorCode(error) ?? "")) throw error;
  }
}

/** Node cannot make a FIFO. On a file system without FIFOs, a holder in another container counts as alive until the machine reboots. */
function makeLockFile(file: string): void {
  const options = { env: { PATH: "/usr/bin:/bin" }, stdio: "ignore" } as const;
  const { status } = spawnSync("mkfifo", ["-m", "600", "--", file], options);
  if (status !== 0) writeFileSync(file, "", { mode: 0o600 });
}

function pause(pauseMs: number): number {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  return Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
}

function heldTooLong(lockPath: string, holder: string, shownPath: string): HotcellError {
  const pid = holder === FREE ? null : Number(holder.split(":")[0]);
  const message = `Could not lock "${shownPath}": ${describeHolder(pid, holder)}`;
  return new HotcellError("LOCKED", message, { file: lockPath, pid, command: holder.split(":")[5] ?? null });
}

function describeHolder(pid: number | null, holder: string): string {
  if (pid === null) return "other processes kept taking it. Try again when they have finished.";
  const command = holder.split(":")[5];
  const where = tokenIsOfThisNamespace(holder) ? "" : " in another container";
  return `process ${pid}${where}${command === undefined ? "" : ` (${command})`} holds it. Try again when it has finished.`;
}

function notALock(lockPath: string): HotcellError {
  const message = `Could not lock "${basename(lockPath)}": the file is not a lock. Remove it.`;
  return new HotcellError("LOCKED", message, { file: lockPath, pid: null });
}
