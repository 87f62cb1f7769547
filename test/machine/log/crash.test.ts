// The log under real kills, real errors of the machine and several real processes.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logNamesIn } from "../../../src/log/log-file.ts";
import type { LogRecord } from "../../../src/log/record.ts";
import { type Fault, type FaultPlan, injectFaults } from "../../kit/native/inject.ts";
import {
  appendForged,
  intentOf,
  logCall,
  openAsDead,
  type RunLog,
  restart,
  runLogIn,
} from "../../kit/worlds/run-log.ts";

const CHILD = join(import.meta.dirname, "../../kit/children/log-child.mjs");
const CHANGES =
  "mkdir mkdirat openat rename renameat renameat2 write pwrite64 fdatasync ftruncate unlink unlinkat".split(
    " ",
  );
const LOOKS = ["statx", "pread64", "getdents64"];

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "hotcell-log-crash-"));
});

afterAll(() => rmSync(home, { recursive: true }));

function childArgs(run: RunLog, prefix: string, ...counts: readonly number[]): string[] {
  return [CHILD, run.stateDir, "run-1", prefix, ...counts.map(String)];
}

/** "c0.intent" and the like, for each record of a call. */
function eventOf({ kind, toolCallId }: LogRecord): string {
  return `${toolCallId}.${kind.slice("tool.".length)}`;
}

/** What the child said: the events that it knows to be recorded, and those that were refused. */
function readReport(stdout: string) {
  const lines = stdout.split("\n").filter(Boolean);
  const isEvent = (line: string) => line.includes(".");
  return {
    recorded: lines.filter((line) => line.startsWith("+") && isEvent(line)).map((line) => line.slice(1)),
    refused: lines.filter((line) => line.startsWith("-")).map((line) => line.slice(1)),
  };
}

/** What must hold after any fault, at once and when the log was opened again. */
function checkLog(run: RunLog, stdout: string): void {
  expect(run.verify()).toMatchObject({ ok: true });
  run.open().close();
  const { recorded } = readReport(stdout);
  const events = run
    .records()
    .filter(({ kind }) => kind.startsWith("tool."))
    .map(eventOf);
  expect(events.length, "a record occurs twice").toBe(new Set(events).size);
  expect(
    recorded.filter((event) => !events.includes(event)),
    "recorded and lost",
  ).toEqual([]);
  const result = run.verify();
  expect(result).toMatchObject({ ok: true, tornBytes: 0, lost: 0, adopted: 0 });
  const unknown = result.ok ? result.unknown : [];
  const interrupted = events.filter((event) => event.endsWith(".interrupted"));
  expect(unknown.map(({ toolCallId, running }) => [`${toolCallId}.interrupted`, running])).toEqual(
    interrupted.map((event) => [event, false]),
  );
}

/** One fault that is not a kill refuses one event at most, and leaves nothing behind. */
function checkRefusals(run: RunLog, { kind, exitCode, stdout }: Fault): void {
  if (kind === "SIGKILL") return;
  const { refused } = readReport(stdout);
  expect(exitCode).toBe(0);
  expect(refused.length).toBeLessThanOrEqual(1);
  expect(refused.every((event) => event.endsWith(" LOG_UNAVAILABLE"))).toBe(true);
  expect(logNamesIn(dirname(run.anchorFile)).filter((name) => !/^run-1\.json(\.lock)?$/.test(name))).toEqual(
    [],
  );
}

const faultPlan = (run: RunLog, prepare: () => void): FaultPlan => ({
  argv: [process.execPath, ...childArgs(run, "c", 2, 1000)],
  syscalls: CHANGES,
  pathPrefix: run.stateDir,
  reset() {
    rmSync(run.stateDir, { recursive: true, force: true });
    prepare();
  },
  check(fault) {
    checkRefusals(run, fault);
    checkLog(run, fault.stdout);
  },
});

/** Runs a plan with every fault at every change, then with errors at every look. */
async function injectEverywhere(plan: FaultPlan): Promise<Fault[]> {
  const changes = await injectFaults(plan);
  const looks = await injectFaults({ ...plan, syscalls: LOOKS, kinds: ["EIO"] });
  return [...changes, ...looks];
}

