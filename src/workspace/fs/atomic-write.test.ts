import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { replaceFile, type Target, writeAll } from "./atomic-write.ts";

const ATTRIBUTES = { mode: null, owner: null };
const TEMPORARY = ".hotcell-tmp-test";

let home: string;
let dir: number;
/** What the notes were told, in order. */
let told: string[];

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-atomic-"));
  dir = fs.openSync(home, fs.constants.O_DIRECTORY);
  told = [];
});
afterEach(() => {
  fs.closeSync(dir);
  fs.rmSync(home, { recursive: true });
});

function replace(target: Partial<Target>, fill: (fd: number) => void): void {
  const leftovers = {
    announce(directory: string) {
      told.push(`announce ${directory}`);
      return TEMPORARY;
    },
    settle(temporary: string) {
      told.push(`settle ${temporary}`);
    },
  };
  replaceFile({ dir, directory: "d", name: "f", ...ATTRIBUTES, ...target }, leftovers, fill);
}

const inHome = (name: string): string => path.join(home, name);

describe("a file is replaced", () => {
  test("in one step, under a note that is settled afterwards", () => {
    fs.writeFileSync(inHome("f"), "old");
    replace({}, (fd) => {
      expect(told).toEqual(["announce d"]);
      writeAll(fd, Buffer.from("new"));
      expect(fs.readFileSync(inHome("f"), "utf8")).toBe("old");
    });
    expect(fs.readFileSync(inHome("f"), "utf8")).toBe("new");
    expect(fs.readdirSync(home)).toEqual(["f"]);
    expect(told).toEqual(["announce d", `settle ${TEMPORARY}`]);
  });

  test("with its mode set before there is content, and never with more than permissions", () => {
    replace({ mode: 0o104600 }, (fd) => expect(fs.fstatSync(fd).mode & 0o7777).toBe(0o600));
    expect(fs.statSync(inHome("f")).mode & 0o7777).toBe(0o600);
  });
});

describe("when it can't be", () => {
  const fail = () => {
    throw new Error("no more room");
  };

  test("the old file stays, the temporary one goes, and the note is settled", () => {
    fs.writeFileSync(inHome("f"), "old");
    expect(() => replace({}, fail)).toThrow("no more room");
    expect(fs.readFileSync(inHome("f"), "utf8")).toBe("old");
    expect(fs.readdirSync(home)).toEqual(["f"]);
    expect(told).toEqual(["announce d", `settle ${TEMPORARY}`]);
  });

  test("and the temporary file can't be removed either, the note stays and the first error is thrown", () => {
    const swapAndFail = () => {
      fs.unlinkSync(inHome(TEMPORARY));
      fs.mkdirSync(inHome(TEMPORARY));
      fail();
    };
    expect(() => replace({}, swapAndFail)).toThrow("no more room");
    expect(told).toEqual(["announce d"]);
  });

  test("because something has the temporary name, that is not followed", () => {
    fs.writeFileSync(inHome("other"), "kept");
    fs.symlinkSync("other", inHome(TEMPORARY));
    expect(() => replace({}, (fd) => writeAll(fd, Buffer.from("x")))).toThrow("EEXIST");
    expect(fs.readFileSync(inHome("other"), "utf8")).toBe("kept");
  });
});
