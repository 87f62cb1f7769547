import { appendFileSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { logCall, makeRunLog, openAsDead, type RunLog } from "../../test/kit/worlds/run-log.ts";

const tampered = (found: string) =>
  expect.objectContaining({ code: "LOG_TAMPERED", message: expect.stringContaining(found) });

describe("a log of several files", () => {
  const filesOf = (run: RunLog) => readdirSync(dirname(run.logFile)).sort();

  test("has one chain over all of them, each named after its first record", () => {
    const run = makeRunLog();
    const log = run.open({ maxFileBytes: 1500 });
    for (const id of ["a", "b", "c", "d"]) logCall(log, id);
    log.close();
    const files = filesOf(run);
    expect(files.length).toBeGreaterThan(2);
    expect(files.every((file) => statSync(join(dirname(run.logFile), file)).size <= 1500)).toBe(true);
    expect(run.records().map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(run.verify()).toMatchObject({ ok: true, records: 8 });
    for (const file of files.slice(0, -1)) {
      const first = JSON.parse(readFileSync(join(dirname(run.logFile), file), "utf8").split("\n")[0]!);
      expect(file).toBe(`execution.${String(first.seq).padStart(16, "0")}.jsonl`);
    }
  });

  test("gives a record that is longer than a file a file of its own", () => {
    const run = makeRunLog();
    const log = run.open({ maxFileBytes: 1 });
    logCall(log, "a");
    expect(filesOf(run)).toEqual(["execution.0000000000000001.jsonl", "execution.jsonl"]);
    expect(run.verify()).toMatchObject({ ok: true, records: 2 });
  });

  test("goes on after a kill between giving the full file its name and making the next one", () => {
    const run = makeRunLog();
    logCall(openAsDead(run), "a");
    renameSync(run.logFile, join(dirname(run.logFile), "execution.0000000000000001.jsonl"));
    expect(run.verify()).toMatchObject({ ok: true, records: 2 });
    logCall(run.open(), "b");
    expect(run.verify()).toMatchObject({ ok: true, records: 4 });
  });

  test("goes on after a kill in the middle of the first record of a new file", () => {
    const run = makeRunLog();
    logCall(openAsDead(run), "a");
    renameSync(run.logFile, join(dirname(run.logFile), "execution.0000000000000001.jsonl"));
    appendFileSync(run.logFile, '{"seq":3,');
    expect(run.verify()).toMatchObject({ ok: true, records: 2, tornBytes: 9 });
    logCall(run.open(), "b");
    expect(run.records().map(({ kind }) => kind)).toEqual([
      "tool.intent",
      "tool.exec",
      "log.recovered",
      "tool.intent",
      "tool.exec",
    ]);
    expect(run.verify()).toMatchObject({ ok: true, records: 5, tornBytes: 0 });
  });

  test("is refused when the last full file was changed and the next one is not anchored yet", () => {
    const run = makeRunLog();
    const log = run.open();
    logCall(log, "a");
    log.close();
    const full = join(dirname(run.logFile), "execution.0000000000000001.jsonl");
    renameSync(run.logFile, full);
    appendFileSync(full, "x");
    expect(() => run.open()).toThrow(tampered("the file that ended with record 2 was changed"));
  });
});
