// A cell in its default mode: what calls change stays in the session until somebody takes it out.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Cell, type CellOptions, openCell } from "../../../src/cell.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { sessions } from "../../../src/doors/sessions.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import type { WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

interface World {
  readonly root: string;
  readonly stateDir: string;
  read(name: string): string;
  open(options?: Partial<CellOptions>): Promise<Cell>;
}

function makeWorld(files: Readonly<Record<string, string>>): World {
  const top = tempDir();
  const root = path.join(top, "project");
  const stateDir = path.join(top, "state");
  fs.mkdirSync(root);
  for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(root, name), content);
  return {
    root,
    stateDir,
    read: (name) => fs.readFileSync(path.join(root, name), "utf8"),
    async open(options = {}) {
      const cell = await openCell({ workspace: root, stateDir, ...options });
      onTestFinished(() => cell.close());
      return cell;
    },
  };
}

const write = (cell: Cell, id: string, at: string, content: string) =>
  cell.call({ id, name: "write_file", arguments: { path: at, content } });
const read = async (cell: Cell, at: string) =>
  (await cell.call({ name: "read_file", arguments: { path: at } })).output;

describe.each(["kernel", "clone"] as const)("a cell with the strategy %s", (strategy) => {
  test("asks nobody for a write that stays in the session, and says what it changed", async () => {
    const { open, read: inProject } = makeWorld({ a: "old\n" });
    const cell = await open({ strategy });
    const written = await write(cell, "c1", "a", "new\n");
    expect(written).toMatchObject({
      success: true,
      meta: { session: cell.session, strategy, changes: { count: 1, paths: ["a"] } },
    });
    expect(await read(cell, "a")).toMatchObject({ content: "1\tnew" });
    expect(inProject("a")).toBe("old\n");
  });

  test("shows the diff by call, commits, reverts, rewinds, discards and forks", async () => {
    const { open, read: inProject } = makeWorld({ a: "old\n" });
    const cell = await open({ strategy });
    await write(cell, "c1", "a", "new\n");
    await write(cell, "c2", "b", "b\n");
    const diff = await cell.diff();
    expect(diff.changes.map(({ path: at, kind, calls }) => [at, kind, calls])).toEqual([
      ["a", "modified", ["c1"]],
      ["b", "added", ["c2"]],
    ]);
    expect((await cell.diff({ call: "#2" })).unified()).toContain("+b\n");
    expect((await cell.patch({ call: "c1" })).toString()).toContain("-old\n+new\n");
    expect(await cell.commit({ paths: ["a"] })).toMatchObject({ committed: ["a"] });
    expect(inProject("a")).toBe("new\n");
    expect(await cell.revert()).toMatchObject({ reverted: ["a"] });
    expect(inProject("a")).toBe("old\n");
    await cell.rewind("c2");
    expect((await cell.diff()).changes.map(({ path: at }) => at)).toEqual(["a"]);
    await cell.undoRewind();
    const fork = await open({ session: await cell.fork() });
    await cell.discard();
    expect((await cell.diff()).changes).toEqual([]);
    expect((await fork.diff()).changes.map(({ path: at }) => at)).toEqual(["a", "b"]);
  });

  test("goes on with a session where another cell left it", async () => {
    const { open } = makeWorld({ a: "old\n" });
    const first = await open({ strategy });
    await write(first, "c1", "a", "new\n");
    await first.close();
    const second = await open({ session: first.session! });
    expect([await read(second, "a"), second.logFile]).toMatchObject([{ content: "1\tnew" }, first.logFile]);
    expect((await second.diff()).changes).toMatchObject([{ path: "a", calls: ["c1"] }]);
  });

  test("sees what the user does in the project, in files that the session has not changed", async () => {
    const { open, root } = makeWorld({ a: "a\n", b: "b\n" });
    const cell = await open({ strategy });
    await write(cell, "c1", "a", "mine\n");
    expect(await read(cell, "b")).toMatchObject({ content: "1\tb" });
    for (const name of ["a", "b"]) {
      fs.writeFileSync(path.join(root, "new"), "theirs\n");
      fs.renameSync(path.join(root, "new"), path.join(root, name));
    }
    expect([await read(cell, "a"), await read(cell, "b")]).toMatchObject([
      { content: "1\tmine" },
      { content: "1\ttheirs" },
    ]);
  });

  test("runs the reads and writes of a batch as if they had come one by one", async () => {
    const { open } = makeWorld({ a: "1\n" });
    const cell = await open({ strategy });
    const call = (name: string, args: object) => ({ name, arguments: { path: "a", ...args } });
    const contents = (
      await cell.callBatch([
        call("read_file", {}),
        call("write_file", { content: "2\n" }),
        call("read_file", {}),
        call("read_file", {}),
        call("write_file", { content: "3\n" }),
        call("read_file", {}),
      ])
    ).flatMap(({ output }) => (output as { content?: string }).content ?? []);
    expect(contents).toEqual(["1\t1", "1\t2", "1\t2", "1\t3"]);
  });
});

