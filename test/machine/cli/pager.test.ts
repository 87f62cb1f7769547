// `hotcell diff` in a terminal: the text goes through the user's pager.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../kit/worlds/document.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";
import { runInTerminal } from "../../kit/worlds/terminal.ts";

const CLI = path.join(ROOT, "bin/hotcell.js");
const DIFF = `${process.execPath} ${CLI} diff`;

/** A session with one change, and a pager that marks each line and says its arguments. */
function openWorld(pager: string) {
  const top = tempDir();
  const cwd = path.join(top, "project");
  fs.mkdirSync(cwd);
  fs.writeFileSync(path.join(cwd, "f"), "old\n");
  const script = '#!/bin/sh\necho "pager $* LESS=$LESS"; sed "s/^/| /"\n';
  fs.writeFileSync(path.join(top, "pager"), script, { mode: 0o755 });
  const env = {
    PATH: process.env.PATH,
    HOTCELL_STATE_DIR: path.join(top, "state"),
    HOME: top,
    TERM: "xterm-256color",
    NO_COLOR: "1",
    PAGER: pager.replace("TOP", top),
  };
  const write = JSON.stringify({ path: "f", content: "new\n" });
  const changed = spawnSync(process.execPath, [CLI, "call", "write_file", write], {
    cwd,
    env,
    encoding: "utf8",
  });
  expect(changed.status).toBe(0);
  return (line: string) => {
    const { shown, status, missed } = runInTerminal(line, [], { cwd, env });
    expect(missed).toBeNull();
    return { lines: shown.trimEnd().split("\r\n"), status };
  };
}

test("shows a diff in $PAGER with its arguments, and waits for its end", () => {
  const run = openWorld("TOP/pager -a b");
  const { lines, status } = run(DIFF);
  expect([lines[0], status]).toEqual(["pager -a b LESS=FRX", 0]);
  expect(lines.slice(1).every((line) => line.startsWith("| "))).toBe(true);
  expect(lines.slice(-2)).toEqual(["| -old", "| +new"]);
});

test.each([
  ["the program of $PAGER is missing", "TOP/missing", DIFF],
  ["$PAGER is empty", "", DIFF],
  ["the output is no terminal", "TOP/pager", `${DIFF} | cat`],
])("shows the diff without a pager if %s", (_, pager, line) => {
  const { lines, status } = openWorld(pager)(line);
  expect([lines.slice(-2), status]).toEqual([["-old", "+new"], 0]);
  expect(lines.join("\n")).not.toMatch(/^pager|^\| |ENOENT/m);
});

test("a pager that a person leaves before its end is no error", () => {
  const run = openWorld("true");
  expect(run(DIFF)).toEqual({ lines: [""], status: 0 });
});
