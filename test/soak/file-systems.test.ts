// Sessions, commits and the contract of files on other file systems than this machine's: their directories count
// no links, their links are short, their times and numbers are others.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { ROOT } from "../kit/worlds/document.ts";

const SIZE_BYTES = 8 * 2 ** 30;
const FILES = [
  ...["commit", "diff", "overlay", "session"].map((folder) => `test/machine/${folder}/`),
  ...["contract-host", "write-crash"].map((name) => `test/machine/files/${name}.test.ts`),
  "test/machine/search/model.test.ts",
];

describe.each(["btrfs", "xfs"])("on %s", (kind) => {
  let home: string;
  const disk = () => path.join(home, "disk");

  afterEach(() => {
    spawnSync("umount", [disk()]);
    fs.rmSync(home, { recursive: true });
  });

  test("the tests of sessions, commits and files pass as they do here", () => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-disk-"));
    const image = path.join(home, "image");
    fs.mkdirSync(disk());
    // Some of the tests give up root.
    fs.chmodSync(home, 0o755);
    fs.writeFileSync(image, "");
    fs.truncateSync(image, SIZE_BYTES);
    execFileSync(`mkfs.${kind}`, ["-q", image]);
    execFileSync("mount", ["-o", "loop", image, disk()]);
    fs.chmodSync(disk(), 0o1777);
    // Nothing of the test runner that this one runs in.
    const { PATH, HOME } = process.env;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["node_modules/vitest/vitest.mjs", "run", "--project", "machine", ...FILES],
      {
        cwd: ROOT,
        env: { PATH, HOME, TMPDIR: disk(), HOTCELL_TEST_DIR: disk() },
        encoding: "utf8",
        maxBuffer: 2 ** 28,
      },
    );
    expect(stdout).toContain("Test Files");
    expect({ status, failures: stderr.match(/^.*FAIL.*$/gm) ?? [] }).toEqual({ status: 0, failures: [] });
  });
});
