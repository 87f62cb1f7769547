import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { type Log, type LogOptions, openLog } from "../../log/log.ts";
import { runToEnd } from "../fs/cooperative.ts";
import { openDatabase } from "./driver.ts";
import { createTables } from "./schema.ts";
import { type CallsPosition, NO_CALLS, writeToolCalls } from "./tool-calls.ts";

const RULE = { text: "trust", source: "built-in" };

function begin(log: Log, id: string): number {
  const call = { toolCallId: id, toolName: "t", agentId: null, input: { id }, digest: "d", rule: RULE };
  return log.intent({ ...call, changes: false });
}

function end(log: Log, id: string, intent: number | null): void {
  const call = { toolCallId: id, toolName: "t", agentId: null, input: { id }, rule: RULE };
  log.exec({ ...call, intent, output: {}, outcome: { status: "executed_ok" }, durationMs: 1 });
}

const run = (log: Log, id: string) => end(log, id, begin(log, id));

async function openWorld(maxFileBytes = 1_000_000) {
  const top = tempDir();
  const options: LogOptions = {
    dir: path.join(top, "run"),
    anchorFile: path.join(top, "anchor"),
    maxFileBytes,
  };
  const db = await openDatabase(path.join(top, "db"));
  onTestFinished(() => db.close());
  createTables(db, "/project", 0o755);
  const log = openLog(options);
  const paths = { logFile: log.file, anchorFile: options.anchorFile };
  let position: CallsPosition = NO_CALLS;
  return {
    log,
    options,
    /** As when another process goes on with the database. */
    write() {
      position = JSON.parse(JSON.stringify(runToEnd(writeToolCalls(db, paths, position))));
      return position;
    },
    rows() {
      const query = "SELECT parameters, status, error FROM tool_calls ORDER BY id";
      return [...db.prepare(query).iterate()].map(
        ({ parameters, status, error }) =>
          `${JSON.parse(String(parameters)).id} ${status}${error === null ? "" : `: ${error}`}`,
      );
    },
    rotated: () =>
      fs
        .readdirSync(path.dirname(log.file))
        .filter((name) => name !== "execution.jsonl" && name.endsWith("l")),
  };
}

describe("the table tool_calls", () => {
  test("has no call whose record is not anchored: the log cuts it off when it is opened again", async () => {
    const { log, options, write, rows } = await openWorld();
    run(log, "a");
    const anchor = fs.readFileSync(options.anchorFile);
    begin(log, "b");
    fs.writeFileSync(options.anchorFile, anchor);
    write();
    expect(rows()).toEqual(["a success"]);
  });

  test("goes on where it ended: each call has one row, whether it was running or ended meanwhile", async () => {
    const { log, write, rows } = await openWorld();
    run(log, "a");
    const b = begin(log, "b");
    write();
    expect(rows()).toEqual(["a success", "b pending"]);
    write();
    end(log, "refused", null);
    end(log, "b", b);
    run(log, "c");
    write();
    expect(rows()).toEqual(["a success", "b success", "refused success", "c success"]);
    log.close();
  });

  test("has a call as interrupted if its process ended before it", async () => {
    const { log, write, rows } = await openWorld();
    begin(log, "a");
    write();
    log.close();
    write();
    expect(rows()).toEqual(["a error: interrupted: hotcell ended before the call did"]);
  });

  test("goes on over rotated files, however many calls each pass takes", async () => {
    const { log, write, rows, rotated } = await openWorld(2000);
    const ids = Array.from({ length: 30 }, (_, n) => `call-${n}`);
    for (const [n, id] of ids.entries()) {
      run(log, id);
      if (n % 4 === 3) write();
    }
    write();
    expect(rotated().length).toBeGreaterThan(5);
    expect(rows()).toEqual(ids.map((id) => `${id} success`));
    log.close();
  });

  test("keeps its rows when old files of the log are gone, and goes on with the rest", async () => {
    const { log, write, rows, rotated } = await openWorld(2000);
    for (let n = 0; n < 3; n++) run(log, `old-${n}`);
    write();
    for (let n = 0; n < 20; n++) run(log, `new-${n}`);
    const files = rotated().sort();
    for (const name of files.slice(0, -2)) fs.unlinkSync(path.join(path.dirname(log.file), name));
    write();
    run(log, "last");
    write();
    const found = rows().map((row) => row.split(" ")[0]!);
    expect(found.slice(0, 3)).toEqual(["old-0", "old-1", "old-2"]);
    expect(found.slice(-2)).toEqual(["new-19", "last"]);
    expect(new Set(found).size).toBe(found.length);
    log.close();
  });

  test("waits for the end of a line that is being written", async () => {
    const { log, write, rows } = await openWorld();
    run(log, "a");
    const whole = fs.readFileSync(log.file);
    fs.truncateSync(log.file, whole.length - 10);
    write();
    expect(rows()).toEqual(["a pending"]);
    fs.writeFileSync(log.file, whole);
    write();
    expect(rows()).toEqual(["a success"]);
    log.close();
  });
});
