import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  appendForged,
  execOf,
  logCall,
  makeRunLog,
  type RunLog,
  restart,
} from "../../test/kit/worlds/run-log.ts";

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
    const [recovered, ...after] = run.records().slice(kept);
    expect(recovered).toMatchObject({ seq: kept + 1, kind: "log.recovered", bytes: cut, lost: 6 - kept });
    const interrupted = kept % 2 === 1 ? [`tool.interrupted ${kept}`] : [];
    expect(after.map(({ kind, intent = "" }) => `${kind} ${intent}`)).toEqual([...interrupted, "tool.exec "]);
    expect(run.verify()).toMatchObject({ ok: true, records: kept + 1 + after.length, lost: 6 - kept });
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

  const recoveries: readonly [string, (run: RunLog) => void, object][] = [
    ["took in records", (run) => appendForged(run), { records: 8, lost: 0, adopted: 1 }],
    ["lost records", (run) => keepLines(run, 4), { records: 5, lost: 2, adopted: 0 }],
  ];
  test.each(recoveries)(
    "a log that %s says so once, also after a kill before that was anchored",
    (_, damage, found) => {
      const run = logBeforeRestart();
      damage(run);
      const before = readFileSync(run.anchorFile);
      run.open().close();
      writeFileSync(run.anchorFile, before);
      run.open().close();
      expect(run.verify()).toMatchObject({ ok: true, ...found });
    },
  );

  test("a log that is recovered twice says each time what it lost", () => {
    const run = logBeforeRestart();
    keepLines(run, 4);
    run.open().close();
    restart(run);
    appendFileSync(run.logFile, "\0".repeat(300));
    run.open().close();
    const recovered = run.records().filter(({ kind }) => kind === "log.recovered");
    expect(recovered).toEqual([
      expect.objectContaining({ seq: 5, bytes: 0, lost: 2 }),
      expect.objectContaining({ seq: 6, bytes: 300, lost: 0 }),
    ]);
  });

  test("a log that was rewritten is refused, however well its hashes fit", () => {
    const run = logBeforeRestart();
    const [first] = run.lines();
    writeFileSync(run.logFile, `${first}\n`);
    for (let count = 0; count < 7; count++) appendForged(run);
    expect(() => run.open()).toThrow(
      expect.objectContaining({
        code: "LOG_TAMPERED",
        message: expect.stringContaining("record 6 was rewritten"),
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
