// Sessions as AgentFS files, on both strategies: whatever a session shows, the project with its file shows.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openCell } from "../../../src/index.ts";
import { createProtection } from "../../../src/policy/protected.ts";
import { exportSession } from "../../../src/workspace/agentfs/export-session.ts";
import { fdPath } from "../../../src/workspace/fs/paths.ts";
import { importSession } from "../../../src/workspace/session/import-session.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { repeatably, seedsTo } from "../../kit/assert-property.ts";
import { randomChanges } from "../../kit/models/random-changes.ts";
import { readOverlaid } from "../../kit/worlds/agentfs-reader.ts";
import { ROOT } from "../../kit/worlds/document.ts";
import { directory, file, type Planted, survey, symlink } from "../../kit/worlds/planted-tree.ts";
import { type SessionWorld, STRATEGIES, tempSessionWorld } from "../../kit/worlds/session-world.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const protectionOf = createProtection();
const SEQUENCES = 12;

const viewOf = (session: Session) => survey(fdPath(session.view.fd));

/** Imports drop setuid and setgid bits that the project does not have. */
const unprivileged = (tree: ReadonlyMap<string, Planted>) =>
  new Map(
    [...tree].map(([at, one]) => [at, "mode" in one ? { ...one, mode: one.mode & 0o1777 } : one] as const),
  );

async function importInto(world: SessionWorld, at: string, strategy: Session["record"]["strategy"]) {
  const { stateDir, project } = world;
  const { record, leftOut } = await importSession(at, project, { stateDir, protectionOf, strategy });
  return { session: await world.open(record.id), leftOut };
}

async function checkSequence(strategy: Session["record"]["strategy"], seed: number): Promise<void> {
  const world = tempSessionWorld(new Map(), undefined, (project) => randomChanges(seed)(project, 40));
  const session = await world.create(strategy);
  const change = randomChanges(seed + 1000);
  const store = { stateDir: world.stateDir, protectionOf };
  for (const call of ["1", "2", "3"])
    await session.change({ id: call, tool: "run_command" }, async () => change(fdPath(session.view.fd), 15));
  if (seed % 3 === 0) await session.rewind("3");
  if (seed % 4 === 0)
    await session.commit({ selection: { paths: ["a"], hunks: [] }, onConflict: "skip" }).catch(() => {});
  await session.checkpoint();
  const at = path.join(world.top, "session.db");
  expect([seed, (await exportSession(session.record, store, at)).leftOut]).toEqual([seed, []]);
  const view = viewOf(session);
  expect([seed, readOverlaid(world.project, at)]).toEqual([seed, view]);
  const again = await importInto(world, at, strategy);
  expect([seed, unprivileged(viewOf(again.session))]).toEqual([seed, unprivileged(view)]);
  session.close();
  world.remove();
}

describe.each(STRATEGIES)("P3.7, P6.1: a session of the strategy %s as an AgentFS file", (strategy) => {
  test("shows after random changes, rewinds and commits the session's view, and becomes the same session again", async () => {
    for (const seed of seedsTo(SEQUENCES)) await repeatably(seed, () => checkSequence(strategy, seed));
  }, 120_000);

  test("shows what a background user changed in the project, unless the session changed it", async () => {
    const world = tempSessionWorld(
      new Map([
        ["mine", file("1\n")],
        ["theirs", file("1\n")],
      ]),
    );
    const session = await world.create(strategy);
    await session.change({ id: "1", tool: "write_file" }, async () => session.workspace.write("mine", "2\n"));
    fs.writeFileSync(path.join(world.project, "theirs"), "2\n");
    await session.checkpoint();
    const at = path.join(world.top, "session.db");
    await exportSession(session.record, { stateDir: world.stateDir, protectionOf }, at);
    expect(readOverlaid(world.project, at)).toEqual(
      new Map([
        ["mine", file("2\n")],
        ["theirs", file("2\n")],
      ]),
    );
  });

  test("replaces directories by files and links, and files by directories", async () => {
    const world = tempSessionWorld(
      new Map([
        ["dir/a", file("a")],
        ["dir2/a", file("a")],
        ["file", file("f")],
        ["ro", directory(0o555)],
      ]),
    );
    const session = await world.create(strategy);
    await session.change({ id: "1", tool: "run_command" }, async () => {
      const view = fdPath(session.view.fd);
      fs.rmSync(`${view}/dir`, { recursive: true });
      fs.writeFileSync(`${view}/dir`, "now a file");
      fs.rmSync(`${view}/dir2`, { recursive: true });
      fs.symlinkSync("ro", `${view}/dir2`);
      fs.unlinkSync(`${view}/file`);
      fs.mkdirSync(`${view}/file`);
      fs.chmodSync(`${view}/ro`, 0o755);
      fs.writeFileSync(`${view}/ro/new`, "new");
      fs.chmodSync(`${view}/ro`, 0o555);
    });
    const at = path.join(world.top, "session.db");
    await exportSession(session.record, { stateDir: world.stateDir, protectionOf }, at);
    expect(readOverlaid(world.project, at)).toEqual(viewOf(session));
    const again = await importInto(world, at, strategy);
    expect(viewOf(again.session)).toEqual(viewOf(session));
    expect(viewOf(again.session).get("dir2")).toEqual(symlink("ro"));
  });
});

