// The audit rows of test/corpus/output.jsonl, one test each.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  execOf,
  intentOf,
  logCall,
  makeRunLog,
  openAsDead,
  type RunLog,
} from "../../test/kit/worlds/run-log.ts";
import type { ExecEvent } from "./log.ts";

interface Row {
  readonly id: string;
  readonly cat: string;
  readonly input: string;
  readonly reason: string;
}

const corpus = readFileSync(join(import.meta.dirname, "../../test/corpus/output.jsonl"), "utf8");
const rows = corpus
  .split("\n")
  .filter(Boolean)
  .map((line): Row => JSON.parse(line))
  .filter(({ cat }) => cat === "audit");

/** These need a real disk or real processes: test/machine/log-crash.test.ts. */
const MACHINE_ROWS = ["out-029", "out-036"];

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Logs one outcome and gives the only line and the only record that came of it, with the chain verified. */
function logOne(run: RunLog, more: Partial<ExecEvent>, secrets: readonly string[] = []) {
  const log = run.open({ secrets });
  log.exec(execOf("call-1", more));
  log.close();
  expect(run.verify()).toMatchObject({ ok: true, records: 1 });
  const [line, ...others] = run.lines();
  expect(others).toEqual([]);
  return { line: line!, record: JSON.parse(line!) };
}

const refuses = (code: string, found: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(found) });

/** A run with three calls in its log. */
function logThree(): RunLog {
  const run = makeRunLog();
  const log = run.open();
  for (const id of ["a", "b", "c"]) logCall(log, id);
  log.close();
  return run;
}

function rewrite(run: RunLog, change: (lines: string[]) => string[]): void {
  writeFileSync(
    run.logFile,
    change(run.lines())
      .map((line) => `${line}\n`)
      .join(""),
  );
}

