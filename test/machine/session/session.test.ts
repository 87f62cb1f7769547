// Sessions with the kernel strategy: what is done in them can be seen, rewound, forked and left alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createProtection } from "../../../src/policy/protected.ts";
import { openStateDir } from "../../../src/workspace/files/state-dir.ts";
import { fileClock } from "../../../src/workspace/fs/file-clock.ts";
import { createSession } from "../../../src/workspace/session/create-session.ts";
import { openSession } from "../../../src/workspace/session/session.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const protectionOf = createProtection();

interface World {
  readonly project: string;
  readonly stateDir: string;
  open(id: string): Promise<Session>;
}

function makeWorld(files: Readonly<Record<string, string>>): World {
  const top = tempDir();
  const project = path.join(top, "project");
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    fs.writeFileSync(path.join(project, name), content);
  }
  const stateDir = openStateDir(path.join(top, "state"), project);
  return {
    project,
    stateDir,
    open: (id) => closing(openSession(id, { stateDir, protectionOf })),
  };
}

async function closing(opening: Promise<Session>): Promise<Session> {
  const session = await opening;
  onTestFinished(() => session.close());
  return session;
}

const FILES = { a: "a\n", "d/x": "x\n", "d/y": "y\n" };

async function begin(files: Readonly<Record<string, string>> = FILES) {
  const world = makeWorld(files);
  const { stateDir } = world;
  const session = await closing(createSession(world.project, { stateDir, protectionOf }));
  return { ...world, session, workspace: session.workspace };
}

const names = (session: Session) => Array.from(session.workspace.walk("."), (entry) => entry.path);

/** A call of this id that does this. */
const change = (session: Session, id: string, work: (workspace: Session["workspace"]) => void) =>
  session.change({ id, tool: "test" }, async () => work(session.workspace));

const changesOf = (session: Session, call?: string) =>
  session.diff(({ changes }) => changes.map(({ path: at, kind, calls }) => [at, kind, calls]), { call });

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

test("sessions use the kernel's overlay here", async () => {
  const { session } = await begin();
  expect(session.record.strategy).toBe("kernel");
});