function changingTool(name: string, change: (workspace: WorkspaceFS) => JsonObject) {
  return defineTool({
    name,
    description: "Changes something.",
    input: { type: "object", properties: {} },
    category: "file",
    danger: "safe",
    effect: "change",
    toolset: "own",
    needs: ["workspace"],
    subject: "none",
    run: (_args, { workspace }) => change(workspace),
  });
}

test("what a failing tool changed before it failed is said and can be rewound", async () => {
  const { open } = makeWorld({ a: "old\n" });
  const failing = changingTool("half", (workspace) => {
    workspace.write("a", "half");
    throw new Error("failed");
  });
  const cell = await open({ tools: [failing] });
  const { success, meta } = await cell.call({ id: "c1", name: "half" });
  expect([success, meta.changes]).toEqual([false, { count: 1, paths: ["a"] }]);
  await cell.rewind("c1");
  expect(await read(cell, "a")).toMatchObject({ content: "1\told" });
});

test("a write that is made and can't be noted is a success with a warning", async () => {
  const { open, stateDir } = makeWorld({ a: "old\n" });
  const filling = changingTool("fill", (workspace) => {
    workspace.write("a", "new\n");
    const dir = path.join(stateDir, "sessions", cell.session!);
    const layers = fs.readdirSync(dir).filter((name) => Number(name) > 0);
    for (const layer of layers) fs.mkdirSync(path.join(dir, `${layer}.base.new`));
    return {};
  });
  const cell = await open({ tools: [filling] });
  const { success, meta } = await cell.call({ name: "fill" });
  expect([success, meta.changes]).toEqual([
    true,
    { count: 1, paths: ["a"], warning: expect.stringContaining("The changes are on the disk") },
  ]);
  expect(await read(cell, "a")).toMatchObject({ content: "1\tnew" });
});

test("a tool of the user's own that is dangerous is asked for, in a session too", async () => {
  const { open } = makeWorld({});
  const own = defineTool({
    name: "deploy",
    description: "Does something outside.",
    input: { type: "object", properties: {} },
    category: "file",
    danger: "dangerous",
    effect: "change",
    toolset: "own",
    needs: [],
    subject: "none",
    run: () => ({}),
  });
  const cell = await open({ tools: [own] });
  expect((await cell.call({ name: "deploy" })).error).toMatchObject({ code: "DENIED" });
});

test('with approve "calls" a session asks for each dangerous call', async () => {
  const cell = await makeWorld({}).open({ approve: "calls" });
  expect((await write(cell, "c1", "a", "")).error).toMatchObject({ code: "DENIED" });
});

test("a session belongs to its workspace", async () => {
  const { open, stateDir } = makeWorld({});
  const { session } = await open();
  await expect(openCell({ session: session!, workspace: tempDir(), stateDir })).rejects.toMatchObject({
    code: "CONFIG_INVALID",
  });
});

test("on the host there is no session to look at", async () => {
  const cell = await makeWorld({}).open({ fs: "host" });
  expect(cell.session).toBeNull();
  await expect(cell.diff()).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
});

