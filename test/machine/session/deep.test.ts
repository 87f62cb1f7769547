// Paths are taken out of a session whose layers are deeper than any path can name.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { statText } from "../../../src/workspace/diff/stat-text.ts";
import { createCursor } from "../../../src/workspace/fs/cursor.ts";
import { childPath } from "../../../src/workspace/fs/paths.ts";
import { walkTree } from "../../../src/workspace/fs/tree.ts";
import { removeBelow } from "../../../src/workspace/fs/tree-change.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { digDown } from "../../kit/dig-down.ts";
import { MEMORY_DIR } from "../../kit/memory-dir.ts";
import { directory } from "../../kit/worlds/planted-tree.ts";
import { STRATEGIES, tempSessionWorld } from "../../kit/worlds/session-world.ts";

const BIN = path.resolve(import.meta.dirname, "../../../bin/hotcell.js");

/** Together longer than a path may be. */
const DEPTH = 110;
const NAME = "d".repeat(40);

const change = (session: Session, id: string, work: () => void) =>
  session.change({ id, tool: "test" }, async () => work());

/** Works in a view, below this many directories. */
function below<T>({ view }: Session, depth: number, work: (dir: number) => T): T {
  const cursor = createCursor(view.fd);
  try {
    for (let level = 0; level < depth; level++) {
      if (level % 10 === 0) fs.utimesSync(`/proc/self/fd/${cursor.fd}`, 0, 0);
      cursor.down(NAME);
    }
    return work(cursor.fd);
  } finally {
    cursor.close();
  }
}

/** Where directories are listed no further. */
const LISTED = 94;
const DEEPEST = Array(LISTED).fill(NAME).join("/");

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  test("what is too deep for a path is one change of the directory above it, which is not committed", async () => {
    const world = tempSessionWorld(new Map(), MEMORY_DIR);
    const session = await world.create(strategy);
    const { paths, unlisted } = await change(session, "c", () =>
      digDown(`/proc/self/fd/${session.view.fd}`, DEPTH, ["f"], NAME),
    );
    expect([paths, unlisted]).toEqual([[DEEPEST], [DEEPEST]]);
    const shown = await session.diff((diff) => diff.shown);
    expect(shown).toMatchObject([{ path: DEEPEST, kind: "added", unlisted: true }]);
    expect(statText(shown)).toContain("new directory, with entries that are too deep to list");
    const { committed, skipped, conflicts } = await session.commit();
    expect([committed, skipped, conflicts]).toEqual([[], [{ path: DEEPEST, why: "path is too long" }], []]);
    expect(fs.readdirSync(world.project)).toEqual([]);
    expect(fs.readdirSync(`/proc/self/fd/${session.view.fd}/${path.dirname(DEEPEST)}`)).toEqual([NAME]);
  });

  test("a change of what is too deep in the project is one change of the directory above it, and is rewound", async () => {
    const fill = (project: string) => digDown(project, DEPTH, ["old"], NAME);
    const session = await tempSessionWorld(new Map(), MEMORY_DIR, fill).create(strategy);
    const namesAtBottom = () => below(session, DEPTH, (dir) => fs.readdirSync(`/proc/self/fd/${dir}`));
    await change(session, "c", () =>
      below(session, DEPTH, (dir) => fs.renameSync(`/proc/self/fd/${dir}/old`, `/proc/self/fd/${dir}/new`)),
    );
    expect(await session.diff((diff) => diff.shown)).toMatchObject([
      { path: DEEPEST, kind: "modified", unlisted: true },
    ]);
    expect(await session.commit()).toMatchObject({ tx: null, skipped: [{ path: DEEPEST }], conflicts: [] });
    expect(namesAtBottom()).toEqual(["new"]);
    await session.rewind("c");
    expect(await session.diff((diff) => diff.shown)).toEqual([]);
    expect(namesAtBottom()).toEqual(["old"]);
  });

  test("a removed directory stays in the project if a part of it is too deep for a path", async () => {
    const fill = (project: string) => digDown(project, DEPTH, ["old"], NAME);
    const world = tempSessionWorld(new Map(), MEMORY_DIR, fill);
    const session = await world.create(strategy);
    await change(session, "c", () => session.workspace.remove(NAME, { recursive: true }));
    expect(await session.commit()).toMatchObject({ tx: null, committed: [], conflicts: [] });
    expect(fs.readdirSync(world.project)).toEqual([NAME]);
    expect(fs.readdirSync(`/proc/self/fd/${session.view.fd}`)).toEqual([]);
  });

  test("what is too deep for a path is discarded", async () => {
    const session = await tempSessionWorld(new Map(), MEMORY_DIR).create(strategy);
    await change(session, "c", () => digDown(`/proc/self/fd/${session.view.fd}`, DEPTH, ["f"], NAME));
    await session.discard([NAME]);
    expect(await session.diff(({ changes }) => changes)).toEqual([]);
  });

  test("what is too deep for a path stays as it is when something else is discarded", async () => {
    const fill = (project: string) => digDown(project, DEPTH, ["old"], NAME);
    const world = tempSessionWorld(new Map([[NAME, directory()]]), MEMORY_DIR, fill);
    const session = await world.create(strategy);
    await change(session, "c", () => {
      session.workspace.write("f", "f");
      below(session, DEPTH - 1, (dir) => {
        const bottom = fs.openSync(`/proc/self/fd/${dir}/${NAME}`, fs.constants.O_DIRECTORY);
        removeBelow(bottom);
        fs.closeSync(bottom);
        fs.rmdirSync(`/proc/self/fd/${dir}/${NAME}`);
        fs.mkdirSync(`/proc/self/fd/${dir}/${NAME}`);
        fs.writeFileSync(`/proc/self/fd/${dir}/${NAME}/new`, "");
      });
    });
    await session.discard(["f"]);
    expect(below(session, DEPTH, (dir) => fs.readdirSync(`/proc/self/fd/${dir}`))).toEqual(["new"]);
    expect(fs.readdirSync(`/proc/self/fd/${session.view.fd}`)).toEqual([NAME]);
  });
});

