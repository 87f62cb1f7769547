import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { AgentFS } from "agentfs-sdk";
import Database from "libsql";
import { describe, expect, test, vi } from "vitest";
import { readOverlaid } from "../../../../test/kit/worlds/agentfs-reader.ts";
import { HARMLESS, HOSTILE_DATABASES } from "../../../../test/kit/worlds/hostile-databases.ts";
import { file, type Planted, survey } from "../../../../test/kit/worlds/planted-tree.ts";
import { openSessionCliWorld, type SessionCliWorld } from "../../../../test/kit/worlds/session-cli-world.ts";
import { openCell } from "../../../cell.ts";
import type { LeftOut } from "../../../workspace/agentfs/write-entry.ts";
import { fdPath } from "../../../workspace/fs/paths.ts";

const FILES = { "a.txt": "one\n", "gone.txt": "x\n", "old/1": "1\n", "old/2": "2\n", "deep/er/b": "b\n" };

/** Changes the session's files as a command would. */
async function changeView(world: SessionCliWorld, act: (view: string) => void): Promise<void> {
  const session = await world.open();
  await session.change({ id: "call", tool: "run_command" }, async () => act(fdPath(session.view.fd)));
  session.close();
}

async function openChanged(): Promise<SessionCliWorld> {
  const world = await openSessionCliWorld(FILES);
  await changeView(world, (view) => {
    fs.writeFileSync(`${view}/a.txt`, "two\n");
    fs.unlinkSync(`${view}/gone.txt`);
    fs.rmSync(`${view}/old`, { recursive: true });
    fs.mkdirSync(`${view}/old`);
    fs.writeFileSync(`${view}/old/3`, "3\n");
    fs.writeFileSync(`${view}/big`, Buffer.alloc(10_000, "big"));
    fs.writeFileSync(`${view}/whole`, Buffer.alloc(8192, "chunks"));
    fs.writeFileSync(`${view}/empty`, "");
    fs.linkSync(`${view}/big`, `${view}/hard`);
    fs.symlinkSync("a.txt", `${view}/link`);
    fs.mkdirSync(`${view}/x/y`, { recursive: true });
    fs.chmodSync(`${view}/x`, 0o500);
    fs.writeFileSync(`${view}/deep/er/c`, "c\n");
  });
  return world;
}

async function viewOf(world: SessionCliWorld, id = world.id): Promise<Map<string, Planted>> {
  const session = await world.open(id);
  try {
    return survey(fdPath(session.view.fd));
  } finally {
    session.close();
  }
}

const besideProject = (world: SessionCliWorld, name: string) => path.join(path.dirname(world.root), name);

