import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MEMORY_DIR } from "../../../test/kit/memory-dir.ts";
import { runToEnd } from "./cooperative.ts";
import { createFingerprintCache, fingerprintOf } from "./fingerprint.ts";
import { openRoot, type Root } from "./paths.ts";

let top: string;
beforeEach(() => {
  top = fs.mkdtempSync(path.join(MEMORY_DIR, "hotcell-fingerprint-"));
});
afterEach(() => fs.rmSync(top, { recursive: true }));

function inRoot(work: (root: Root) => void): void {
  const root = openRoot(top);
  try {
    work(root);
  } finally {
    fs.closeSync(root.fd);
  }
}

test("a fingerprint that is remembered is taken once, also where nothing is", () => {
  inRoot((root) => {
    fs.writeFileSync(`${top}/f`, "first");
    const remembered = createFingerprintCache();
    const before = ["f", "g"].map((at) => runToEnd(remembered(root, at)));
    fs.writeFileSync(`${top}/f`, "second");
    fs.writeFileSync(`${top}/g`, "made");
    expect(["f", "g"].map((at) => runToEnd(remembered(root, at)))).toEqual(before);
    expect(runToEnd(fingerprintOf(root, "g"))).not.toBeNull();
  });
});

test("the cache of one root is not used for another root with the same descriptor", () => {
  inRoot((root) => {
    const remembered = createFingerprintCache();
    fs.writeFileSync(`${top}/f`, "first");
    const before = runToEnd(remembered(root, "f"));
    fs.writeFileSync(`${top}/f`, "second");
    expect(runToEnd(remembered({ ...root }, "f"))?.sha256).not.toBe(before?.sha256);
  });
});

test.each([
  ["a file", () => fs.writeFileSync(`${top}/d/at`, "text", { mode: 0o640 })],
  ["a file that nobody may read", () => fs.writeFileSync(`${top}/d/at`, "text", { mode: 0 })],
  ["a directory", () => fs.mkdirSync(`${top}/d/at`)],
  ["a link to a file", () => fs.symlinkSync("other", `${top}/d/at`)],
  ["a FIFO", () => execFileSync("mkfifo", [`${top}/d/at`])],
  ["nothing", () => {}],
])("the fingerprint of %s is the same where all names are opened at once", (_, make) => {
  inRoot((root) => {
    fs.mkdirSync(`${top}/d`);
    fs.writeFileSync(`${top}/d/other`, "other");
    make();
    const [walked, atOnceOpened] = [root, { ...root, followsNoLinks: true }].map((from) =>
      runToEnd(fingerprintOf(from, "d/at")),
    );
    expect(atOnceOpened).toEqual(walked);
  });
});