test("issue-17-1: a command that makes 20,000 levels ends with an observation that names the directory above; so does the diff, and a discard removes it", () => {
  const { project, stateDir } = tempSessionWorld(new Map(), MEMORY_DIR);
  // Whole paths of all levels would take 400 MB.
  const env = { ...process.env, HOTCELL_STATE_DIR: stateDir, NODE_OPTIONS: "--max-old-space-size=128" };
  const hotcell = (...args: string[]) =>
    spawnSync(process.execPath, [BIN, ...args], { cwd: project, env, encoding: "utf8" });
  hotcell("session", "create", "--name", "s");
  const command = `python3 -c 'import os
for _ in range(20000): os.mkdir("d"); os.chdir("d")'`;
  const call = [
    "call",
    "run_command",
    JSON.stringify({ command }),
    "--session",
    "s",
    "--trust",
    "autonomous",
    "--json",
  ];
  const { stdout } = hotcell(...call);
  const { success, meta } = JSON.parse(stdout);
  const [deepest, ...others] = meta.changes.unlisted;
  expect([success, others]).toEqual([true, []]);
  expect(deepest).toMatch(/^d(\/d){1000,4096}$/);
  expect(hotcell("session", "diff", "s", "--stat").stdout).toContain(
    "new directory, with entries that are too deep to list",
  );
  expect(hotcell("session", "discard", "s", "--yes").stdout).toMatch(/^The session .* now has 0 changes\.$/m);
});

/** A chain of directories; whole paths of all levels would take far more memory than the processes get. */
const digCommand = (depth: number, name: string) => `python3 -c 'import os
for _ in range(${depth}): os.mkdir(${name}); os.chdir(${name})'`;

test("issue-17-1: find_files and list_directory end on a chain of 6,000 long names, and the listing names the directory with the rest", () => {
  const { project, stateDir } = tempSessionWorld(new Map(), MEMORY_DIR);
  const env = { ...process.env, HOTCELL_STATE_DIR: stateDir, NODE_OPTIONS: "--max-old-space-size=128" };
  const hotcell = (...args: string[]) =>
    spawnSync(process.execPath, [BIN, ...args], { cwd: project, env, encoding: "utf8" }).stdout;
  const call = (tool: string, args: object) =>
    JSON.parse(
      hotcell("call", tool, JSON.stringify(args), "--session", "s", "--trust", "autonomous", "--json"),
    );
  hotcell("session", "create", "--name", "s");
  expect(call("run_command", { command: digCommand(6000, '"d" * 200') }).success).toBe(true);
  expect(call("find_files", { pattern: "x" }).output).toEqual({ paths: [], truncated: false });
  const deepest = Array(20).fill("d".repeat(200)).join("/");
  expect(call("list_directory", { recursive: true, pattern: "x" }).output).toEqual({
    path: ".",
    entries: [],
    truncated: false,
    note: `Not listed: ${deepest}. List each by its own path.`,
  });
});

test("issue-17-1: secrets in each of 20,000 levels of the project are hidden, the deepest with the directory above them", () => {
  const { project, stateDir } = tempSessionWorld(new Map(), MEMORY_DIR);
  const env = { ...process.env, HOTCELL_STATE_DIR: stateDir, NODE_OPTIONS: "--max-old-space-size=128" };
  digDown(project, 20_000, []);
  const fd = fs.openSync(project, fs.constants.O_DIRECTORY);
  for (const { step, dir } of walkTree(fd))
    if (step === "enter") fs.writeFileSync(childPath(dir, ".env"), "K=1\n");
  fs.closeSync(fd);
  const command = JSON.stringify({ command: "find d -name .env | wc -l; find d | wc -l" });
  const { stdout } = spawnSync(
    process.execPath,
    [BIN, "call", "run_command", command, "--trust", "autonomous", "--json"],
    { cwd: project, env, encoding: "utf8" },
  );
  const { output, meta } = JSON.parse(stdout);
  expect([output.stdout, meta.hidden.count]).toEqual(["0\n1920\n", 1921]);
});