async function exported(world: SessionCliWorld, name = "session.db"): Promise<string> {
  const to = besideProject(world, name);
  const { code, err } = await world.run(["session", "export", world.id, to]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return to;
}

async function imported(world: SessionCliWorld, from: string): Promise<string> {
  const { code, out, err } = await world.run(["session", "import", from]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out.trim();
}

describe("P2.6: hotcell session export", () => {
  test("writes a file that shows the session's view over the project, as AgentFS reads it", async () => {
    const world = await openChanged();
    expect(readOverlaid(world.root, await exported(world))).toEqual(await viewOf(world));
  });

  test("says what it wrote", async () => {
    const world = await openSessionCliWorld(FILES, {
      edit: (workspace) => void workspace.write("a.txt", "two\n"),
      drop: (workspace) => workspace.remove("gone.txt"),
    });
    const to = besideProject(world, "a.db");
    expect((await world.run(["session", "export", "last", to])).out).toBe(
      `${to}: 1 path, 1 deleted path, 0 values, 0 calls.\n`,
    );
    const other = besideProject(world, "b.db");
    expect(JSON.parse((await world.run(["session", "export", "last", other, "--json"])).out)).toEqual({
      session: world.id,
      file: other,
      entries: 1,
      whiteouts: 1,
      values: 0,
      calls: 0,
      leftOut: [],
      leftOutCount: 0,
    });
  });

  test("leaves one file for its owner alone, whole and in WAL mode", async () => {
    const world = await openChanged();
    const to = await exported(world);
    const around = fs.readdirSync(path.dirname(to)).filter((name) => name.startsWith("session.db"));
    const db = new Database(to);
    const mode = db.prepare("PRAGMA journal_mode").get() as { journal_mode: string };
    const check = db.prepare("PRAGMA integrity_check").get() as { integrity_check: string };
    db.close();
    expect([around, fs.statSync(to).mode & 0o777]).toEqual([["session.db"], 0o600]);
    expect([mode.journal_mode, check.integrity_check]).toEqual(["wal", "ok"]);
  });

  test("never replaces a file", async () => {
    const world = await openChanged();
    const to = besideProject(world, "mine");
    fs.writeFileSync(to, "mine");
    const { code, err } = await world.run(["session", "export", world.id, to]);
    expect([code, err]).toEqual([
      2,
      `hotcell: Could not export to "${to}": it exists. Give another name, or remove it.\n`,
    ]);
    expect(fs.readFileSync(to, "utf8")).toBe("mine");
  });

  test("leaves out secrets and names that are not UTF-8, and says so", async () => {
    const world = await openSessionCliWorld(FILES);
    await changeView(world, (view) => {
      fs.writeFileSync(`${view}/.env`, "KEY=1\n");
      fs.writeFileSync(Buffer.concat([Buffer.from(`${view}/odd`), Buffer.from([0xff])]), "");
    });
    const to = besideProject(world, "session.db");
    const { err } = await world.run(["session", "export", world.id, to]);
    expect(err.split("\n").sort()).toEqual([
      "",
      "left out: .env (it has the name of a secret)",
      "left out: odd\\xff (its name is not UTF-8)",
    ]);
    expect(fs.readFileSync(to).includes("KEY=1")).toBe(false);
  });

  test("leaves out what was committed", async () => {
    const world = await openChanged();
    await world.run(["session", "commit", world.id, "a.txt", "big", "--yes"]);
    const to = await exported(world);
    const db = new Database(to);
    const names = db.prepare("SELECT name FROM fs_dentry WHERE parent_ino = 1 ORDER BY name").all();
    db.close();
    expect(names.map((row) => (row as { name: string }).name)).not.toContain("a.txt");
    expect(readOverlaid(world.root, to)).toEqual(await viewOf(world));
  });
});

describe("hotcell session export of calls", () => {
  const NOW = expect.any(Number);

  test("writes one row for each call, as the log has it, which agentfs-sdk reads", async () => {
    const world = await openSessionCliWorld(FILES);
    const cell = await openCell({
      session: world.id,
      stateDir: world.stateDir,
      rules: ["deny search_files"],
      secrets: ["s3cr3t-word"],
    });
    const call = (name: string, args: unknown) => cell.call({ name, arguments: args });
    await call("read_file", { path: "a.txt" });
    await call("write_file", { path: "b.txt", content: "the s3cr3t-word\n".repeat(100) });
    await call("read_file", { path: "none" });
    await call("search_files", { pattern: "s3cr3t-word" });
    await call("nothing", {});
    await cell.close();
    const to = besideProject(world, "calls.db");
    expect((await world.run(["session", "export", world.id, to])).out).toContain("0 values, 5 calls.");
    const agent = await AgentFS.open({ path: to });
    const calls = (await agent.tools.getRecent(0)).sort((a, b) => a.id - b.id);
    const stats = await agent.tools.getStats();
    await agent.close();
    const done = { started_at: NOW, completed_at: NOW, duration_ms: NOW };
    const failed = { result: undefined, status: "error", ...done };
    expect(calls).toEqual([
      {
        id: 1,
        name: "read_file",
        parameters: { path: "a.txt" },
        result: expect.objectContaining({ success: true, tool: "read_file", error: null }),
        error: undefined,
        status: "success",
        ...done,
      },
      {
        id: 2,
        name: "write_file",
        parameters: { path: "b.txt", content: expect.objectContaining({ bytes: 1600 }) },
        result: expect.objectContaining({ success: true }),
        error: undefined,
        status: "success",
        ...done,
      },
      {
        id: 3,
        name: "read_file",
        parameters: { path: "none" },
        error: 'NOT_FOUND: Could not find "none": nothing is there.',
        ...failed,
      },
      {
        id: 4,
        name: "search_files",
        parameters: { pattern: "[redacted]" },
        error: expect.stringMatching(/^DENIED: /),
        ...failed,
      },
      { id: 5, name: "nothing", parameters: {}, error: expect.stringMatching(/^UNKNOWN_TOOL: /), ...failed },
    ]);
    expect(stats.find(({ name }) => name === "read_file")).toMatchObject({
      total_calls: 2,
      successful: 1,
      failed: 1,
    });
    expect(JSON.stringify(calls)).not.toContain("s3cr3t-word");
  });
});

describe("hotcell session import", () => {
  test("creates a session that shows the same files, with one layer", async () => {
    const world = await openChanged();
    const id = await imported(world, await exported(world));
    expect(await viewOf(world, id)).toEqual(await viewOf(world));
    const shown = JSON.parse((await world.run(["session", "show", id, "--json"])).out);
    expect([shown.layers, shown.calls.map(({ tool }: { tool: string }) => tool)]).toEqual([1, ["agentfs"]]);
  });

  test("creates a session that can be rewound, and whose changes can be committed", async () => {
    const world = await openChanged();
    const id = await imported(world, await exported(world));
    await world.run(["session", "rewind", id, "--to", "agentfs"]);
    expect(await viewOf(world, id)).toEqual(survey(world.root));
    await world.run(["session", "rewind", id, "--undo"]);
    const view = await viewOf(world, id);
    const { code, err } = await world.run(["session", "commit", id, "--yes"]);
    expect([code, err]).toEqual([0, ""]);
    expect(survey(world.root)).toEqual(view);
  });

  test("takes another project", async () => {
    const world = await openChanged();
    const other = besideProject(world, "other");
    fs.mkdirSync(other);
    const { out } = await world.run([
      "session",
      "import",
      await exported(world),
      "--workspace",
      other,
      "--json",
    ]);
    const { id, workspace, entries } = JSON.parse(out);
    expect([workspace, entries]).toEqual([other, 16]);
    expect((await viewOf(world, id)).get("a.txt")).toEqual(file("two\n"));
  });

  test("makes a copy of a file that has more names than the file system allows, and says so", async () => {
    const world = await openSessionCliWorld(FILES, { add: (workspace) => void workspace.write("n1", "n\n") });
    const from = await exported(world);
    spoil(
      from,
      `INSERT INTO fs_dentry (name, parent_ino, ino)
        SELECT column1, 1, ino FROM fs_dentry, (VALUES ('n2'), ('n3')) WHERE name = 'n1'`,
    );
    const { linkSync } = fs;
    const linking = vi.spyOn(fs, "linkSync").mockImplementation((to, at) => {
      if (/\/n2$/.test(String(at))) throw Object.assign(new Error("EMLINK"), { code: "EMLINK" });
      linkSync(to, at);
    });
    const { code, out, err } = await world.run(["session", "import", from]);
    linking.mockRestore();
    const said = "left out: n2 (its link: the file system allows no more names of one file)\n";
    expect([code, err]).toEqual([0, said]);
    const view = await viewOf(world, out.trim());
    expect(["n1", "n2", "n3"].map((name) => view.get(name))).toEqual(Array(3).fill(file("n\n")));
  });

  test.each([
    ["is not there", (_: string) => {}, /nothing is there/],
    ["is a text", (at: string) => fs.writeFileSync(at, "hello ".repeat(1000)), /file is not a database/],
    ["is empty", (at: string) => fs.writeFileSync(at, ""), /it has no table fs_config/],
    ["is a directory", (at: string) => fs.mkdirSync(at), /it is not a file/],
    ["is a FIFO", (at: string) => execFileSync("mkfifo", [at]), /it is not a file/],
  ])("refuses a file that %s, and creates no session", async (_, make, said) => {
    const world = await openSessionCliWorld(FILES);
    const at = besideProject(world, "given.db");
    make(at);
    const { code, err } = await world.run(["session", "import", at]);
    expect([code, err]).toEqual([2, expect.stringMatching(said)]);
    expect(JSON.parse((await world.run(["session", "list", "--json"])).out)).toHaveLength(1);
  });

  test("refuses a file that is cut at any page, or has a journal beside it", async () => {
    const world = await openChanged();
    const whole = fs.readFileSync(await exported(world));
    const at = besideProject(world, "cut.db");
    for (let length = 512; length < whole.length; length += 7 * 4096) {
      fs.writeFileSync(at, whole.subarray(0, length));
      expect((await world.run(["session", "import", at])).code).toBe(2);
    }
    fs.writeFileSync(at, whole);
    fs.writeFileSync(`${at}-journal`, "a journal");
    expect((await world.run(["session", "import", at])).err).toContain(
      "its last transaction is not finished",
    );
  });
});

describe("a hostile file", () => {
  test("is one of more than eighty kinds", () => {
    expect(HOSTILE_DATABASES.length).toBeGreaterThan(80);
  });

  test("is refused, or what is not whole in it is left out; nothing outside is touched", async () => {
    const world = await openSessionCliWorld(
      { kept: "kept\n" },
      { good: (workspace) => void workspace.write("dir/good", "good") },
    );
    const outside = besideProject(world, "outside");
    fs.mkdirSync(outside);
    fs.writeFileSync(`${outside}/canary`, "alive");
    const harmless = await exported(world);
    for (const [
      number,
      { name, sql, refused, leftOut = [], selfRunning = [] },
    ] of HOSTILE_DATABASES.entries()) {
      const at = besideProject(world, `${number}.db`);
      fs.copyFileSync(harmless, at);
      spoil(at, sql);
      const { code, out, err } = await world.run(["session", "import", at, "--json"]);
      if (refused !== undefined) {
        expect([name, code, err || out]).toEqual([name, 2, expect.stringMatching(refused)]);
        continue;
      }
      expect([name, code, err]).toEqual([name, 0, ""]);
      const { id, leftOut: reported, selfRunning: executing } = JSON.parse(out);
      const view = await viewOf(world, id);
      expect([name, reported.map((one: LeftOut) => one.path)]).toEqual([name, leftOut]);
      expect([name, executing]).toEqual([name, selfRunning]);
      expect([name, [...view.keys()].filter((shown) => !HARMLESS.has(shown))]).toEqual([name, []]);
      for (const planted of view.values()) if ("mode" in planted) expect(planted.mode & 0o6000).toBe(0);
      expect(view.get("kept")).toEqual(file("kept\n"));
    }
    expect(survey(outside)).toEqual(new Map([["canary", file("alive")]]));
    expect(survey(world.root)).toEqual(new Map([["kept", file("kept\n")]]));
  }, 120_000);
});

function spoil(at: string, sql: string): void {
  const db = new Database(at);
  db.exec(sql);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

describe("agentfs-sdk 0.6.4", () => {
  test("reads files, links and directories that hotcell wrote", async () => {
    const world = await openChanged();
    const agent = await AgentFS.open({ path: await exported(world) });
    expect(await agent.fs.readFile("/a.txt", "utf8")).toBe("two\n");
    expect(await agent.fs.readFile("/hard")).toEqual(Buffer.alloc(10_000, "big"));
    expect(await agent.fs.readdir("/deep/er")).toEqual(["c"]);
    expect(await agent.fs.readlink("/link")).toBe("a.txt");
    expect((await agent.fs.stat("/x")).mode & 0o777).toBe(0o500);
    expect([await agent.kv.list(""), await agent.tools.getRecent(0)]).toEqual([[], []]);
    await agent.close();
  });

  test("reads values that hotcell wrote, changes them, and hotcell sees it", async () => {
    const world = await openSessionCliWorld(FILES);
    const session = await world.open();
    await session.kv.set("task", { done: [1, 2] });
    await session.kv.set("gone", "x");
    session.close();
    const to = await exported(world);
    const agent = await AgentFS.open({ path: to });
    expect(await agent.kv.get("task")).toEqual({ done: [1, 2] });
    await agent.kv.set("task", { done: [1, 2, 3] });
    await agent.kv.set("new", null);
    await agent.kv.delete("gone");
    await agent.close();
    const again = await world.open(await imported(world, to));
    expect(await again.kv.list()).toEqual([
      { key: "new", value: null },
      { key: "task", value: { done: [1, 2, 3] } },
    ]);
    again.close();
  });

  test("changes what hotcell wrote, and hotcell sees it", async () => {
    const world = await openChanged();
    const to = await exported(world);
    const agent = await AgentFS.open({ path: to });
    await agent.fs.writeFile("/a.txt", "three\n");
    await agent.fs.writeFile("/new/file", "x".repeat(9000));
    await agent.fs.unlink("/empty");
    await agent.close();
    const view = await viewOf(world, await imported(world, to));
    expect([view.get("a.txt"), view.get("new/file"), view.has("empty")]).toEqual([
      file("three\n"),
      file("x".repeat(9000)),
      false,
    ]);
  });

  test("makes a file that hotcell imports", async () => {
    const world = await openSessionCliWorld(FILES);
    const at = besideProject(world, "sdk.db");
    const agent = await AgentFS.open({ path: at });
    await agent.fs.writeFile("/deep/new", "new\n");
    await agent.fs.symlink("a.txt", "/link");
    await agent.fs.mkdir("/directory");
    await agent.close();
    const view = await viewOf(world, await imported(world, at));
    const added = [...view].filter(([name]) => !survey(world.root).has(name));
    expect(new Map(added)).toEqual(
      new Map<string, Planted>([
        ["deep/new", file("new\n")],
        ["directory", { kind: "directory", mode: 0o755 }],
        ["link", { kind: "symlink", target: "a.txt" }],
      ]),
    );
  });

  test("runs the statements of AgentFS's overlays in Rust and in Go on a file that hotcell wrote", async () => {
    const world = await openChanged();
    const to = await exported(world);
    const agent = await AgentFS.open({ path: to });
    const db = agent.getDatabase();
    const run = (sql: string, ...values: unknown[]) => db.prepare(sql).run(...values);
    const all = (sql: string, ...values: unknown[]) => db.prepare(sql).all(...values);
    await db.exec(
      "CREATE TABLE IF NOT EXISTS fs_whiteout (path TEXT PRIMARY KEY, created_at INTEGER NOT NULL)",
    );
    await run("INSERT OR REPLACE INTO fs_whiteout (path, created_at) VALUES (?, ?)", "/deep/er/b", 5);
    await run(
      "INSERT OR REPLACE INTO fs_whiteout (path, parent_path, created_at) VALUES (?, ?, ?)",
      "/a",
      "/",
      5,
    );
    await run("DELETE FROM fs_whiteout WHERE path = ?", "/a");
    await run("INSERT OR REPLACE INTO fs_origin (delta_ino, base_ino) VALUES (?, ?)", 1000, 1);
    expect(await all("SELECT value FROM fs_overlay_config WHERE key = 'base_path'")).toEqual([
      { value: world.root },
    ]);
    expect(await all("SELECT path FROM fs_whiteout WHERE parent_path = ? ORDER BY path", "/old")).toEqual([
      { path: "/old/1" },
      { path: "/old/2" },
    ]);
    const [origin] = await all(
      "SELECT base_ino FROM fs_origin WHERE delta_ino = (SELECT ino FROM fs_dentry WHERE name = 'a.txt')",
    );
    await agent.close();
    expect(origin).toEqual({ base_ino: fs.statSync(`${world.root}/a.txt`).ino });
    expect((await viewOf(world, await imported(world, to))).has("deep/er/b")).toBe(false);
  });
});
