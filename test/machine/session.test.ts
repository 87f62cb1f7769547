// Sessions with the kernel strategy: what is done in them can be seen, rewound, forked and left alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createProtection } from "../../src/policy/protected.ts";
import { diffTrees } from "../../src/workspace/diff/diff-trees.ts";
import { openRoot } from "../../src/workspace/paths.ts";
import { createSession, openSession, type Session } from "../../src/workspace/session/session.ts";
import { tempDir } from "../kit/temp-cell.ts";

const protectionOf = createProtection();

interface World {
  readonly project: string;
  readonly stateDir: string;
  open(id: string): Promise<Session>;
}

function makeWorld(files: Readonly<Record<string, string>>): World {
  const top = tempDir();
  const project = path.join(top, "project");
  const stateDir = path.join(top, "state");
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    fs.writeFileSync(path.join(project, name), content);
  }
  return {
    project,
    stateDir,
    async open(id) {
      const session = await openSession(id, { stateDir, protectionOf });
      onTestFinished(() => session.close());
      return session;
    },
  };
}

const FILES = { a: "a\n", "d/x": "x\n", "d/y": "y\n" };

async function begin(files: Readonly<Record<string, string>> = FILES) {
  const world = makeWorld(files);
  const session = await world.open(createSession(world.project, world.stateDir));
  return { ...world, session, workspace: session.workspace };
}

const mark = (id: string) => ({ id, tool: "write_file", at: "2026-01-01T00:00:00.000Z" });
const names = (session: Session) => Array.from(session.workspace.walk("."), (entry) => entry.path);

test("what is done in a session is seen in it, and nowhere else", async () => {
  const { workspace, project, session } = await begin();
  workspace.write("a", "changed");
  workspace.remove("d", { recursive: true });
  workspace.mkdir("d");
  workspace.write("d/new", "n");
  expect(names(session)).toEqual(["a", "d", "d/new"]);
  expect([workspace.mode, workspace.root]).toEqual(["overlay", project]);
  expect(fs.readdirSync(project, { recursive: true }).sort()).toEqual(["a", "d", "d/x", "d/y"]);
  expect(fs.readFileSync(path.join(project, "a"), "utf8")).toBe("a\n");
});

test("a rewind to before a call takes back what it and later calls did, and can be undone", async () => {
  const { workspace, session } = await begin();
  for (const [index, content] of ["one", "two", "three"].entries()) {
    await session.checkpoint(mark(`c${index + 1}`));
    workspace.write("a", content);
    workspace.write(content, "");
  }
  await session.rewind("c2");
  expect([workspace.read("a").toString(), names(session)]).toEqual(["one", ["a", "d", "d/x", "d/y", "one"]]);
  await session.rewind(null);
  expect([workspace.read("a").toString(), names(session)]).toEqual([
    "three",
    ["a", "d", "d/x", "d/y", "one", "three", "two"],
  ]);
  await session.rewind("#1");
  expect(names(session)).toEqual(["a", "d", "d/x", "d/y"]);
  await expect(session.rewind("c9")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a call that changes nothing leaves no layer behind", async () => {
  const { session } = await begin();
  for (const id of ["c1", "c2", "c3"]) await session.checkpoint(mark(id));
  expect(session.record.stack.map(({ call }) => call?.id)).toEqual(["c3"]);
});

test("a fork goes on by itself, and so does what it was forked from", async () => {
  const { workspace, session, open } = await begin();
  await session.checkpoint(mark("c1"));
  workspace.write("a", "shared");
  const fork = await open(await session.fork());
  workspace.write("a", "parent");
  fork.workspace.write("d/x", "child");
  expect([workspace.read("a").toString(), workspace.read("d/x").toString()]).toEqual(["parent", "x\n"]);
  expect([fork.workspace.read("a").toString(), fork.workspace.read("d/x").toString()]).toEqual([
    "shared",
    "child",
  ]);
});

test("a session is there again after it was closed, and one process has it at a time", async () => {
  const { workspace, session, open } = await begin();
  workspace.write("a", "kept");
  await expect(open(session.record.id)).rejects.toMatchObject({ code: "LOCKED" });
  session.close();
  const again = await open(session.record.id);
  expect(again.workspace.read("a").toString()).toBe("kept");
  expect(() => workspace.read("a")).toThrow("the workspace is closed");
});

test("edits to the project are seen in files that the session has not changed", async () => {
  const { workspace, session, project } = await begin();
  workspace.write("a", "mine");
  expect(names(session)).toEqual(["a", "d", "d/x", "d/y"]);
  expect(workspace.read("d/x").toString()).toBe("x\n");
  fs.writeFileSync(path.join(project, "a"), "theirs");
  fs.writeFileSync(path.join(project, "d/.new"), "replaced");
  fs.renameSync(path.join(project, "d/.new"), path.join(project, "d/x"));
  fs.rmSync(path.join(project, "d/y"));
  fs.writeFileSync(path.join(project, "d/z"), "z");
  workspace.stat("d/x");
  expect(await session.refresh()).toBe(true);
  expect(names(session)).toEqual(["a", "d", "d/x", "d/z"]);
  expect([workspace.read("a"), workspace.read("d/x")].map(String)).toEqual(["mine", "replaced"]);
});

test("the diff lists what each call changed, and nothing of what it did not", async () => {
  const { workspace, session, project } = await begin();
  await session.checkpoint(mark("c1"));
  workspace.write("a", "b\n");
  await session.checkpoint(mark("c2"));
  workspace.remove("d/x");
  workspace.write("new", "n\n");
  const before = openRoot(project).fd;
  const after = session.view.fd;
  const changes = diffTrees({
    before,
    after,
    touched: session.touched(),
    isMasked: () => false,
    protectionOf,
  });
  fs.closeSync(before);
  expect(changes.map(({ path: at, kind, calls }) => [at, kind, calls])).toEqual([
    ["a", "modified", ["c1"]],
    ["d/x", "deleted", ["c2"]],
    ["new", "added", ["c2"]],
  ]);
});

test("a process that is killed leaves nothing mounted, and its session can be opened", async () => {
  const world = makeWorld(FILES);
  const id = createSession(world.project, world.stateDir);
  const child = spawn(
    process.execPath,
    [new URL("session-child.mjs", import.meta.url).pathname, world.stateDir, id],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "close");
  expect(fs.readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(world.stateDir);
  expect((await world.open(id)).workspace.read("a").toString()).toBe("written before the kill");
});
