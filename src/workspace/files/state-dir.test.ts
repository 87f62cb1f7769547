import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openStateDir } from "./state-dir.ts";

let home: string;
beforeEach(() => {
  home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-state-")));
  fs.mkdirSync(`${home}/ws`);
  fs.symlinkSync("ws", `${home}/link-to-ws`);
});
afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(home, { recursive: true });
});

test("the state directory is made with its parents, for its owner only", () => {
  expect(openStateDir(`${home}/a/state`, `${home}/ws`)).toBe(`${home}/a/state`);
  expect(fs.statSync(`${home}/a/state`).mode & 0o777).toBe(0o700);
});

test("a neighbour whose name begins like the workspace's is taken", () => {
  expect(openStateDir(`${home}/ws-state`, `${home}/ws`)).toBe(`${home}/ws-state`);
});

test.each([
  ["the workspace itself", "ws"],
  ["inside the workspace", "ws/.hotcell/state"],
  ["inside by a link", "link-to-ws/state"],
  ["around the workspace", "."],
])("a state directory that is %s is refused, with what to set, and not made", (_, state) => {
  const opening = () => openStateDir(path.join(home, state), `${home}/ws`);
  expect(opening).toThrow(/contains the other.*Set HOTCELL_STATE_DIR/);
  expect(fs.readdirSync(`${home}/ws`)).toEqual([]);
});

/** Newer Nodes don't throw when they look below a file. */
const NO_DIRECTORY = /(ENOTDIR|EEXIST).*Set HOTCELL_STATE_DIR/;

test("a state directory that can't be made is refused, with what to set", () => {
  fs.writeFileSync(`${home}/file`, "");
  expect(() => openStateDir(`${home}/file/state`, `${home}/ws`)).toThrow(NO_DIRECTORY);
});

test.each(["/proc", "/proc/hotcell/state", "/dev/fd", "/dev/fd/state"])(
  "a state directory at %s, where nothing can be made, is refused at once",
  (state) => {
    expect(() => openStateDir(state, `${home}/ws`)).toThrow(
      /the system refused \(E\w+\)\. Set HOTCELL_STATE_DIR/,
    );
  },
);

test("a state directory that another process makes at the same time is taken", () => {
  const made = fs.mkdirSync;
  vi.spyOn(fs, "mkdirSync").mockImplementation((at, options) => {
    made(at, { recursive: true });
    return made(at, options);
  });
  expect(openStateDir(`${home}/a/state`, `${home}/ws`)).toBe(`${home}/a/state`);
});
