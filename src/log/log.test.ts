import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  appendForged,
  execOf,
  intentOf,
  logCall,
  makeRunLog,
  openAsDead,
  type RunLog,
} from "../../test/kit/worlds/run-log.ts";
import { LIMITS } from "../core/limits.ts";
import { lockToken } from "../core/lock.ts";
import type { ExecEvent, Log } from "./log.ts";

const unavailable = (file: string, found: string) =>
  expect.objectContaining({
    code: "LOG_UNAVAILABLE",
    message: expect.stringContaining(found),
    details: { file },
  });

const tampered = (found: string) =>
  expect.objectContaining({ code: "LOG_TAMPERED", message: expect.stringContaining(found) });

describe("a record", () => {
  test("has the fields of an audit event in a fixed order, between what numbers it and what chains it", () => {
    const run = makeRunLog();
    const log = run.open();
    const began = log.intent(intentOf("call-1", { agentId: "sm", changes: true }));
    log.exec(execOf("call-1", { intent: began, agentId: "sm", stack: "Error: x\n    at y" }));
    log.exec(execOf("call-2", { outcome: { status: "not_executed", why: "unknown_tool" }, rule: null }));
    log.close();
    const [intent, exec, refused] = run.records();
    expect([intent, exec, refused].map((record) => Object.keys(record!).join())).toEqual([
      "seq,ts,kind,toolCallId,toolName,agentId,input,digest,rule,changes,writer,prev,hash",
      "seq,ts,kind,toolCallId,toolName,agentId,input,output,durationMs,outcome,rule,intent,stack,prev,hash",
      "seq,ts,kind,toolCallId,toolName,agentId,input,output,durationMs,outcome,why,rule,prev,hash",
    ]);
    expect(exec).toEqual({
      seq: 2,
      ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      kind: "tool.exec",
      toolCallId: "call-1",
      toolName: "read_file",
      agentId: "sm",
      input: { path: "src/a.ts" },
      output: { ok: true },
      durationMs: 12.5,
      outcome: "executed_ok",
      rule: { text: "allow read_file", source: "hotcell.config.json", line: 3 },
      intent: 1,
      stack: "Error: x\n    at y",
      prev: intent!.hash,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test("of an outcome names the intent of its own call, also when several calls have the same id", () => {
    const run = makeRunLog();
    const log = run.open();
    const [first, second] = [log.intent(intentOf("a")), log.intent(intentOf("a"))];
    for (const intent of [null, second, first]) log.exec(execOf("a", { intent }));
    expect(run.records().map(({ kind, intent }) => [kind, intent])).toEqual([
      ["tool.intent", undefined],
      ["tool.intent", undefined],
      ["tool.exec", undefined],
      ["tool.exec", 2],
      ["tool.exec", 1],
    ]);
  });

  test("of a refused call that has a running call's id leaves the running call open", () => {
    const run = makeRunLog();
    openAsDead(run).intent(intentOf("a", { toolName: "write_file" }));
    run.open().exec(execOf("a", { outcome: { status: "not_executed", why: "denied" } }));
    const unknown = [{ seq: 1, toolCallId: "a", toolName: "write_file", running: false }];
    expect(run.verify()).toMatchObject({ ok: true, unknown });
  });

  test("of an outcome is written once for an intent", () => {
    const run = makeRunLog();
    const log = run.open();
    const intent = log.intent(intentOf("a"));
    log.exec(execOf("a", { intent }));
    expect(() => log.exec(execOf("a", { intent }))).toThrow("No call with the intent 1 is open.");
    expect(run.records()).toHaveLength(2);
  });

  test.each([
    ["a number", 5, 5],
    ["an object", { at: "x" }, { at: "x" }],
    ["nothing", null, null],
  ])("of an error whose stack is %s is there all the same", (_, stack, logged) => {
    const run = makeRunLog();
    run.open().exec(execOf("a", { stack } as unknown as Partial<ExecEvent>));
    expect(run.records()).toEqual([expect.objectContaining({ kind: "tool.exec", stack: logged })]);
  });

  test("that would be too long has its longest fields as size and hash, and the log goes on", () => {
    const run = makeRunLog();
    const log = run.open();
    const controls = "\u0001".repeat(LIMITS.maxLoggedStringBytes);
    const wide = Array(20).fill(controls);
    const rule = { text: controls, source: controls };
    const names = { toolCallId: controls, toolName: controls, agentId: controls };
    const long = { input: wide, output: wide, stack: wide } as unknown as ExecEvent;
    log.exec({ ...execOf("a", { ...names, rule }), ...long });
    logCall(log, "b");
    expect(run.lines().every((line) => Buffer.byteLength(line) < LIMITS.maxLogRecordBytes)).toBe(true);
    const summary = { bytes: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(run.records()[0]).toMatchObject({
      ...names,
      rule,
      input: summary,
      output: summary,
      stack: summary,
    });
    expect(run.verify()).toMatchObject({ ok: true, records: 3 });
  });
});

describe("opening a log", () => {
  test("makes directories and files that only their owner can use", () => {
    const run = makeRunLog();
    const log = run.open();
    const id = log.artifact(Buffer.from("long"));
    log.close();
    const modes = (paths: string[]) => paths.map((path) => (statSync(path).mode & 0o777).toString(8));
    expect(modes([run.dir, dirname(run.logFile), run.artifactsDir, dirname(run.anchorFile)])).toEqual(
      Array(4).fill("700"),
    );
    expect(modes([run.logFile, run.anchorFile, join(run.artifactsDir, id)])).toEqual(Array(3).fill("600"));
  });

  test("continues where the last one ended, and closing twice is fine", () => {
    const run = makeRunLog();
    for (const id of ["a", "b"]) {
      const log = run.open();
      logCall(log, id);
      log.close();
      log.close();
    }
    expect(run.records().map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(run.verify()).toMatchObject({ ok: true, records: 4, unknown: [] });
  });

  test("does not read what was written before: an edit there is left to verify", () => {
    const run = makeRunLog();
    const log = run.open();
    logCall(log, "a");
    log.close();
    writeFileSync(run.logFile, readFileSync(run.logFile, "utf8").replace("src/a.ts", "src/b.ts"));
    run.open().close();
    expect(run.verify()).toMatchObject({ ok: false, problem: "edited", seq: 1 });
  });

  test("cuts off a last record that is not anchored, for its owner was killed there, keeps it and says so", () => {
    const run = makeRunLog();
    const dead = openAsDead(run);
    const intent = dead.intent(intentOf("a"));
    const anchor = readFileSync(run.anchorFile);
    dead.exec(execOf("a", { intent }));
    writeFileSync(run.anchorFile, anchor);
    const unanchored = `${run.lines()[1]}\n`;
    const unknown = [{ seq: 1, toolCallId: "a", toolName: "read_file", running: false }];
    const tornBytes = unanchored.length;
    expect(run.verify()).toMatchObject({ ok: true, records: 1, head: { seq: 1 }, tornBytes, unknown });
    run.open().close();
    expect(run.records().slice(1)).toEqual([
      expect.objectContaining({ seq: 2, kind: "log.recovered", bytes: tornBytes, lost: 0, adopted: 0 }),
      expect.objectContaining({ seq: 3, kind: "tool.interrupted", intent: 1 }),
    ]);
    const { sha256 } = run.records()[1]!;
    expect(readFileSync(join(run.artifactsDir, String(sha256)), "utf8")).toBe(unanchored);
    expect(run.verify()).toMatchObject({ ok: true, records: 3, tornBytes: 0, lost: 0, adopted: 0, unknown });
  });

  /** The anchor as it was written before logs had owners. */
  function writeEarlierAnchor(run: RunLog, next: string | null): void {
    const { owned: _, ...head } = JSON.parse(readFileSync(run.anchorFile, "utf8"));
    writeFileSync(run.anchorFile, JSON.stringify({ ...head, next }));
  }

  test("reads an earlier anchor, and finds what was added to its log", () => {
    const run = makeRunLog();
    logCall(openAsDead(run), "a");
    writeEarlierAnchor(run, null);
    expect(run.verify()).toMatchObject({ ok: true, records: 2 });
    run.open().close();
    expect(JSON.parse(readFileSync(run.anchorFile, "utf8"))).not.toHaveProperty("next");
    writeEarlierAnchor(run, null);
    appendForged(run);
    expect(run.verify()).toMatchObject({ ok: false, problem: "unanchored", seq: 3 });
    expect(() => run.open()).toThrow(tampered("its anchor does not cover the records after record 2"));
  });

  test("cuts off a record that an earlier anchor only announces", () => {
    const run = makeRunLog();
    logCall(openAsDead(run), "a");
    appendForged(run);
    writeEarlierAnchor(run, run.records()[2]!.hash);
    expect(run.verify()).toMatchObject({ ok: true, records: 2 });
    run.open().close();
    expect(run.verify()).toMatchObject({ ok: true, records: 3, tornBytes: 0, adopted: 0 });
  });

  test("is refused when a killed owner's log has two records that are not anchored", () => {
    const run = makeRunLog();
    logCall(openAsDead(run), "a");
    appendForged(run);
    appendForged(run);
    expect(run.verify()).toMatchObject({ ok: false, problem: "unanchored", seq: 3 });
    expect(() => run.open()).toThrow(tampered("its anchor does not cover the records after record 2"));
  });

  const broken: readonly [string, (run: RunLog) => void, string][] = [
    [
      "lost its end",
      (run) => truncateSync(run.logFile, statSync(run.logFile).size - 40),
      "record 2, the last one written, is missing",
    ],
    [
      "lost its last record",
      (run) => writeFileSync(run.logFile, `${run.lines()[0]}\n`),
      "record 2, the last one written, is missing",
    ],
    ["is empty", (run) => truncateSync(run.logFile), "record 2, the last one written, is missing"],
    ["is missing", (run) => rmSync(run.logFile), "its file is missing"],
    [
      "has a foreign line at its end",
      (run) => appendFileSync(run.logFile, '{"seq":3}\n'),
      "the record after record 2 does not continue the hash chain",
    ],
    [
      "has its first record once more at its end",
      (run) => appendFileSync(run.logFile, `${run.lines()[0]}\n`),
      "the record after record 2",
    ],
    [
      "has a record at its end that its anchor does not know",
      (run) => appendForged(run),
      "its anchor does not cover the records after record 2",
    ],
    [
      "has a record at its end with fields that no record has",
      (run) => appendForged(run, { toolName: { toString: 0 } }),
      "the record after record 2 does not continue the hash chain",
    ],
    ["lost its anchor", (run) => rmSync(run.anchorFile), "its anchor is missing or cannot be read"],
    [
      "has an emptied anchor",
      (run) => truncateSync(run.anchorFile),
      "its anchor is missing or cannot be read",
    ],
    [
      "has an anchor that says nothing",
      (run) => writeFileSync(run.anchorFile, '{"seq":-1}'),
      "its anchor is missing or cannot be read",
    ],
  ];
  test.each(broken)("is refused when the log %s, and refused again", (_, damage, found) => {
    const run = makeRunLog();
    const log = run.open();
    logCall(log, "a");
    log.close();
    damage(run);
    expect(() => run.open()).toThrow(tampered(found));
    expect(() => run.open()).toThrow(tampered(found));
  });

  test("is refused when the directory of the log is a link", () => {
    const run = makeRunLog();
    mkdirSync(run.dir, { recursive: true });
    mkdirSync(join(run.stateDir, "elsewhere"));
    symlinkSync(join(run.stateDir, "elsewhere"), dirname(run.logFile));
    expect(() => run.open()).toThrow(unavailable(dirname(run.logFile), '"logs" is not a directory'));
  });
});

describe("an open log", () => {
  test("has one writer: a second open fails until it is closed, with the next step", () => {
    const run = makeRunLog();
    const log = run.open();
    const command = lockToken().split(":")[5];
    expect(() => run.open()).toThrow(
      expect.objectContaining({
        code: "LOCKED",
        message: `Could not open the log: another cell has it open, and a log has one writer. Close that cell or wait for it. To work in parallel, use a separate session. (Could not lock "${run.anchorFile}.lock": process ${process.pid} (${command}) holds it. Try again when it has finished.)`,
        details: { file: `${run.anchorFile}.lock`, pid: process.pid, command },
      }),
    );
    logCall(log, "a");
    log.close();
    logCall(run.open(), "b");
    expect(run.verify()).toMatchObject({ ok: true, records: 4 });
  });

  test("is nobody's when opening it failed, or when closing it did", () => {
    const run = makeRunLog();
    const log = run.open();
    log.intent(intentOf("a"));
    const text = readFileSync(run.logFile);
    rmSync(run.logFile);
    expect(() => log.close()).toThrow(unavailable(run.logFile, "deleted or replaced"));
    expect(() => run.open()).toThrow(tampered("its file is missing"));
    writeFileSync(run.logFile, text);
    run.open().close();
    expect(run.verify()).toMatchObject({ ok: true, records: 2, unknown: [{ toolCallId: "a" }] });
  });

  test("has an anchor that knows each record, and that it is open", () => {
    const run = makeRunLog();
    const log = run.open();
    for (const id of ["a", "b"]) logCall(log, id);
    expect(JSON.parse(readFileSync(run.anchorFile, "utf8"))).toMatchObject({
      seq: 4,
      hash: run.records()[3]!.hash,
      owned: true,
    });
    log.close();
    expect(JSON.parse(readFileSync(run.anchorFile, "utf8"))).toMatchObject({ seq: 4, owned: false });
  });

  const gone = "record 2, the last one written, is missing";
  const cutters: readonly [string, (run: RunLog) => Log, (run: RunLog, log: Log) => unknown, string][] = [
    [
      "while it is open",
      (run) => run.open(),
      (_, log) => log.intent(intentOf("b")),
      "another process wrote to it or truncated it after record 2",
    ],
    ["after its owner was killed", (run) => openAsDead(run), (run) => run.open(), gone],
    [
      "and is then closed",
      (run) => run.open(),
      (run, log) => {
        log.close();
        run.open();
      },
      gone,
    ],
  ];
  test.each(cutters)("whose last record is cut off %s is refused", (_, open, goOn, found) => {
    const run = makeRunLog();
    const log = open(run);
    logCall(log, "a");
    writeFileSync(run.logFile, `${run.lines()[0]}\n`);
    expect(run.verify()).toMatchObject({ ok: false, problem: "truncated", seq: 2 });
    expect(() => goOn(run, log)).toThrow(tampered(found));
  });

  test("takes no record of somebody else: it never counts, and the log is not continued", () => {
    const run = makeRunLog();
    const log = run.open();
    logCall(log, "a");
    appendForged(run, { kind: "tool.intent", toolCallId: "forged", toolName: "write_file" });
    const tornBytes = run.lines()[2]!.length + 1;
    expect(run.verify()).toMatchObject({ ok: true, records: 2, tornBytes, unknown: [] });
    for (let round = 0; round < 2; round++)
      expect(() => logCall(log, "b")).toThrow(
        tampered("another process wrote to it or truncated it after record 2"),
      );
    log.close();
    expect(run.verify()).toMatchObject({ ok: false, problem: "unanchored", seq: 3 });
    expect(() => run.open()).toThrow(tampered("its anchor does not cover the records after record 2"));
  });

  test("stores no artifact once it is closed", () => {
    const run = makeRunLog();
    const log = run.open();
    log.close();
    expect(() => log.artifact(Buffer.from("abc"))).toThrow(unavailable(run.logFile, "it is closed"));
  });
});

describe("a call without an outcome", () => {
  test("of a dead process is recorded as interrupted, once, at the next open", () => {
    const run = makeRunLog();
    const dead = openAsDead(run);
    const intent = dead.intent(intentOf("done"));
    dead.intent(intentOf("cut", { toolName: "write_file" }));
    dead.exec(execOf("done", { intent }));
    run.open().close();
    run.open().close();
    expect(run.records().slice(3)).toEqual([
      expect.objectContaining({
        kind: "tool.interrupted",
        toolCallId: "cut",
        toolName: "write_file",
        agentId: null,
        outcome: "unknown",
        intent: 2,
      }),
    ]);
    expect(run.verify()).toMatchObject({
      ok: true,
      unknown: [{ seq: 2, toolCallId: "cut", toolName: "write_file", running: false }],
    });
  });

  test("of a living process is said to be running", () => {
    const run = makeRunLog();
    const log = run.open();
    const intent = log.intent(intentOf("long"));
    expect(run.verify()).toMatchObject({
      ok: true,
      records: 1,
      unknown: [{ seq: 1, toolCallId: "long", toolName: "read_file", running: true }],
    });
    log.exec(execOf("long", { intent }));
    expect(run.verify()).toMatchObject({ ok: true, records: 2, unknown: [] });
  });

  test("is recorded as interrupted when its own log is closed, and its outcome is refused then", () => {
    const run = makeRunLog();
    const log = run.open();
    const intent = log.intent(intentOf("late"));
    log.close();
    expect(() => log.exec(execOf("late", { intent }))).toThrow(unavailable(run.logFile, "it is closed"));
    expect(run.records().map((record) => [record.kind, record.intent])).toEqual([
      ["tool.intent", undefined],
      ["tool.interrupted", intent],
    ]);
  });

  test("is found in a file that has become full", () => {
    const run = makeRunLog();
    const dead = openAsDead(run, { maxFileBytes: 1000 });
    dead.intent(intentOf("cut"));
    for (const id of ["a", "b", "c"]) logCall(dead, id);
    run.open().close();
    expect(run.records().at(-1)).toMatchObject({
      seq: 8,
      kind: "tool.interrupted",
      toolCallId: "cut",
      intent: 1,
    });
  });
});

describe("an artifact", () => {
  test("is stored once under its sha256, and what an unfinished one left is overwritten", () => {
    const run = makeRunLog();
    const log = run.open();
    mkdirSync(run.artifactsDir);
    writeFileSync(join(run.artifactsDir, "unfinished"), "left by a kill, and longer than the next one");
    const ids = [
      log.artifact(Buffer.from("abc")),
      log.artifact(Buffer.from("abc")),
      log.artifact(new Uint8Array()),
    ];
    const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    expect(ids).toEqual([abc, abc, empty]);
    expect(readdirSync(run.artifactsDir).sort()).toEqual([abc, empty]);
    expect(readFileSync(join(run.artifactsDir, abc), "utf8")).toBe("abc");
  });

  test("that can't be stored is refused", () => {
    const run = makeRunLog();
    const log = run.open();
    writeFileSync(run.artifactsDir, "in the way");
    expect(() => log.artifact(Buffer.from("abc"))).toThrow(unavailable(run.logFile, "ENOTDIR"));
  });
});