test("special files are left out, and do not show the project's file in their place", async () => {
  const world = tempSessionWorld(new Map([["fifo", file("a file of the project")]]));
  const session = await world.create("kernel");
  await session.change({ id: "1", tool: "run_command" }, async () => {
    fs.unlinkSync(`${fdPath(session.view.fd)}/fifo`);
    execFileSync("mkfifo", [`/proc/${process.pid}/fd/${session.view.fd}/fifo`]);
  });
  const at = path.join(world.top, "session.db");
  const store = { stateDir: world.stateDir, protectionOf };
  const { leftOut } = await exportSession(session.record, store, at);
  expect(leftOut).toEqual([{ path: "fifo", reason: "it is a fifo" }]);
  expect(readOverlaid(world.project, at)).toEqual(new Map());
});

test("hard links stay links, in the file and in the imported session", async () => {
  const world = tempSessionWorld();
  const session = await world.create("kernel");
  await session.change({ id: "1", tool: "run_command" }, async () => {
    const view = fdPath(session.view.fd);
    fs.mkdirSync(`${view}/sub`);
    fs.writeFileSync(`${view}/a`, "linked");
    fs.linkSync(`${view}/a`, `${view}/sub/b`);
  });
  const at = path.join(world.top, "session.db");
  await exportSession(session.record, { stateDir: world.stateDir, protectionOf }, at);
  const { session: again } = await importInto(world, at, "kernel");
  const view = fdPath(again.view.fd);
  expect(fs.statSync(`${view}/sub/b`).ino).toBe(fs.statSync(`${view}/a`).ino);
});

test("what git and npm ci did in a command is in the file", async () => {
  const top = tempDir();
  const project = path.join(top, "project");
  fs.mkdirSync(path.join(project, "dep"), { recursive: true });
  fs.writeFileSync(path.join(project, "dep/package.json"), '{"name":"dep","version":"1.0.0","bin":"x.js"}');
  fs.writeFileSync(path.join(project, "dep/x.js"), "#!/usr/bin/env node\n");
  fs.writeFileSync(
    path.join(project, "package.json"),
    '{"name":"p","version":"1.0.0","dependencies":{"dep":"file:dep"}}',
  );
  const stateDir = path.join(top, "state");
  const cell = await openCell({ workspace: project, stateDir, trust: "autonomous" });
  const command =
    "git init -q . && git add -A && git -c user.name=n -c user.email=e@x commit -qm one && npm install --package-lock-only --offline && npm ci --offline && git status --short | head";
  const { success, output } = await cell.call({ name: "run_command", arguments: { command } });
  await cell.close();
  expect([success, output]).toEqual([true, expect.objectContaining({ exit_code: 0 })]);
  const hotcell = (...args: string[]) =>
    spawnSync(process.execPath, [path.join(ROOT, "bin/hotcell.js"), ...args, "--state-dir", stateDir], {
      cwd: project,
      encoding: "utf8",
    });
  const at = path.join(top, "session.db");
  expect(hotcell("session", "export", "last", at).status).toBe(0);
  const id = hotcell("session", "import", at).stdout.trim();
  const shown = readOverlaid(project, at);
  expect([shown.has(".git/HEAD"), shown.get("node_modules/dep")]).toEqual([true, symlink("../dep")]);
  const world = { stateDir, protectionOf };
  const { openSession } = await import("../../../src/workspace/session/session.ts");
  const session = await openSession(id, world);
  expect(viewOf(session)).toEqual(shown);
  session.close();
});

test("a killed export leaves no file, or a whole one", async () => {
  const world = tempSessionWorld();
  const session = await world.create("clone");
  await session.change({ id: "1", tool: "run_command" }, async () => {
    for (let n = 0; n < 200; n++) session.workspace.write(`d/${n}`, Buffer.alloc(20_000, String(n)));
  });
  session.close();
  const view = survey(world.project);
  for (let n = 0; n < 200; n++) view.set(`d/${n}`, file(Buffer.alloc(20_000, String(n)).toString()));
  view.set("d", directory());
  const seen = new Set<boolean>();
  for (let ms = 150; ms <= 1200; ms += 75) {
    const at = path.join(world.top, `${ms}.db`);
    const bin = path.join(ROOT, "bin/hotcell.js");
    const args = [
      bin,
      "session",
      "export",
      session.record.id,
      at,
      "--state-dir",
      world.stateDir,
      "--wait",
      "60",
    ];
    spawnSync(process.execPath, args, { cwd: world.project, timeout: ms, killSignal: "SIGKILL" });
    seen.add(fs.existsSync(at));
    if (fs.existsSync(at)) expect(readOverlaid(world.project, at)).toEqual(view);
  }
  expect(seen.has(false)).toBe(true);
}, 60_000);
