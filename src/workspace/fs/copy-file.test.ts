import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runToEnd } from "./cooperative.ts";
import { copyFile, copyOpen } from "./copy-file.ts";
import { sha256Of } from "./fingerprint.ts";
import { O_PATH } from "./paths.ts";

const MIB = 1024 * 1024;

function makePlace(): { readonly from: string; readonly to: string; copy(): string } {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-copy-"));
  onTestFinished(() => fs.rmSync(top, { recursive: true }));
  const [from, to] = [path.join(top, "from"), path.join(top, "to")];
  return {
    from,
    to,
    copy() {
      const fd = fs.openSync(from, O_PATH);
      const dir = fs.openSync(top, O_PATH);
      try {
        const found = { fd, stat: fs.fstatSync(fd) };
        return runToEnd(copyFile(found, { dir, name: "to" }, { mode: 0o600, owner: null }));
      } finally {
        for (const open of [fd, dir]) fs.closeSync(open);
      }
    },
  };
}

test.each([
  ["at its end", 0],
  ["before and after its text", 5 * MIB + 17],
])("a file with a hole %s is copied byte for byte, and takes no more room", (_, at) => {
  const { from, to, copy } = makePlace();
  const fd = fs.openSync(from, "w");
  fs.writeSync(fd, "some text", at);
  fs.ftruncateSync(fd, 32 * MIB + 5);
  fs.closeSync(fd);
  expect(copy()).toBe(sha256Of(fs.readFileSync(from)));
  expect(fs.readFileSync(to).equals(fs.readFileSync(from))).toBe(true);
  expect(fs.statSync(to).blocks * 512).toBeLessThanOrEqual(2 * MIB);
});

test("a file with holes between many small pieces takes no more room as a copy", () => {
  const { from, to, copy } = makePlace();
  const fd = fs.openSync(from, "w");
  for (let at = 0; at < 32 * MIB; at += 64 * 1024) fs.writeSync(fd, "piece", at + 100);
  fs.closeSync(fd);
  expect(copy()).toBe(sha256Of(fs.readFileSync(from)));
  expect(fs.readFileSync(to).equals(fs.readFileSync(from))).toBe(true);
  // What the file system needs to find the pieces may differ a little.
  expect(fs.statSync(to).blocks).toBeLessThan(1.1 * fs.statSync(from).blocks);
});

test("zeros that take room take as much in the copy", () => {
  const { from, to, copy } = makePlace();
  fs.writeFileSync(from, Buffer.alloc(3 * MIB));
  copy();
  expect(fs.statSync(to).blocks).toBe(fs.statSync(from).blocks);
});

test("of a small file that is open, as many bytes are copied as it was seen to have, with its times", () => {
  const { from, to } = makePlace();
  fs.writeFileSync(from, "seen");
  fs.utimesSync(from, 1_000_000_000, 1_100_000_000);
  const [fd, dir] = [fs.openSync(from, "r"), fs.openSync(path.dirname(to), O_PATH)];
  const stat = fs.fstatSync(fd);
  fs.appendFileSync(from, ", and more");
  const sha256 = runToEnd(copyOpen({ fd, stat }, { dir, name: "to" }, { mode: 0o640, owner: null }));
  for (const open of [fd, dir]) fs.closeSync(open);
  const { mode, atimeMs, mtimeMs } = fs.statSync(to);
  expect([fs.readFileSync(to, "utf8"), sha256]).toEqual(["seen", sha256Of(Buffer.from("seen"))]);
  expect([mode & 0o777, atimeMs, mtimeMs]).toEqual([0o640, 1e12, 1.1e12]);
});
