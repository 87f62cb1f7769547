import { createHash } from "node:crypto";
import { appendFileSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { appendForged, logCall, makeRunLog, type RunLog, restart } from "../../test/kit/worlds/run-log.ts";
import { verifyLog } from "./verify.ts";

/** Eight records, in one file or in several. */
function logFour(maxFileBytes?: number): RunLog {
  const run = makeRunLog();
  const log = run.open(maxFileBytes === undefined ? {} : { maxFileBytes });
  for (const id of ["a", "b", "c", "d"]) logCall(log, id);
  log.close();
  return run;
}

function seal(line: string): string {
  const body = line.slice(0, line.lastIndexOf(',"hash"'));
  return `${body},"hash":"${createHash("sha256").update(body).digest("hex")}"}`;
}

/** Recomputes the chain from a line on, as an attacker would who knows the format. */
function forgeFrom(lines: readonly string[], at: number): string[] {
  const forged = [...lines];
  for (let index = at; index < forged.length; index++) {
    const prev = index === 0 ? "0".repeat(64) : JSON.parse(forged[index - 1]!).hash;
    forged[index] = seal(forged[index]!.replace(/"prev":"\w+"/, `"prev":"${prev}"`));
  }
  return forged;
}

const edit = (lines: string[], at: number) => lines.with(at, lines[at]!.replace("src/a.ts", "src/b.ts"));

describe("verifyLog", () => {
  const damages: readonly [string, (lines: string[]) => string[], object][] = [
    ["an edited record", (lines) => edit(lines, 2), { problem: "edited", seq: 3, line: 3 }],
    [
      "an edited record with a new hash",
      (lines) => edit(lines, 2).map((line, at) => (at === 2 ? seal(line) : line)),
      { problem: "edited", seq: 3, line: 4 },
    ],
    [
      "an edit with all later hashes recomputed",
      (lines) => forgeFrom(edit(lines, 2), 2),
      { problem: "edited", seq: 8, line: 8 },
    ],
    [
      "a changed last record with a new hash",
      (lines) => forgeFrom(edit(lines, 7), 7),
      { problem: "edited", seq: 8, line: 8 },
    ],
    ["a removed record", (lines) => lines.toSpliced(4, 1), { problem: "removed", seq: 5, line: 5 }],
    ["a removed first record", (lines) => lines.slice(1), { problem: "removed", seq: 1, line: 1 }],
    [
      "two records in the other order",
      (lines) => lines.toSpliced(3, 2, lines[4]!, lines[3]!),
      { problem: "reordered", seq: 4, line: 4 },
    ],
    [
      "a repeated record",
      (lines) => lines.toSpliced(3, 0, lines[2]!),
      { problem: "reordered", seq: 4, line: 4 },
    ],
    ["an inserted line", (lines) => lines.toSpliced(3, 0, "{}"), { problem: "edited", seq: 4, line: 4 }],
    ["a blank line", (lines) => lines.toSpliced(3, 0, ""), { problem: "edited", seq: 4, line: 4 }],
    [
      "a line of a megabyte",
      (lines) => lines.with(3, "x".repeat(1 << 20)),
      { problem: "edited", seq: 4, line: 4 },
    ],
    ["a cut-off end", (lines) => lines.slice(0, 5), { problem: "truncated", seq: 6, line: 5 }],
    ["nothing left", () => [], { problem: "truncated", seq: 1, line: 0 }],
  ];
  test.each(damages)("finds %s", (_, damage, found) => {
    const run = logFour();
    writeFileSync(
      run.logFile,
      damage(run.lines())
        .map((line) => `${line}\n`)
        .join(""),
    );
    expect(run.verify()).toMatchObject({ ok: false, file: "execution.jsonl", ...found });
  });

  test("finds a record that its anchor does not know, and that nobody takes in", () => {
    const run = logFour();
    appendForged(run, { toolName: "write_file", outcome: "executed_ok" });
    const found = {
      ok: false,
      problem: "unanchored",
      seq: 9,
      file: "execution.jsonl",
      line: 9,
      message: "The log ends with record 9, but its anchor names record 8. Later records may be forged.",
    };
    expect(run.verify()).toEqual(found);
    expect(() => run.open()).toThrow(expect.objectContaining({ code: "LOG_TAMPERED" }));
    restart(run);
    expect(run.verify()).toEqual(found);
  });

  const foreign: readonly object[] = [
    { toolCallId: { toString: 0 } },
    { toolName: ["x"] },
    { agentId: 1 },
    { kind: "tool.intent", writer: { toString: 0 } },
    { intent: "1" },
    { kind: "log.recovered", lost: -1 },
    { kind: "log.recovered", adopted: {} },
    { ts: null },
  ];
  test.each(foreign)("takes a record with %j for none, whatever its hash says", (fields) => {
    const run = logFour();
    appendForged(run, fields);
    expect(run.verify()).toMatchObject({ ok: false, problem: "edited", seq: 9, line: 9 });
  });

  test("finds every single changed byte", () => {
    const run = logFour();
    const log = readFileSync(run.logFile);
    const unnoticed = [];
    for (let at = 0; at < log.length; at++) {
      const changed = Buffer.from(log);
      changed[at]! ^= 1;
      writeFileSync(run.logFile, changed);
      if (run.verify().ok) unnoticed.push(at);
    }
    expect(unnoticed).toEqual([]);
  });

  test("finds a missing or changed file of several", () => {
    const run = logFour(1500);
    const files = readdirSync(dirname(run.logFile)).map((name) => join(dirname(run.logFile), name));
    const problems = files.map((file) => {
      copyFileSync(file, join(run.stateDir, "kept"));
      appendFileSync(file, "torn");
      const changed = run.verify();
      rmSync(file);
      const missing = run.verify();
      copyFileSync(join(run.stateDir, "kept"), file);
      return [changed, missing].map((result) => (result.ok ? "ok" : result.problem));
    });
    expect(problems).toEqual([
      ["edited", "removed"],
      ["edited", "removed"],
      ["ok", "truncated"],
    ]);
    expect(run.verify()).toMatchObject({ ok: true, records: 8 });
  });

  test("says when there is no anchor to tell the end by", () => {
    const run = logFour();
    rmSync(run.anchorFile);
    expect(run.verify()).toMatchObject({ ok: false, problem: "unanchored", seq: 8 });
    expect(verifyLog(run.logFile, null)).toMatchObject({ ok: true, records: 8, anchored: false });
  });

  test("finds nothing wrong with a run that never logged", () => {
    expect(makeRunLog().verify()).toEqual({
      ok: true,
      records: 0,
      head: { seq: 0, hash: "0".repeat(64) },
      anchored: true,
      tornBytes: 0,
      lost: 0,
      adopted: 0,
      unknown: [],
    });
  });
});