test("a rewind to before a call takes back what it and later calls did, and can be undone", async () => {
  const { workspace, session } = await begin();
  for (const [index, content] of ["one", "two", "three"].entries()) {
    await change(session, `c${index + 1}`, () => {
      workspace.write("a", content);
      workspace.write(content, "");
    });
  }
  await session.rewind("c2");
  expect([workspace.read("a").toString(), names(session)]).toEqual(["one", ["a", "d", "d/x", "d/y", "one"]]);
  await session.undoRewind();
  expect([workspace.read("a").toString(), names(session)]).toEqual([
    "three",
    ["a", "d", "d/x", "d/y", "one", "three", "two"],
  ]);
  await session.rewind("#1");
  expect(names(session)).toEqual(["a", "d", "d/x", "d/y"]);
  await expect(session.rewind("c9")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a rewind of some paths leaves the others as they are, and can be undone", async () => {
  const { workspace, session, project } = await begin();
  await change(session, "c1", () => workspace.write("a", "one"));
  await change(session, "c2", () => {
    workspace.write("a", "two");
    workspace.write("d/x", "two");
    workspace.remove("d/y");
  });
  await session.rewind("c2", ["a", "d/y"]);
  expect(["a", "d/x", "d/y"].map((at) => workspace.read(at).toString())).toEqual(["one", "two", "y\n"]);
  fs.writeFileSync(path.join(project, "d/y"), "followed");
  expect(await session.read(async () => workspace.read("d/y").toString())).toBe("followed");
  await session.undoRewind();
  expect(workspace.read("a").toString()).toBe("two");
  expect(names(session)).toEqual(["a", "d", "d/x"]);
});

test("a call that changes nothing leaves no layer behind", async () => {
  const { session } = await begin();
  for (const id of ["c1", "c2", "c3"]) await change(session, id, () => {});
  expect(session.record.stack.map(({ call }) => call?.id)).toEqual(["c3"]);
});

test("the result of a call has the paths that it changed", async () => {
  const { session, workspace } = await begin();
  const { paths } = await change(session, "c1", () => {
    workspace.write("d/x", "changed");
    workspace.mkdir("e");
    workspace.mkdir("e/f");
    workspace.remove("a");
  });
  expect(paths).toEqual(["a", "d/x", "e/f"]);
});

test("a fork goes on by itself, and so does what it was forked from", async () => {
  const { workspace, session, open } = await begin();
  await change(session, "c1", () => workspace.write("a", "shared"));
  const fork = await open(await session.fork());
  workspace.write("a", "parent");
  fork.workspace.write("d/x", "child");
  expect([workspace.read("a").toString(), workspace.read("d/x").toString()]).toEqual(["parent", "x\n"]);
  expect([fork.workspace.read("a").toString(), fork.workspace.read("d/x").toString()]).toEqual([
    "shared",
    "child",
  ]);
  expect(await changesOf(fork)).toEqual([
    ["a", "modified", ["c1"]],
    ["d/x", "modified", []],
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

test("edits to the project are seen at the next call in files that the session has not changed", async () => {
  const { workspace, session, project } = await begin();
  await change(session, "c1", () => workspace.write("a", "mine"));
  const look = async () => [names(session), ["a", "d/x"].map((at) => workspace.read(at).toString())];
  expect(await session.read(look)).toEqual([
    ["a", "d", "d/x", "d/y"],
    ["mine", "x\n"],
  ]);
  fs.writeFileSync(path.join(project, "a"), "theirs");
  fs.writeFileSync(path.join(project, "d/.new"), "replaced");
  fs.renameSync(path.join(project, "d/.new"), path.join(project, "d/x"));
  fs.rmSync(path.join(project, "d/y"));
  fs.writeFileSync(path.join(project, "d/z"), "z");
  expect(await session.read(look)).toEqual([
    ["a", "d", "d/x", "d/z"],
    ["mine", "replaced"],
  ]);
});

test("the diff lists what each call changed, and nothing of what it did not", async () => {
  const { workspace, session } = await begin();
  await change(session, "c1", () => workspace.write("a", "b\n"));
  await change(session, "c2", () => {
    workspace.remove("d/x");
    workspace.write("new", "n\n");
    workspace.write("a", "c\n");
  });
  expect(await changesOf(session)).toEqual([
    ["a", "modified", ["c1", "c2"]],
    ["d/x", "deleted", ["c2"]],
    ["new", "added", ["c2"]],
  ]);
  expect(await changesOf(session, "c1")).toEqual([["a", "modified", ["c1"]]]);
  expect(await changesOf(session, "#2")).toEqual([
    ["a", "modified", ["c2"]],
    ["d/x", "deleted", ["c2"]],
    ["new", "added", ["c2"]],
  ]);
});

test("the mode that a user gives a directory is no change of the session that works in it", async () => {
  const { workspace, session, project } = await begin();
  await change(session, "c1", () => workspace.write("d/x", "changed\n"));
  fs.chmodSync(path.join(project, "d"), 0o750);
  expect(await changesOf(session)).toEqual([["d/x", "modified", ["c1"]]]);
  await session.commit();
  expect(fs.statSync(path.join(project, "d")).mode & 0o777).toBe(0o750);
});

test("paths that are discarded are the project's again and follow it, also below a removed directory", async () => {
  const { workspace, session, project } = await begin();
  await change(session, "c1", () => {
    workspace.write("a", "changed");
    workspace.remove("d", { recursive: true });
    workspace.write("new", "n");
  });
  await session.discard(["a", "d/x"]);
  fs.writeFileSync(path.join(project, "a"), "edited");
  expect(await session.read(async () => workspace.read("a").toString())).toBe("edited");
  expect(names(session)).toEqual(["a", "d", "d/x", "new"]);
  expect((await changesOf(session)).map(([at, kind]) => [at, kind])).toEqual([
    ["d/y", "deleted"],
    ["new", "added"],
  ]);
  await expect(session.discard(["nothing"])).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a session that is discarded is empty, and what it had on the disk is gone", async () => {
  const { workspace, session, stateDir } = await begin();
  for (const id of ["c1", "c2"]) await change(session, id, () => workspace.write("a", id));
  await session.discard();
  expect([workspace.read("a").toString(), await changesOf(session)]).toEqual(["a\n", []]);
  const dir = path.join(stateDir, "sessions", session.record.id);
  expect(fs.readdirSync(dir).filter((name) => /^\d+$/.test(name))).toEqual([session.record.stack[0]!.name]);
});

test("what is committed is in the project, and a later change of it is no conflict", async () => {
  const { workspace, session, project } = await begin();
  await change(session, "c1", () => {
    workspace.write("a", "one\n");
    workspace.remove("d/x");
  });
  expect(await session.commit()).toMatchObject({ tx: "1", committed: ["a", "d/x"], conflicts: [] });
  expect(fs.readFileSync(path.join(project, "a"), "utf8")).toBe("one\n");
  expect(await changesOf(session)).toEqual([]);
  await change(session, "c2", () => workspace.write("a", "two\n"));
  expect(await session.commit()).toMatchObject({ tx: "2", committed: ["a"], conflicts: [] });
  expect(fs.readFileSync(path.join(project, "a"), "utf8")).toBe("two\n");
  expect(await session.revert()).toEqual({ reverted: ["a"], changed: [] });
  expect(fs.readFileSync(path.join(project, "a"), "utf8")).toBe("one\n");
  expect(await session.commit()).toMatchObject({ committed: ["a"], conflicts: [] });
});

test("a file that was edited in the project since the session changed it is a conflict", async () => {
  const { workspace, session, project } = await begin({ a: "1\n2\n3\n4\n5\n", b: "b\n" });
  await change(session, "c1", () => {
    workspace.write("a", "1\n2\n3\n4\nfive\n");
    workspace.write("b", "session\n");
  });
  fs.writeFileSync(path.join(project, "a"), "one\n2\n3\n4\n5\n");
  expect(await session.commit()).toMatchObject({ tx: null, committed: [], conflicts: [{ path: "a" }] });
  expect(fs.readFileSync(path.join(project, "b"), "utf8")).toBe("b\n");
  expect(await session.commit({ onConflict: "merge" })).toMatchObject({ committed: ["a", "b"] });
  expect(fs.readFileSync(path.join(project, "a"), "utf8")).toBe("one\n2\n3\n4\nfive\n");
});

test("what is removed as a whole directory is a conflict only where somebody has changed it since", async () => {
  const { workspace, session, project } = await begin();
  await change(session, "c1", () => workspace.remove("d", { recursive: true }));
  fs.writeFileSync(path.join(project, "d/x"), "edited");
  expect(await session.commit({ onConflict: "skip" })).toMatchObject({
    committed: ["d/y"],
    conflicts: [{ path: "d/x", resolution: "left" }],
  });
  expect(fs.readdirSync(path.join(project, "d"))).toEqual(["x"]);
});

test("sessions of one process that commit to one project at the same time wait for each other", async () => {
  const { session, project, stateDir } = await begin();
  const other = await closing(createSession(project, { stateDir, protectionOf }));
  const made = (name: string) => Array.from({ length: 20 }, (_, index) => `${name}/${index}`);
  const writeAll = (workspace: Session["workspace"], paths: readonly string[]) => {
    for (const at of paths) workspace.write(at, at);
  };
  await change(session, "c1", (workspace) => writeAll(workspace, made("one")));
  await change(other, "c1", (workspace) => writeAll(workspace, made("other")));
  const [first, second] = await Promise.all([session.commit(), other.commit()]);
  expect([first.conflicts, second.conflicts]).toEqual([[], []]);
  for (const at of [...made("one"), ...made("other")])
    expect(fs.readFileSync(path.join(project, at), "utf8")).toBe(at);
});

test("the project's secrets are not there for what looks at the view directly, once they are hidden", async () => {
  const { session } = await begin({ a: "a\n", ".env": "KEY=1", "d/.ssh/id_rsa": "key" });
  const look = () => fs.readdirSync(`/proc/self/fd/${session.view.fd}`, { recursive: true }).sort();
  expect(look()).toEqual([".env", "a", "d", "d/.ssh", "d/.ssh/id_rsa"]);
  await session.hideSecrets();
  expect(look()).toEqual(["a", "d"]);
  expect(await changesOf(session)).toEqual([]);
});

test("a directory that is removed after something in it was committed is no conflict", async () => {
  const { workspace, session, project } = await begin();
  await change(session, "c1", () => workspace.write("d/new", "new\n"));
  await session.commit();
  await change(session, "c2", () => workspace.remove("d", { recursive: true }));
  expect(await session.commit()).toMatchObject({ conflicts: [] });
  expect(fs.readdirSync(project)).toEqual(["a"]);
});

test("an edit of a file that the session has removed is a conflict, also when the session recreates it later", async () => {
  const { workspace, session, project, stateDir } = await begin();
  await change(session, "c1", () => workspace.remove("d", { recursive: true }));
  fs.writeFileSync(path.join(project, "d/x"), "edited\n");
  const { ctimeMs } = fs.statSync(path.join(project, "d/x"));
  while (fileClock(stateDir) <= ctimeMs) await setImmediate();
  await change(session, "c2", () => {
    workspace.mkdir("d");
    workspace.write("d/x", "made anew\n");
  });
  expect(await session.commit()).toMatchObject({ tx: null, conflicts: [{ path: "d/x" }] });
});

test("a process that is killed leaves nothing mounted, and its session can be opened", async () => {
  const { session, open, stateDir } = await begin();
  session.close();
  const { id } = session.record;
  const script = new URL("../../kit/children/session-child.mjs", import.meta.url).pathname;
  const child = spawn(process.execPath, [script, stateDir, id], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "close");
  expect(fs.readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(stateDir);
  expect((await open(id)).workspace.read("a").toString()).toBe("written before the kill");
});
