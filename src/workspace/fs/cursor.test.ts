import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { createCursor } from "./cursor.ts";
import { fdPath } from "./paths.ts";

/** A cursor that has gone down so many directories, each in the one before, and where it is. */
function goDown(depth: number) {
  const top = tempDir();
  const start = fs.openSync(top, fs.constants.O_DIRECTORY);
  const cursor = createCursor(start);
  onTestFinished(() => {
    cursor.close();
    fs.closeSync(start);
  });
  const names = Array.from({ length: depth }, () => "d");
  fs.mkdirSync(path.join(top, ...names), { recursive: true });
  for (const name of names) cursor.down(name);
  return { top, cursor, here: path.join(top, ...names) };
}

test.each([1, 24, 25, 200])("a cursor %i directories down finds its way back to where it began", (depth) => {
  const { top, cursor, here } = goDown(depth);
  expect(fs.readlinkSync(fdPath(cursor.fd))).toBe(here);
  for (let level = 0; level < depth; level++) cursor.up();
  expect(fs.readlinkSync(fdPath(cursor.fd))).toBe(top);
});

test("a directory that is moved away meanwhile is left for the one that it was entered from", () => {
  const { top, cursor, here } = goDown(3);
  fs.renameSync(here, path.join(top, "moved"));
  cursor.up();
  expect(fs.readlinkSync(fdPath(cursor.fd))).toBe(path.dirname(here));
});

test("far down, where only the last directory is open, a directory that is moved away is not left for another", () => {
  const { top, cursor, here } = goDown(200);
  fs.renameSync(here, path.join(top, "moved"));
  expect(() => cursor.up()).toThrow(expect.objectContaining({ code: "EXECUTION_ERROR" }));
});

test("a cursor keeps few directories open, however far down, and none when it is closed", () => {
  const openBefore = fs.readdirSync("/proc/self/fd").length;
  const top = tempDir();
  const start = fs.openSync(top, fs.constants.O_DIRECTORY);
  const cursor = createCursor(start);
  for (let level = 0; level < 200; level++) {
    fs.mkdirSync(`${fdPath(cursor.fd)}/d`);
    cursor.down("d");
  }
  expect(fs.readdirSync("/proc/self/fd").length - openBefore).toBeLessThan(32);
  cursor.close();
  fs.closeSync(start);
  expect(fs.readdirSync("/proc/self/fd").length).toBe(openBefore);
});
