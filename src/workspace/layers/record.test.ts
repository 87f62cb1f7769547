import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { readRecord, rewriteRecord, type SessionRecord, writeRecord } from "./record.ts";
import { checkpointRecord, newRecord } from "./stack.ts";

const FIRST = { id: "c1", tool: "test" };
const SECOND = { id: "c2", tool: "test" };

function written() {
  const record = newRecord("one", "/project", "kernel", 1);
  const dir = path.join(tempDir(), record.id);
  fs.mkdirSync(dir);
  writeRecord(dir, record);
  const file = path.join(dir, "session.json");
  const rewrite = (before: SessionRecord, next: SessionRecord) => {
    rewriteRecord(dir, before, next);
    return next;
  };
  return { dir, file, record, rewrite };
}

describe("a record after which only the live layer's call is another", () => {
  test("is read as it was written, and is no new file", () => {
    const { dir, file, record, rewrite } = written();
    const { ino } = fs.statSync(file);
    const next = rewrite(
      rewrite(record, checkpointRecord(record, FIRST, true, 2)),
      checkpointRecord(record, SECOND, true, 3),
    );
    expect(readRecord(dir)).toEqual(next);
    expect(fs.statSync(file).ino).toBe(ino);
  });

  test("tells that the session was used", () => {
    const { file, record, rewrite } = written();
    fs.utimesSync(file, 1, 1);
    rewrite(record, checkpointRecord(record, FIRST, true, 2));
    expect(fs.statSync(file).mtimeMs).toBeGreaterThan(1000);
  });

  test("is the one before when a power failure has cut the note", () => {
    const { dir, record, rewrite } = written();
    rewrite(record, checkpointRecord(record, FIRST, true, 2));
    fs.truncateSync(path.join(dir, "1.call"), 5);
    expect(readRecord(dir)).toEqual(record);
  });

  test("leaves nothing behind when the next one is another in more", () => {
    const { dir, record, rewrite } = written();
    const first = rewrite(record, checkpointRecord(record, FIRST, true, 2));
    const second = rewrite(first, { ...checkpointRecord(first, SECOND, true, 3), settled: { 1: 1 } });
    expect(readRecord(dir)).toEqual(second);
    expect(fs.readdirSync(dir)).toEqual(["session.json"]);
  });
});
