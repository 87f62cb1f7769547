// What people run in their projects works in a cell, without a network, and leaves the project as it was.
import fs from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Cell, openCell } from "../../../src/cell.ts";
import { openRealProject } from "../../kit/worlds/real-project.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

let root: string;
beforeAll(() => {
  root = openRealProject();
});

async function open(): Promise<Cell> {
  const cell = await openCell({
    workspace: root,
    stateDir: tempDir(path.dirname(root)),
    trust: "autonomous",
  });
  onTestFinished(() => cell.close());
  return cell;
}

const run = (cell: Cell, command: string, more = {}) =>
  cell.call({ name: "run_command", arguments: { command, timeout_ms: 170_000, ...more } });

async function sayIn(cell: Cell, command: string): Promise<string> {
  const { output, error } = await run(cell, command);
  expect([error, output?.exit_code, output]).toEqual([null, 0, output]);
  return `${output?.stdout}${output?.stderr}`;
}

describe("in a cell", () => {
  test.each([
    ["qs's own tests", "cd node_modules/qs && tape 'test/**/*.js'", /# pass {2}\d{3}/],
    ["tsx", "tsx script.ts", /^sum 3\n$/],
    ["jest", "jest", /1 passed/],
    ["vitest", "vitest run vitest", /1 passed/],
    ["vite build", "vite build && grep -c sum dist/assets/*.js", /built in/],
    ["Python's multiprocessing", "python3 shared.py", /^\[2, 4\]\n$/],
    ["python3 -m venv", "python3 -m venv v && v/bin/python -c 'import sys; print(sys.prefix)'", /\/v\n$/],
  ])("%s runs", async (_, command, expected) => {
    const cell = await open();
    const before = fs.readdirSync(root);
    expect(await sayIn(cell, `PATH=$PWD/node_modules/.bin:$PATH; ${command}`)).toMatch(expected);
    expect(fs.readdirSync(root)).toEqual(before);
  });

  test("vite's dev server answers later commands with a compiled module", async () => {
    const cell = await open();
    const started = await run(cell, "node_modules/.bin/vite --port 5199 --host 127.0.0.1", {
      background: true,
    });
    expect(started.error).toBeNull();
    const ask = "curl -sS --retry 40 --retry-delay 1 --retry-connrefused http://127.0.0.1:5199/src/sum.ts";
    expect(await sayIn(cell, ask)).toMatch(/export const sum = \(a, b\)/);
  });
});