describe("a fault at any system call", () => {
  test("crash-023, crash-024, out-029: of making, appending and rotating refuses or keeps, and loses nothing", async () => {
    const run = runLogIn(join(home, "fresh"), "run-1");
    const faults = await injectEverywhere(faultPlan(run, () => {}));
    const hit = (text: RegExp) => faults.some(({ call }) => text.test(call));
    expect(
      [
        /^write\(.*execution\.jsonl/,
        /^fdatasync/,
        /^pwrite64\(.*run-1\.json/,
        /^rename\w*\(.*execution\.0/,
      ].every(hit),
    ).toBe(true);
    expect(faults.some(({ stdout }) => /^-c\d\.intent/m.test(stdout))).toBe(true);
    expect(faults.some(({ stdout }) => /^-c\d\.exec/m.test(stdout))).toBe(true);
  });

  test("of opening a log that was torn, with a call left open, recovers at the next open", async () => {
    const run = runLogIn(join(home, "torn"), "run-1");
    const plan = faultPlan(run, () => {
      const dead = openAsDead(run);
      logCall(dead, "before");
      dead.intent(intentOf("cut"));
      appendFileSync(run.logFile, '{"seq":4,"ts":');
    });
    const faults = await injectEverywhere({
      ...plan,
      kinds: ["SIGKILL", "EIO"],
      check(fault) {
        plan.check(fault);
        const kinds = run.records().map(({ kind, toolCallId }) => `${toolCallId ?? ""} ${kind}`);
        expect(kinds.slice(0, 3)).toEqual(["before tool.intent", "before tool.exec", "cut tool.intent"]);
        expect(kinds.filter((kind) => kind === "cut tool.interrupted")).toHaveLength(1);
        // One for the torn line, and one for a record that the kill left without its anchor.
        const leftUnanchored = fault.kind === "SIGKILL" && /^(pwrite64|fdatasync)\(/.test(fault.call);
        const recovered = kinds.filter((kind) => kind === " log.recovered");
        expect(recovered.length).toBeLessThanOrEqual(leftUnanchored ? 2 : 1);
      },
    });
    expect(faults.some(({ call }) => call.startsWith("ftruncate("))).toBe(true);
  });

  test("a kill while a log is opened that has a torn line and no owner never looks like a forgery", async () => {
    const run = runLogIn(join(home, "closed"), "run-1");
    const plan = faultPlan(run, () => {
      const log = run.open();
      logCall(log, "before");
      log.close();
      appendFileSync(run.logFile, '{"seq":3,"ts":');
    });
    const faults = await injectFaults({ ...plan, kinds: ["SIGKILL"] });
    expect(faults.some(({ call }) => call.startsWith("ftruncate("))).toBe(true);
  });
});

test("a fault while a restarted log takes in what its anchor does not know never makes that pass as known", async () => {
  const run = runLogIn(join(home, "restarted"), "run-1");
  const faults = await injectFaults({
    argv: [process.execPath, ...childArgs(run, "c", 0, 1e6)],
    syscalls: ["write", "pwrite64", "ftruncate"],
    pathPrefix: run.stateDir,
    reset() {
      rmSync(run.stateDir, { recursive: true, force: true });
      logCall(openAsDead(run), "before");
      appendForged(run);
      restart(run);
    },
    check() {
      run.open().close();
      expect(run.verify()).toMatchObject({ ok: true, lost: 0, adopted: 1 });
    },
  });
  expect(faults.map(({ call }) => call.slice(0, call.indexOf("(")))).toEqual(
    ["ftruncate", "write", "pwrite64", "pwrite64"].flatMap((name) => Array(3).fill(name)),
  );
});

test("a line that can't be taken back after an error is cut off by the next one, which says so", () => {
  const run = runLogIn(join(home, "stuck"), "run-1");
  const injected = ["-e", "inject=fdatasync:error=EIO:when=2", "-e", "inject=ftruncate:error=EIO:when=1"];
  const args = ["-qq", "-o", "/dev/null", "-e", "trace=fdatasync,ftruncate", ...injected];
  const stdout = execFileSync("strace", [...args, process.execPath, ...childArgs(run, "c", 1, 1e6)], {
    encoding: "utf8",
  });
  expect(stdout).toBe("+open\n-c0.intent LOG_UNAVAILABLE\n+c0.exec\n+close\n");
  expect(run.records().map(({ kind, toolCallId }) => [kind, toolCallId])).toEqual([
    ["log.recovered", undefined],
    ["tool.exec", "c0"],
  ]);
  checkLog(run, stdout);
});

test("a record is one append and one write of the anchor, and a sync where the call may change something", () => {
  const run = runLogIn(join(home, "counted"), "run-1");
  const trace = join(home, "counted.trace");
  const args = ["-qq", "-y", "-o", trace, "-e", `trace=${CHANGES.map((name) => `?${name}`).join()}`];
  execFileSync("strace", [...args, process.execPath, ...childArgs(run, "c", 3, 1e6)]);
  const calls = readFileSync(trace, "utf8").split("\n");
  const reports = calls.flatMap((call, at) => (call.includes('"+c') ? [at] : []));
  const ofRecords = calls.slice(
    calls.findIndex((call) => call.includes('"+open')),
    reports[5],
  );
  const changes = ofRecords.filter((call) => call.includes(run.stateDir));
  expect(changes.map((call) => call.replace(/\(.*\/(.*?)>.*/, " $1"))).toEqual(
    Array(3)
      .fill([
        ["write execution.jsonl", "fdatasync execution.jsonl", "pwrite64 run-1.json"],
        ["write execution.jsonl", "pwrite64 run-1.json"],
      ])
      .flat(2),
  );
});

test.each([3, 4, 5, 6, 7])(
  "out-029, crash-023: a disk that is full in the middle of a line leaves no part of it (after %i blocks)",
  (blocks) => {
    const run = runLogIn(join(home, `full-${blocks}`), "run-1");
    const command = ["-c", 'ulimit -f "$0"; exec "$@"', String(blocks), process.execPath];
    const stdout = execFileSync("sh", [...command, ...childArgs(run, "c", 20, 1e6)], { encoding: "utf8" });
    const { recorded, refused } = readReport(stdout);
    expect(recorded.length).toBeGreaterThan(2);
    expect(refused.length).toBeGreaterThan(2);
    expect(run.verify()).toMatchObject({ ok: true, tornBytes: 0 });
    // A call whose outcome did not fit is recorded as interrupted at the end, when that shorter line fits.
    const events = run.records().map(eventOf);
    expect(events.filter((event) => !event.endsWith(".interrupted"))).toEqual(recorded);
    checkLog(run, stdout);
  },
);

describe("several processes on one log", () => {
  const start = (args: string[]) => spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });

  /** What a child says until it ends, or until it has said so many lines and is killed. */
  async function outputOf(child: ChildProcess, killAfterLines = Number.POSITIVE_INFINITY): Promise<string> {
    let stdout = "";
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (stdout.split("\n").length > killAfterLines) child.kill("SIGKILL");
    });
    await once(child, "close");
    return stdout;
  }

  test("out-036: never mix their lines, use a number twice or lose a record, over many turns and rotations", async () => {
    const run = runLogIn(join(home, "several"), "run-1");
    const children = ["a", "b", "c", "d"].map((prefix) => start(childArgs(run, prefix, 250, 100_000, 10)));
    const reports = await Promise.all(children.map((child) => outputOf(child)));
    expect(reports.map((stdout) => readReport(stdout).recorded.length)).toEqual([500, 500, 500, 500]);
    expect(readdirSync(dirname(run.logFile)).length).toBeGreaterThan(5);
    expect(run.verify()).toMatchObject({ ok: true, records: 2000, unknown: [] });
    checkLog(run, reports.join(""));
  });

  test("are verified while they write, and nothing of that looks forged", async () => {
    const run = runLogIn(join(home, "live"), "run-1");
    const children = ["a", "b"].map((prefix) => start(childArgs(run, prefix, 500, 100_000, 100)));
    const ended = Promise.all(children.map((child) => outputOf(child)));
    let running = true;
    ended.finally(() => {
      running = false;
    });
    const seen = new Set<number>();
    while (running) {
      const result = run.verify();
      expect(result).toMatchObject({ ok: true });
      seen.add(result.ok ? result.records : 0);
      await setImmediate();
    }
    expect((await ended).map((stdout) => readReport(stdout).recorded.length)).toEqual([1000, 1000]);
    expect(seen.size).toBeGreaterThan(3);
  });

  test("crash-021: killed while they append, leave a log that the next one goes on with", async () => {
    const run = runLogIn(join(home, "killed"), "run-1");
    const killed = ["a", "b", "c", "d", "e", "f"].map((prefix) =>
      start(childArgs(run, prefix, 100_000, 20_000, 100_000)),
    );
    const survivor = start(childArgs(run, "s", 200, 20_000, 200));
    const reports = await Promise.all([
      ...killed.map((child, at) => outputOf(child, 20 * at)),
      outputOf(survivor),
    ]);
    expect(readReport(reports.at(-1)!)).toMatchObject({ recorded: { length: 400 }, refused: [] });
    checkLog(run, reports.join(""));
  });
});

test("crash-021: SIGKILL between intent and outcome is found as outcome unknown", async () => {
  const run = runLogIn(join(home, "between"), "run-1");
  const cut = { seq: 1, toolCallId: "c0", toolName: "write_file", running: false };
  const faults = await injectFaults({
    ...faultPlan(run, () => {}),
    argv: [process.execPath, ...childArgs(run, "c", 1, 1e6)],
    syscalls: ["write"],
    kinds: ["SIGKILL"],
    check({ stdout }) {
      const unknown = stdout.includes("+c0.intent") ? [cut] : [];
      expect(run.verify()).toMatchObject({ ok: true, records: unknown.length, unknown });
      run.open().close();
      expect(run.verify()).toMatchObject({ ok: true, records: unknown.length * 2, unknown });
    },
  });
  expect(faults.map(({ stdout }) => stdout)).toEqual(["+open\n", "+open\n+c0.intent\n"]);
});
