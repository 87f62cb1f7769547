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
import { execOf, intentOf, logCall, makeRunLog, openAsDead, type RunLog } from "../../test/kit/run-log.ts";

const unavailable = (file: string, found: string) =>
  expect.objectContaining({
    code: "LOG_UNAVAILABLE",
    message: expect.stringContaining(found),
    details: { file },
  });

const tampered = (found: string) =>
  expect.objectContaining({ code: "LOG_TAMPERED", message: expect.stringContaining(found) });

describe("a record", () => {
  test("has 002's fields in a fixed order, between what numbers it and what chains it", () => {
    const run = makeRunLog();
    const log = run.open();
    log.intent(intentOf("call-1", { agentId: "sm", changes: true }));
    log.exec(execOf("call-1", { agentId: "sm", stack: "Error: x\n    at y" }));
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

  test("of an outcome names the intent of its own call, also when two calls have the same id", () => {
    const run = makeRunLog();
    const log = run.open();
    for (const id of ["a", "b", "a"]) log.intent(intentOf(id));
    for (const id of ["b", "a", "a"]) log.exec(execOf(id));
    expect(run.records().map(({ toolCallId, intent }) => [toolCallId, intent])).toEqual([
      ["a", undefined],
      ["b", undefined],
      ["a", undefined],
      ["b", 2],
      ["a", 1],
      ["a", 3],
    ]);
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

  test("takes in a record that the anchor does not know yet", () => {
    const run = makeRunLog();
    const log = run.open();
    log.intent(intentOf("a"));
    const anchor = readFileSync(run.anchorFile);
    log.exec(execOf("a"));
    log.close();
    writeFileSync(run.anchorFile, anchor);
    expect(run.verify()).toMatchObject({ ok: true, records: 2 });
    logCall(run.open(), "b");
    expect(run.verify()).toMatchObject({ ok: true, records: 4, unknown: [] });
  });

  const broken: readonly [string, (run: RunLog) => void, string][] = [
    [
      "lost its end",
      (run) => truncateSync(run.logFile, statSync(run.logFile).size - 40),
      "record 2, the last one written, is gone",
    ],
    [
      "lost its last record",
      (run) => writeFileSync(run.logFile, `${run.lines()[0]}\n`),
      "record 2, the last one written, is gone",
    ],
    ["is empty", (run) => truncateSync(run.logFile), "record 2, the last one written, is gone"],
    ["is missing", (run) => rmSync(run.logFile), "its file is missing"],
    [
      "has a foreign line at its end",
      (run) => appendFileSync(run.logFile, '{"seq":3}\n'),
      "what follows record 2 does not continue it",
    ],
    [
      "has its first record once more at its end",
      (run) => appendFileSync(run.logFile, `${run.lines()[0]}\n`),
      "what follows record 2",
    ],
    ["lost its anchor", (run) => rmSync(run.anchorFile), "its anchor is missing or can't be read"],
    [
      "has an emptied anchor",
      (run) => truncateSync(run.anchorFile),
      "its anchor is missing or can't be read",
    ],
    [
      "has an anchor that says nothing",
      (run) => writeFileSync(run.anchorFile, '{"seq":-1}'),
      "its anchor is missing or can't be read",
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

describe("a call without an outcome", () => {
  test("of a dead process is recorded as interrupted, once, at the next open", () => {
    const run = makeRunLog();
    const dead = openAsDead(run);
    dead.intent(intentOf("done"));
    dead.intent(intentOf("cut", { toolName: "write_file" }));
    dead.exec(execOf("done"));
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

  test("of a living process is left alone by others and said to be running", () => {
    const run = makeRunLog();
    const log = run.open();
    log.intent(intentOf("long"));
    run.open().close();
    expect(run.verify()).toMatchObject({
      ok: true,
      records: 1,
      unknown: [{ seq: 1, toolCallId: "long", toolName: "read_file", running: true }],
    });
    log.exec(execOf("long"));
    expect(run.verify()).toMatchObject({ ok: true, records: 2, unknown: [] });
  });

  test("is recorded as interrupted when its own log is closed, and its outcome is refused then", () => {
    const run = makeRunLog();
    const log = run.open();
    log.intent(intentOf("late"));
    log.close();
    expect(() => log.exec(execOf("late"))).toThrow(unavailable(run.logFile, "it is closed"));
    expect(run.records().map(({ kind, intent }) => [kind, intent])).toEqual([
      ["tool.intent", undefined],
      ["tool.interrupted", 1],
    ]);
  });

  test("is found in a file that is full by then", () => {
    const run = makeRunLog();
    const dead = openAsDead(run);
    const other = run.open({ maxFileBytes: 1000 });
    dead.intent(intentOf("cut"));
    for (const id of ["a", "b", "c"]) logCall(other, id);
    other.close();
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
