// Two hundred commands at once in twenty cells: each has its own files and its own output, and nothing is left.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Cell, openCell } from "../../../src/cell.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const CELLS = 20;
const COMMANDS = 10;
const TIMEOUT_MS = 170_000;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const nameOf = (cell: number, command: number) => `c${cell}-${command}`;

test(`${CELLS * COMMANDS} commands in ${CELLS} cells do not meet, and leave no process, descriptor, mount, cgroup or temporary file`, async () => {
  const top = tempDir();
  const temporary = path.join(top, "tmp");
  fs.mkdirSync(temporary);
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const token = `many-${process.pid}`;
  await withCells(top, 1, async ([cell]) => void (await writeOne(cell!, 0, 0, token)));
  const before = tracesOf(token, temporary);

  await withCells(top, CELLS, async (cells) => {
    await cells[0]!.call(commandCall(`exec -a ${token} sleep 1000`, { background: true }));
    await vi.waitFor(() => expect(tracesOf(token, temporary).processes).not.toBe(""));
    const ended = cells.flatMap((cell, at) => numbers(COMMANDS).map((n) => writeOne(cell, at, n, token)));
    const listed = await Promise.all(ended);
    for (const [at, cell] of cells.entries()) {
      const own = numbers(COMMANDS).map((n) => nameOf(at, n));
      expect(listed.slice(at * COMMANDS, (at + 1) * COMMANDS)).toEqual(
        own.map((_, n) => own.slice(0, n + 1)),
      );
      expect((await cell.diff()).changes.map((change) => [change.path, change.hunks[0]?.lines])).toEqual(
        own.map((name) => [name, [`+${name}`]]),
      );
    }
  });
  await vi.waitFor(() => expect(tracesOf(token, temporary)).toEqual(before));
});

async function withCells(
  top: string,
  count: number,
  work: (cells: readonly Cell[]) => Promise<void>,
): Promise<void> {
  const cells = await Promise.all(numbers(count).map((at) => openOne(path.join(top, `project-${at}`))));
  try {
    await work(cells);
  } finally {
    await Promise.all(cells.map((cell) => cell.close()));
  }
}

function openOne(workspace: string): Promise<Cell> {
  fs.mkdirSync(workspace, { recursive: true });
  const stateDir = path.join(path.dirname(workspace), "state");
  return openCell({ workspace, stateDir, trust: "autonomous", timeoutMs: TIMEOUT_MS });
}

function commandCall(command: string, more: object = {}) {
  return { name: "run_command", arguments: { command, ...more } };
}

/** Gives the files that the command saw. */
async function writeOne(cell: Cell, at: number, n: number, token: string): Promise<string[]> {
  const name = nameOf(at, n);
  const line = `echo ${name} > ${name}; echo ${name}; (exec -a ${token} setsid sleep 1000 &) ; ls -v`;
  const { output, error } = await cell.call(commandCall(line));
  expect(error).toBeNull();
  const [said, ...files] = String(output?.stdout).trimEnd().split("\n");
  expect([said, output?.stderr]).toEqual([name, ""]);
  return files;
}

function tracesOf(token: string, temporary: string) {
  const { pid } = process;
  return {
    processes: spawnSync("pgrep", ["-f", token]).stdout.toString(),
    children: fs.readFileSync(`/proc/self/task/${pid}/children`, "utf8").trim(),
    descriptors: fs.readdirSync("/proc/self/fd").length,
    mounts: fs.readFileSync("/proc/self/mounts", "utf8"),
    cgroups: spawnSync("find", ["/sys/fs/cgroup", "-name", `hotcell-${pid}:*`]).stdout.toString(),
    temporary: fs.readdirSync(temporary),
  };
}
