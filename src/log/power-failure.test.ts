import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  appendForged,
  editAnchor,
  execOf,
  logCall,
  makeRunLog,
  type RunLog,
  restart,
} from "../../test/kit/run-log.ts";

/** A log of six records whose anchor was written before the machine was last started. */
function logBeforeRestart(maxFileBytes = 1e6): RunLog {
  const run = makeRunLog();
  const log = run.open({ maxFileBytes });
  for (const id of ["a", "b", "c"]) logCall(log, id);
  log.close();
  restart(run);
  return run;
}

const keepLines = (run: RunLog, count: number, rest = "") =>
  writeFileSync(
    run.logFile,
    run
      .lines()
      .slice(0, count)
      .map((line) => `${line}\n`)
      .join("") + rest,
  );

describe("after a power failure", () => {
  const damages: readonly [string, (run: RunLog) => void, { kept: number; cut: number }][] = [
    ["lost its last records", (run) => keepLines(run, 4), { kept: 4, cut: 0 }],
    ["lost part of a record", (run) => keepLines(run, 3, '{"seq":4,'), { kept: 3, cut: 9 }],
    ["ends with zeros", (run) => keepLines(run, 5, "\0".repeat(300)), { kept: 5, cut: 300 }],
    ["is empty", (run) => truncateSync(run.logFile), { kept: 0, cut: 0 }],
    ["is missing", (run) => rmSync(run.logFile), { kept: 0, cut: 0 }],
  ];
  test.each(damages)("a log that %s goes on, and says what it lost", (_, damage, { kept, cut }) => {
    const run = logBeforeRestart();
    damage(run);
    const log = run.open();
    log.exec(execOf("after"));
    log.close();
    const [recovered, after] = run.records().slice(kept);
    expect(recovered).toMatchObject({ seq: kept + 1, kind: "log.recovered", bytes: cut, lost: 6 - kept });
    expect(after).toMatchObject({ seq: kept + 2, kind: "tool.exec" });
    expect(run.verify()).toMatchObject({ ok: true, records: kept + 2, lost: 6 - kept });
  });

  test("what is cut off is kept under the hash that the log gives", () => {
    const run = logBeforeRestart();
    const [, , , fourth] = run.lines();
    keepLines(run, 3, `${fourth!.slice(0, -9)}\n${fourth}\n`);
    run.open().close();
    const { sha256 } = run.records()[3]!;
    expect(readFileSync(join(run.artifactsDir, String(sha256)), "utf8")).toBe(
      `${fourth!.slice(0, -9)}\n${fourth}\n`,
    );
  });

  test("records that the anchor does not know are taken in, and never pass as ordinary ones", () => {
    const run = logBeforeRestart();
    for (let count = 0; count < 3; count++) appendForged(run);
    run.open().close();
    expect(run.records().slice(9)).toEqual([
      expect.objectContaining({ seq: 10, kind: "log.recovered", bytes: 0, lost: 0, adopted: 3 }),
    ]);
    restart(run);
    run.open().close();
    expect(run.verify()).toMatchObject({ ok: true, records: 10, lost: 0, adopted: 3 });
  });

  test("a kill before taking them in is recorded leaves them unknown; after it, they are said once", () => {
    const run = logBeforeRestart();
    appendForged(run);
    const before = JSON.parse(readFileSync(run.anchorFile, "utf8"));
    const lines = run.lines();
    run.open().close();
    const { hash: next } = run.records().at(-1)!;
    const recovered = run.lines();
    for (const left of [lines, recovered]) {
      writeFileSync(run.logFile, left.map((line) => `${line}\n`).join(""));
      editAnchor(run, () => ({ ...before, next }));
      run.open().close();
      expect(run.verify()).toMatchObject({ ok: true, records: 8, adopted: 1 });
    }
  });

  test("a log that was written anew is refused, however well its hashes fit", () => {
    const run = logBeforeRestart();
    const [first] = run.lines();
    writeFileSync(run.logFile, `${first}\n`);
    for (let count = 0; count < 7; count++) appendForged(run);
    expect(() => run.open()).toThrow(
      expect.objectContaining({
        code: "LOG_TAMPERED",
        message: expect.stringContaining("record 6 was written anew"),
      }),
    );
  });

  test("a log is still found cut off until it goes on, and again when it is cut off after that", () => {
    const run = logBeforeRestart();
    keepLines(run, 4);
    expect(run.verify()).toMatchObject({ ok: false, problem: "truncated", seq: 5 });
    run.open().close();
    keepLines(run, 4);
    expect(() => run.open()).toThrow(expect.objectContaining({ code: "LOG_TAMPERED" }));
  });

  test("a log that lost nothing goes on as if nothing had been", () => {
    const run = logBeforeRestart();
    run.open().close();
    expect(run.verify()).toMatchObject({ ok: true, records: 6, lost: 0 });
  });

  test("only the growing file may be damaged: full ones were on the disk", () => {
    const run = logBeforeRestart(1000);
    const full = join(dirname(run.logFile), readdirSync(dirname(run.logFile))[0]!);
    truncateSync(run.logFile);
    truncateSync(full, statSync(full).size - 10);
    expect(() => run.open()).toThrow(
      expect.objectContaining({
        code: "LOG_TAMPERED",
        message: expect.stringContaining("is not what was written"),
      }),
    );
  });

  test("the growing file of several may be gone", () => {
    const run = logBeforeRestart(1000);
    rmSync(run.logFile);
    run.open().close();
    expect(run.verify()).toMatchObject({ ok: true, records: 5, lost: 2 });
  });
});