test("a run that could not be opened for its options can be opened with better ones", async () => {
  const { open } = makeWorld({ a: "old\n" });
  await (await open({ run: "r" })).close();
  await expect(open({ run: "r", agents: { x: { maxReadBytes: 2e6 } } })).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message:
      'Could not open the cell: agents["x"].maxReadBytes is 2000000; allowed is a whole number from 1 to 1048576.',
  });
  await expect(open({ run: "r", agents: { x: { maxReadBytes: 1_048_576 } } })).resolves.toBeDefined();
});

test("sessions are listed, shown, opened, recovered and cleared up from a program", async () => {
  const [workspace, stateDir] = [tempDir(), tempDir()];
  const cell = await openCell({ workspace, stateDir });
  await cell.call({ id: "c1", name: "write_file", arguments: { path: "a", content: "a\n" } });
  const id = cell.session!;
  await cell.close();
  expect(await sessions.list({ stateDir })).toMatchObject([{ id, changes: 1, state: "idle" }]);
  expect(await sessions.show(id, { stateDir })).toMatchObject({ id, calls: [{ id: "c1", paths: 1 }] });
  const again = await sessions.open(id, { stateDir });
  expect((await again.commit({ paths: ["a"] })).committed).toEqual(["a"]);
  expect((await again.revert()).reverted).toEqual(["a"]);
  await again.close();
  expect(await sessions.recover(undefined, { stateDir })).toEqual([]);
  expect(await sessions.gc({ stateDir, maxBytes: 0, dryRun: true })).toMatchObject({ removed: [{ id }] });
});

test("sessions: an unknown option, a missing project and an aborted signal are refused, and nothing is removed", async () => {
  const [workspace, stateDir] = [tempDir(), tempDir()];
  const cell = await openCell({ workspace, stateDir });
  await cell.call({ name: "write_file", arguments: { path: "a", content: "a\n" } });
  await cell.close();
  await expect(sessions.gc({ stateDir, maxBytes: 0, dryrun: true } as object)).rejects.toThrow(
    'Could not remove sessions: dryrun is no setting; perhaps "dryRun".',
  );
  await expect(sessions.gc({ stateDir, maxBytes: "0" as never })).rejects.toThrow(
    'Could not remove sessions: maxBytes is "0"; allowed are whole numbers from 0 to ',
  );
  await expect(sessions.list({ stateDir, workspace: `${workspace}/gone` })).rejects.toMatchObject({
    code: "WORKSPACE_UNUSABLE",
  });
  const signal = AbortSignal.abort();
  for (const work of [sessions.list, sessions.gc])
    await expect(work({ stateDir, signal })).rejects.toThrow(signal.reason);
  await expect(sessions.recover(undefined, { stateDir, signal })).rejects.toThrow(signal.reason);
  expect(await sessions.list({ stateDir })).toMatchObject([{ id: cell.session, changes: 1 }]);
});

test("an option that a method of the session does not know is refused with the nearest one", async () => {
  await using cell = await openCell({ workspace: tempDir(), stateDir: tempDir() });
  const given = { path: ["a"] } as object;
  await expect(cell.commit(given)).rejects.toThrow("paths");
});

test("the error of a second cell on one session names this process as the one to close it in", async () => {
  const { stateDir, open } = makeWorld({ a: "old\n" });
  const cell = await open();
  await expect(sessions.open(cell.session!, { stateDir })).rejects.toMatchObject({
    code: "LOCKED",
    message: expect.stringContaining("another cell of this process uses it. Close that cell, or wait longer"),
  });
});

test("sessions.open takes the session as its first argument alone: another one is not ignored", async () => {
  const { stateDir, open } = makeWorld({ a: "old\n" });
  const cell = await open({ run: "kept" });
  const options = { stateDir, session: "other" } as object;
  await expect(sessions.open(cell.session!, options)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining("Give the id as the first argument alone."),
  });
});

test("`last` without a project is refused with what to give instead", async () => {
  const { root: workspace, stateDir, open } = makeWorld({ a: "old\n" });
  const cell = await open();
  await write(cell, "c1", "a", "new\n");
  await cell.close();
  await expect(sessions.open("last", { stateDir })).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: expect.stringContaining("Give the session's id, or name an existing project"),
  });
  expect((await open({ workspace, session: "last" })).session).toBe(cell.session);
});
