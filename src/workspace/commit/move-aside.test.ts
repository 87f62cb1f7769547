import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runToEnd } from "../fs/cooperative.ts";
import { type Fingerprint, fingerprintAt, identityAt } from "../fs/fingerprint.ts";
import { type MoveAsideConflict, moveAside } from "./move-aside.ts";

let home: string;
let dir: number;
let expected: Fingerprint;

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-aside-"));
  dir = fs.openSync(home, fs.constants.O_DIRECTORY);
  fs.writeFileSync(inHome("file"), "expected");
  expected = runToEnd(fingerprintAt(ref("file")))!;
});
afterEach(() => {
  fs.closeSync(dir);
  fs.rmSync(home, { recursive: true });
});

const inHome = (name: string): string => path.join(home, name);

const ref = (name: string) => ({ dir, name });

function move(): MoveAsideConflict {
  return runToEnd(
    moveAside({
      at: ref("file"),
      aside: ref("aside"),
      expect: expected,
      found: identityAt(ref("file")),
      tick: () => {},
    }),
  );
}

const names = (): string[] => fs.readdirSync(home).sort();

test("what is expected goes aside, and stays there when it is done again", () => {
  expect(move()).toBeNull();
  expect(names()).toEqual(["aside"]);
  expect(move()).toBeNull();
  expect(names()).toEqual(["aside"]);
});

test("what is not expected, or not there, is not touched", () => {
  fs.writeFileSync(inHome("file"), "edited");
  expect(move()).toEqual({ conflict: "changed in the project", kept: false });
  fs.rmSync(inHome("file"));
  expect(move()).toEqual({ conflict: "removed in the project", kept: false });
  expect(names()).toEqual([]);
});

describe("what turns out to be something else when it is aside", () => {
  const EDITS: readonly [what: string, edit: () => void, shown: () => string][] = [
    [
      "a file",
      () => fs.writeFileSync(inHome("file"), "edited"),
      () => fs.readFileSync(inHome("file"), "utf8"),
    ],
    [
      "a link",
      () => {
        fs.rmSync(inHome("file"));
        fs.symlinkSync("edited", inHome("file"));
      },
      () => fs.readlinkSync(inHome("file")),
    ],
    [
      "a directory",
      () => {
        fs.rmSync(inHome("file"));
        fs.mkdirSync(inHome("file"));
        fs.writeFileSync(inHome("file/inner"), "edited");
      },
      () => fs.readFileSync(inHome("file/inner"), "utf8"),
    ],
  ];

  test.each(EDITS)("goes back: %s", (_what, edit, shown) => {
    edit();
    fs.renameSync(inHome("file"), inHome("aside"));
    expect(move()).toEqual({ conflict: "changed in the project", kept: false });
    expect(shown()).toBe("edited");
  });

  test.each(EDITS)("is kept aside when its name was taken again: %s", (_what, edit) => {
    edit();
    fs.renameSync(inHome("file"), inHome("aside"));
    fs.writeFileSync(inHome("file"), "newer");
    expect(move()).toEqual({ conflict: "changed in the project", kept: true });
    expect(names()).toEqual(["aside", "file"]);
    expect(fs.readFileSync(inHome("file"), "utf8")).toBe("newer");
  });

  test("is not kept twice when it was given back before a kill", () => {
    fs.writeFileSync(inHome("file"), "edited");
    fs.linkSync(inHome("file"), inHome("aside"));
    expect(move()).toEqual({ conflict: "changed in the project", kept: false });
  });
});