const SCENARIOS: Readonly<Record<string, () => void>> = {
  "out-023"() {
    const path = 'a\n{"kind":"tool.exec","fake":1}';
    expect(logOne(makeRunLog(), { input: { path } }).record.input).toEqual({ path });
  },
  "out-024"() {
    const toolName = 'read"\n{"kind":"tool.exec"}\r\u2028';
    expect(logOne(makeRunLog(), { toolName, toolCallId: toolName }).record).toMatchObject({
      toolName,
      toolCallId: toolName,
    });
  },
  "out-025"() {
    const blob = "0123456789".repeat(200_000);
    const { line, record } = logOne(makeRunLog(), { input: { blob } });
    expect(record.input).toEqual({
      blob: { bytes: 2_000_000, sha256: sha256(blob), preview: blob.slice(0, 80) },
    });
    expect(line.length).toBeLessThan(1000);
  },
  "out-026"() {
    const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    expect(logOne(makeRunLog(), { input: { deep }, output: deep }).record.output).toEqual([
      [[[[[[["[deeper]"]]]]]]],
    ]);
  },
  "out-027"() {
    const toJSON = vi.fn();
    const getter = vi.fn(() => {
      throw new Error("no");
    });
    const input: Record<string, unknown> = { toJSON, big: 1n };
    Object.defineProperty(input, "getter", { get: getter, enumerable: true });
    input.cycle = [input];
    expect(logOne(makeRunLog(), { input }).record.input).toMatchObject({
      toJSON: "[function]",
      big: "1",
      getter: "[getter]",
    });
    expect([toJSON, getter].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  },
  "out-028"() {
    const secrets = ["correct horse", `sk-ant-${"a1".repeat(20)}`, "hunter2"];
    const input = { command: `curl -H 'x: ${secrets[0]}' ${secrets[1]}`, env: { DB_PASSWORD: secrets[2] } };
    const output = { stdout: `${secrets[0]}\n`.repeat(100), error: secrets[1] };
    const { line } = logOne(makeRunLog(), { input, output, stack: `at ${secrets[0]}` }, ["correct horse"]);
    expect(secrets.filter((secret) => line.includes(secret))).toEqual([]);
    expect(line).toContain("[redacted]");
  },
  "out-030"() {
    const placed: Record<string, (path: string) => void> = {
      link: (path) => symlinkSync("/dev/null", path),
      fifo: (path) => execFileSync("mkfifo", [path]),
      directory: (path) => mkdirSync(path),
    };
    for (const place of Object.values(placed)) {
      const run = makeRunLog();
      const log = run.open();
      logCall(log, "before");
      renameSync(run.logFile, `${run.logFile}.moved`);
      place(run.logFile);
      expect(() => log.intent(intentOf("after"))).toThrow(refuses("LOG_UNAVAILABLE", "deleted or replaced"));
      log.close();
      expect(() => run.open()).toThrow(refuses("LOG_UNAVAILABLE", ""));
      rmSync(run.logFile, { recursive: true });
      renameSync(`${run.logFile}.moved`, run.logFile);
      expect(run.verify()).toMatchObject({ ok: true, records: 2 });
    }
  },
  "out-031"() {
    const run = makeRunLog();
    const log = run.open();
    logCall(log, "before");
    rmSync(run.logFile);
    expect(() => log.intent(intentOf("after"))).toThrow(refuses("LOG_UNAVAILABLE", "deleted or replaced"));
    log.close();
    expect(() => run.open()).toThrow(refuses("LOG_TAMPERED", "its file is missing"));
    expect(run.verify()).toMatchObject({ ok: false, problem: "truncated", seq: 1 });
  },
  "out-032"() {
    const run = logThree();
    const torn = '{"seq":7,"ts":"2026-01-01T00';
    appendFileSync(run.logFile, torn);
    expect(run.verify()).toMatchObject({ ok: true, records: 6, tornBytes: torn.length });
    const log = run.open();
    logCall(log, "d");
    expect(run.records()[6]).toMatchObject({
      seq: 7,
      kind: "log.recovered",
      bytes: torn.length,
      sha256: sha256(torn),
    });
    expect(readFileSync(join(run.artifactsDir, sha256(torn)), "utf8")).toBe(torn);
    expect(run.verify()).toMatchObject({ ok: true, records: 9, tornBytes: 0 });
  },
  "out-033"() {
    const run = logThree();
    rewrite(run, (lines) => lines.with(3, lines[3]!.replace("executed_ok", "executed_no")));
    expect(run.verify()).toEqual({
      ok: false,
      problem: "edited",
      seq: 4,
      file: "execution.jsonl",
      line: 4,
      message: "Record 4 was changed: it is not a record, or its hash does not match its bytes.",
    });
  },
  "out-034"() {
    const run = logThree();
    rewrite(run, (lines) => lines.toSpliced(2, 1));
    expect(run.verify()).toMatchObject({ ok: false, problem: "removed", seq: 3, line: 3 });
  },
  "out-035"() {
    const run = logThree();
    rewrite(run, (lines) => lines.slice(0, 4));
    expect(run.verify()).toMatchObject({ ok: false, problem: "truncated", seq: 5 });
    expect(() => run.open()).toThrow(refuses("LOG_TAMPERED", "record 6, the last one written, is missing"));
  },
  "out-037"() {
    const run = makeRunLog();
    const log = run.open();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-06-01T00:00:00Z") });
    logCall(log, "late");
    vi.setSystemTime(Date.parse("2020-01-01T00:00:00Z"));
    logCall(log, "early");
    vi.useRealTimers();
    expect(run.records().map(({ seq, ts, durationMs }) => [seq, ts, durationMs])).toEqual([
      [1, "2026-06-01T00:00:00.000Z", undefined],
      [2, "2026-06-01T00:00:00.000Z", 12.5],
      [3, "2020-01-01T00:00:00.000Z", undefined],
      [4, "2020-01-01T00:00:00.000Z", 12.5],
    ]);
    expect(run.verify()).toMatchObject({ ok: true, records: 4 });
  },
  "out-038"() {
    const details = { mount: "@project", path: "../etc/passwd", reason: "leads out of the mount" };
    const output = { ok: false, error: { code: "E_SANDBOX_VIOLATION", message: "no", details } };
    const { record } = logOne(makeRunLog(), { output, outcome: { status: "executed_error" } });
    expect(record).toMatchObject({ kind: "tool.exec", outcome: "executed_error", output });
  },
  "out-039"() {
    const unknown = execOf("a", {
      toolName: "rm_rf",
      outcome: { status: "not_executed", why: "unknown_tool" },
      rule: null,
    });
    const malformed = execOf("b", {
      input: '{"path":',
      outcome: { status: "not_executed", why: "invalid_args" },
      rule: null,
    });
    const run = makeRunLog();
    const log = run.open();
    for (const event of [unknown, malformed]) log.exec(event);
    expect(
      run.records().map(({ kind, toolCallId, outcome, why }) => [kind, toolCallId, outcome, why]),
    ).toEqual([
      ["tool.exec", "a", "not_executed", "unknown_tool"],
      ["tool.exec", "b", "not_executed", "invalid_args"],
    ]);
    expect(run.verify()).toMatchObject({ ok: true, records: 2, unknown: [] });
  },
  "out-040"() {
    const run = makeRunLog();
    const log = run.open();
    const [first, second] = ["cancelled", "timed out"].map((id) => log.intent(intentOf(id)));
    log.exec(execOf("cancelled", { intent: first!, outcome: { status: "not_executed", why: "cancelled" } }));
    log.exec(execOf("timed out", { intent: second!, outcome: { status: "executed_error" } }));
    log.close();
    expect(
      run
        .records()
        .slice(2)
        .map(({ toolCallId, intent }) => [toolCallId, intent]),
    ).toEqual([
      ["cancelled", 1],
      ["timed out", 2],
    ]);
    expect(run.verify()).toMatchObject({ ok: true, records: 4, unknown: [] });
  },
  "out-041"() {
    const run = makeRunLog();
    openAsDead(run).intent(intentOf("cut"));
    const unknown = [{ seq: 1, toolCallId: "cut", toolName: "read_file", running: false }];
    expect(run.verify()).toMatchObject({ ok: true, records: 1, unknown });
    run.open().close();
    expect(run.verify()).toMatchObject({ ok: true, records: 2, unknown });
  },
  "out-042"() {
    const run = makeRunLog();
    const log = run.open();
    for (let at = 0; at < 5000; at++) logCall(log, `call-${at}`);
    log.close();
    expect(run.verify()).toMatchObject({ ok: true, records: 10_000, unknown: [] });
  },
};

test("every audit row has its test", () => {
  expect([...Object.keys(SCENARIOS), ...MACHINE_ROWS].sort()).toEqual(rows.map(({ id }) => id));
});

for (const { id, input, reason } of rows.filter((row) => row.id in SCENARIOS))
  test(`${id}: ${input}: ${reason}`, () => SCENARIOS[id]!());
