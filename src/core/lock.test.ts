import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LIMITS } from "./limits.ts";
import { holdLock, isLockHeld, lockToken, waitForLock, withLock } from "./lock.ts";

const [pid, start, boot, namespace, nonce, command] = lockToken().split(":");
const NOBODY = 99_999_999; // above the kernel's highest pid

let dir: string;
let lock: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hotcell-lock-"));
  lock = join(dir, "a.lock");
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(dir, { recursive: true });
});

/** Leaves the lock as a process with this token would that was killed while holding it. */
function leaveHeldBy(token: string): void {
  withLock(lock, () => {});
  renameSync(join(lock, "free"), join(lock, token));
}

/** Makes the time to wait be over at the first look at the clock. */
function skipTheWait(): void {
  vi.spyOn(performance, "now")
    .mockReturnValueOnce(0)
    .mockReturnValue(LIMITS.lockWaitMs + 1);
}

describe("withLock", () => {
  test("gives the work's result, names its holder meanwhile and is free afterwards", () => {
    const token = lockToken();
    const during = withLock(lock, () => readdirSync(lock), token);
    expect({ during, after: readdirSync(lock), dir: readdirSync(dir) }).toEqual({
      during: [token],
      after: ["free"],
      dir: ["a.lock"],
    });
  });

  test("is free again after work that throws, and passes the error on", () => {
    const failure = new Error("no");
    expect(() =>
      withLock(lock, () => {
        throw failure;
      }),
    ).toThrow(failure);
    expect(withLock(lock, () => "again")).toBe("again");
  });

  const dead = {
    "a pid that is gone": `${NOBODY}:1:${boot}:${namespace}:${nonce}`,
    "a pid that is another process by now": `${pid}:1:${boot}:${namespace}:${nonce}`,
    "a process from before the last boot": `${pid}:${start}:00000000-0000-0000-0000-000000000000:${namespace}:${nonce}`,
    "no process at all": "who knows",
  };
  test.each(Object.entries(dead))("is taken from %s", (_, token) => {
    leaveHeldBy(token);
    const during = withLock(lock, () => readdirSync(lock).includes(token));
    expect({ during, after: readdirSync(lock) }).toEqual({ during: false, after: ["free"] });
  });

  test("is created again if its file is gone", () => {
    mkdirSync(lock);
    expect(withLock(lock, () => readdirSync(lock).length)).toBe(1);
  });

  test.each<[what: string, prepare: () => void]>([
    ["has to be made first", () => {}],
    ["has to be taken from a dead process", () => leaveHeldBy(dead["a pid that is gone"])],
  ])("is taken when it %s and the time is over by then", (_, prepare) => {
    prepare();
    skipTheWait();
    expect(withLock(lock, () => "taken")).toBe("taken");
  });

  test("held by a living process it is refused after the wait, with the holder's pid and the file", () => {
    leaveHeldBy(lockToken());
    skipTheWait();
    expect(() => withLock(lock, () => "never")).toThrow(
      expect.objectContaining({
        code: "LOCKED",
        message: `Could not lock "a.lock": process ${pid} (${command}) holds it. Try again when it has finished.`,
        details: { file: lock, pid: Number(pid), command },
      }),
    );
  });

  test("held by a process of another PID namespace it is refused as long as that has the lock file open", () => {
    const holder = `${NOBODY}:1:${boot}:1:${nonce}:hotcell exec`;
    leaveHeldBy(holder);
    const fd = openSync(join(lock, holder), constants.O_RDONLY | constants.O_NONBLOCK);
    skipTheWait();
    expect(() => withLock(lock, () => "never")).toThrow(
      expect.objectContaining({
        code: "LOCKED",
        message: `Could not lock "a.lock": process ${NOBODY} in another container (hotcell exec) holds it. Try again when it has finished.`,
        details: { file: lock, pid: NOBODY, command: "hotcell exec" },
      }),
    );
    expect([readdirSync(lock), isLockHeld(lock)]).toEqual([[holder], true]);
    closeSync(fd);
    expect([isLockHeld(lock), withLock(lock, () => "taken")]).toEqual([false, "taken"]);
  });

  test("is still the holder's own when it could not be given back", () => {
    const token = lockToken();
    leaveHeldBy(token);
    expect(withLock(lock, () => readdirSync(lock), token)).toEqual([token]);
    expect(readdirSync(lock)).toEqual(["free"]);
  });

  test("gives the work's result also when it can't be given back", () => {
    expect(withLock(lock, () => rmSync(lock, { recursive: true }) ?? "done")).toBe("done");
    expect(withLock(lock, () => "again")).toBe("again");
  });

  test("leaves alone what is not a lock", () => {
    writeFileSync(lock, "precious");
    expect(() => withLock(lock, () => "never")).toThrow(
      expect.objectContaining({
        code: "LOCKED",
        message: 'Could not lock "a.lock": the file is not a lock. Remove it.',
      }),
    );
  });

  test("leaves nothing behind where it can't be made", () => {
    const nowhere = join(dir, "missing", "a.lock");
    expect(() => withLock(nowhere, () => "never")).toThrow(expect.objectContaining({ code: "ENOENT" }));
    expect(existsSync(join(dir, "missing"))).toBe(false);
  });
});

test("a lock that is held for long is refused soon, with its whole path", () => {
  const release = holdLock(lock);
  expect(() => holdLock(lock)).toThrow(`Could not lock "${lock}": process ${pid} (${command}) holds it.`);
  release();
  expect(readdirSync(lock)).toEqual(["free"]);
});

test("a lock that is released twice is released once", () => {
  const release = holdLock(lock);
  release();
  const next = holdLock(lock);
  expect(release).not.toThrow();
  expect(isLockHeld(lock)).toBe(true);
  next();
});

test("who waits for a lock gets it when its holder of the same process releases it; then the next", async () => {
  const release = holdLock(lock);
  const first = waitForLock(lock, LIMITS.lockWaitMs);
  const second = first.then((releaseFirst) => {
    const waiting = waitForLock(lock, LIMITS.lockWaitMs);
    releaseFirst();
    return waiting;
  });
  release();
  (await second)();
  expect(readdirSync(lock)).toEqual(["free"]);
});

test("waiting for a lock ends with the signal", async () => {
  const release = holdLock(lock);
  const reason = new Error("enough");
  await expect(waitForLock(lock, LIMITS.lockWaitMs, AbortSignal.abort(reason))).rejects.toBe(reason);
  release();
});
