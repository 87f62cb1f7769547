// Sessions in mode agentfs, on both strategies: after each operation the project with the database shows what the
// session shows.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { AgentFS } from "agentfs-sdk";
import Database from "libsql";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { HotcellError } from "../../../src/core/errors.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { type CellOptions, openCell } from "../../../src/index.ts";
import { fdPath } from "../../../src/workspace/fs/paths.ts";
import { readRecord, sessionDir } from "../../../src/workspace/layers/record.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { checkAgentfsSequences } from "../../kit/machine-and-soak/agentfs-sequences.ts";
import { readOverlaidCopy } from "../../kit/worlds/agentfs-reader.ts";
import { ROOT } from "../../kit/worlds/document.ts";
import { directory, file, survey } from "../../kit/worlds/planted-tree.ts";
import { type SessionWorld, STRATEGIES, tempSessionWorld } from "../../kit/worlds/session-world.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const viewOf = (session: Session) => survey(fdPath(session.view.fd));

test.each(STRATEGIES)(
  "P2.6, P3.7, P6.1, P6.5: by the strategy %s the project with the database shows the session's view after random calls, rewinds, discards, commits and reverts",
  (strategy) => checkAgentfsSequences(strategy, 3),
  150_000,
);

const databaseOf = (world: SessionWorld, { record }: Session) =>
  path.join(world.stateDir, "sessions", record.id, "agentfs.db");

const shownBy = (world: SessionWorld, session: Session) =>
  readOverlaidCopy(world.project, databaseOf(world, session));

const write = (session: Session, id: string, files: Readonly<Record<string, string>>) =>
  session.change({ id, tool: "test" }, async () => {
    for (const [at, content] of Object.entries(files)) session.workspace.write(at, content);
  });

/** Writes as another program does. libsql needs a turn of the event loop to give up the session's lock. */
async function execute(file: string, sql: string): Promise<void> {
  await setImmediate();
  const db = new Database(file);
  db.exec(sql);
  db.close();
}

/** The statements of a program that replaces a file's content. */
const setContent = (name: string, content: string) => `
  UPDATE fs_data SET data = CAST('${content}' AS BLOB) WHERE ino = (SELECT ino FROM fs_dentry WHERE name = '${name}');
  UPDATE fs_inode SET size = ${content.length} WHERE ino = (SELECT ino FROM fs_dentry WHERE name = '${name}');`;

describe.each(STRATEGIES)("what others write to the database, by the strategy %s", (strategy) => {
  test("becomes a call `agentfs` at the next open, which can be rewound", async () => {
    const world = tempSessionWorld(
      new Map([
        ["kept", file("kept\n")],
        ["deleted", file("1\n")],
        ["both", file("0\n")],
      ]),
    );
    const session = await world.create(strategy, { fs: "agentfs" });
    await write(session, "1", { a: "one\n", "d/b": "two\n", both: "1\n" });
    const before = viewOf(session);
    session.close();
    await execute(
      databaseOf(world, session),
      `${setContent("a", "uno\n")}
       INSERT INTO fs_whiteout (path, created_at) VALUES ('/deleted', 1);
       DELETE FROM fs_dentry WHERE name = 'both';
       UPDATE fs_inode SET mode = 16877 & ~63 WHERE ino = (SELECT ino FROM fs_dentry WHERE name = 'd');`,
    );
    const again = await world.open(session.record.id);
    const expected = new Map([
      ["kept", file("kept\n")],
      ["both", file("0\n")],
      ["a", file("uno\n")],
      ["d", directory(0o700)],
      ["d/b", file("two\n")],
    ]);
    expect(viewOf(again)).toEqual(expected);
    expect(shownBy(world, again)).toEqual(expected);
    expect(again.record.stack.flatMap(({ call }) => call?.id ?? [])).toEqual(["1", "agentfs"]);
    await again.rewind("agentfs");
    expect(viewOf(again)).toEqual(before);
    expect(shownBy(world, again)).toEqual(before);
  });

  test("is not lost if a write fails while it is taken: the open fails with a code, the file keeps all of it, and the next open takes it", async () => {
    const world = tempSessionWorld();
    const session = await world.create(strategy, { fs: "agentfs" });
    await write(session, "1", { a: "one\n", b: "two\n" });
    const before = viewOf(session);
    session.close();
    await execute(databaseOf(world, session), `${setContent("a", "uno\n")} ${setContent("b", "dos\n")}`);
    const theirs = new Map([
      ["a", file("uno\n")],
      ["b", file("dos\n")],
    ]);
    const failing = failSecondFile();
    const failed = await world.open(session.record.id).catch((error) => error as HotcellError);
    failing.mockRestore();
    expect(failed).toMatchObject({
      code: "EXECUTION_ERROR",
      message: expect.stringMatching(
        /^Could not take what others changed in the database .*EIO.*The database keeps the changes: open the session again/,
      ),
    });
    expect(shownBy(world, session)).toEqual(theirs);
    const dir = sessionDir(world.stateDir, session.record.id);
    const { stack, left } = readRecord(dir);
    expect(left, "what was taken of it is not kept").toEqual([]);
    expect(fs.readdirSync(dir).filter((name) => /^\d+$/.test(name))).toEqual(stack.map(({ name }) => name));
    const again = await world.open(session.record.id);
    expect([viewOf(again), shownBy(world, again)]).toEqual([theirs, theirs]);
    await again.rewind("agentfs");
    expect([viewOf(again), shownBy(world, again)]).toEqual([before, before]);
  });
});

/** The second file that is written into a session's view fails, as on a failing disk. */
function failSecondFile() {
  const { futimesSync } = fs;
  let files = 0;
  return vi.spyOn(fs, "futimesSync").mockImplementation((fd, ...times) => {
    if (fs.readlinkSync(`/proc/self/fd/${fd}`).includes("/merged/") && ++files === 2)
      throw Object.assign(new Error("EIO"), { code: "EIO" });
    futimesSync(fd, ...times);
  });
}

/** The names in a database by their inodes. */
function namesByInode(database: string): string[][] {
  const copy = path.join(tempDir(), "copy.db");
  for (const end of ["", "-wal"])
    if (fs.existsSync(`${database}${end}`)) execFileSync("cp", [`${database}${end}`, `${copy}${end}`]);
  const db = new Database(copy);
  const rows = db
    .prepare("SELECT group_concat(name) AS names FROM (SELECT * FROM fs_dentry ORDER BY name) GROUP BY ino")
    .all();
  db.close();
  return rows.map((row) => (row as { names: string }).names.split(",")).sort();
}

const linksIn = ({ view }: Session, ...names: readonly string[]) =>
  new Set(names.map((name) => fs.statSync(`${fdPath(view.fd)}/${name}`).ino)).size;

test("hard links stay links, also those that others make", async () => {
  const world = tempSessionWorld();
  const session = await world.create("kernel", { fs: "agentfs" });
  await session.change({ id: "1", tool: "test" }, async () => {
    const view = fdPath(session.view.fd);
    fs.mkdirSync(`${view}/sub`);
    fs.writeFileSync(`${view}/a`, "linked");
    fs.linkSync(`${view}/a`, `${view}/sub/b`);
    fs.writeFileSync(`${view}/x`, "x");
  });
  expect(namesByInode(databaseOf(world, session))).toEqual([["a", "b"], ["sub"], ["x"]]);
  await session.change({ id: "2", tool: "test" }, async () => {
    const view = fdPath(session.view.fd);
    fs.linkSync(`${view}/x`, `${view}/y`);
  });
  expect(namesByInode(databaseOf(world, session))).toEqual([["a", "b"], ["sub"], ["x", "y"]]);
  session.close();
  await execute(
    databaseOf(world, session),
    `INSERT INTO fs_dentry (name, parent_ino, ino) SELECT 'c', 1, ino FROM fs_dentry WHERE name = 'a'`,
  );
  const again = await world.open(session.record.id);
  expect(linksIn(again, "a", "sub/b", "c")).toBe(1);
  expect(namesByInode(databaseOf(world, again))).toEqual([["a", "b", "c"], ["sub"], ["x", "y"]]);
});

describe("the file", () => {
  const opened = (error: unknown) => (error as HotcellError).code;

  test("is locked for others while the session is open, and a file that another program has open is LOCKED", async () => {
    const world = tempSessionWorld();
    const session = await world.create("clone", { fs: "agentfs" });
    const at = databaseOf(world, session);
    const child = (program: string) =>
      spawn(
        process.execPath,
        ["-e", `const D = require("libsql"); const db = new D(process.argv[1]); ${program}`, at],
        {
          cwd: ROOT,
          stdio: ["pipe", "pipe", "pipe"],
        },
      );
    const reads = 'db.prepare("SELECT * FROM fs_inode").all();';
    const refused = child(`try { ${reads} } catch (error) { console.log(error.code) }`);
    expect(String((await once(refused.stdout, "data"))[0])).toBe("SQLITE_BUSY\n");
    session.close();
    await setImmediate();
    const holder = child(`${reads} console.log("open"); process.stdin.resume()`);
    onTestFinished(() => void holder.kill());
    await once(holder.stdout, "data");
    expect(await world.open(session.record.id).catch(opened)).toBe("LOCKED");
  });

  test("does not hold content that the session no longer has, also not in its free pages", async () => {
    const world = tempSessionWorld();
    const session = await world.create("clone", { fs: "agentfs" });
    const at = databaseOf(world, session);
    const bytes = () => fs.readFileSync(at, "latin1");
    await write(session, "1", { small: "the small one", large: "the large one ".repeat(5000) });
    session.close();
    await setImmediate();
    expect(bytes()).toMatch(/the small one/);
    const again = await world.open(session.record.id);
    await again.change({ id: "2", tool: "test" }, async () => {
      for (const name of ["small", "large"]) again.workspace.remove(name);
    });
    again.close();
    await setImmediate();
    expect(bytes()).not.toMatch(/the small one|the large one/);
    expect(fs.statSync(`${at}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  });

  test("is refused inside the project, also behind a link, and where something exists", async () => {
    const world = tempSessionWorld();
    const link = path.join(world.top, "link");
    fs.symlinkSync(world.project, link);
    const dangling = path.join(world.top, "dangling.db");
    fs.symlinkSync(path.join(world.project, "x.db"), dangling);
    const create = (database: string) => world.create("clone", { fs: "agentfs", database }).catch(opened);
    expect([
      await create(path.join(world.project, "x.db")),
      await create(path.join(link, "x.db")),
      await create(dangling),
      await create(path.join(world.top, "missing/x.db")),
    ]).toEqual(["WORKSPACE_UNUSABLE", "WORKSPACE_UNUSABLE", "ALREADY_EXISTS", "NOT_FOUND"]);
    expect(fs.readdirSync(world.project)).toEqual([]);
  });

  test("belongs to one session", async () => {
    const world = tempSessionWorld();
    const database = path.join(world.top, "one.db");
    await world.create("clone", { fs: "agentfs", database });
    expect(await world.create("clone", { fs: "agentfs", database }).catch(opened)).toBe("ALREADY_EXISTS");
  });

  test("is created again if somebody removes it, also while the session is open", async () => {
    const world = tempSessionWorld(new Map([["p", file("p")]]));
    const session = await world.create("clone", { fs: "agentfs" });
    const at = databaseOf(world, session);
    await write(session, "1", { a: "1" });
    for (const end of ["", "-wal"]) fs.rmSync(`${at}${end}`, { force: true });
    await write(session, "2", { b: "2" });
    expect(shownBy(world, session)).toEqual(viewOf(session));
    session.close();
    await setImmediate();
    fs.rmSync(at);
    const again = await world.open(session.record.id);
    expect(shownBy(world, again)).toEqual(viewOf(again));
  });

  test("that somebody puts in its place is not written, and its changes are taken at the next open", async () => {
    const world = tempSessionWorld();
    const other = await world.create("clone", { fs: "agentfs" });
    await write(other, "1", { theirs: "theirs" });
    other.close();
    const session = await world.create("clone", { fs: "agentfs" });
    await setImmediate();
    fs.renameSync(databaseOf(world, other), databaseOf(world, session));
    const { warning } = await write(session, "1", { ours: "ours" });
    expect(warning).toContain("somebody has put another file in its place");
    session.close();
    await setImmediate();
    const again = await world.open(session.record.id);
    expect(viewOf(again)).toEqual(new Map([["theirs", file("theirs")]]));
    await again.rewind("agentfs");
    expect(viewOf(again)).toEqual(new Map([["ours", file("ours")]]));
    expect(shownBy(world, again)).toEqual(viewOf(again));
  });

  test("that became a link, or no database, is refused, and the session opens when it is gone", async () => {
    const world = tempSessionWorld();
    const session = await world.create("clone", { fs: "agentfs" });
    await write(session, "1", { a: "1" });
    session.close();
    await setImmediate();
    const at = databaseOf(world, session);
    fs.rmSync(at);
    const outside = path.join(world.top, "outside");
    fs.writeFileSync(outside, "outside");
    fs.symlinkSync(outside, at);
    expect(await world.open(session.record.id).catch(opened)).toBe("WORKSPACE_UNUSABLE");
    fs.rmSync(at);
    fs.writeFileSync(at, "no database, but long enough to be read as one ".repeat(50));
    expect(await world.open(session.record.id).catch(opened)).toBe("WORKSPACE_UNUSABLE");
    fs.rmSync(at);
    const again = await world.open(session.record.id);
    expect([shownBy(world, again), fs.readFileSync(outside, "utf8")]).toEqual([viewOf(again), "outside"]);
  });

  test("never has a secret, and a secret that others put there does not enter the session", async () => {
    const world = tempSessionWorld(new Map([[".env", file("KEY=1")]]));
    const session = await world.create("kernel", { fs: "agentfs" });
    await session.change({ id: "1", tool: "test" }, async () => {
      fs.writeFileSync(`${fdPath(session.view.fd)}/id_rsa`, "secret");
      fs.writeFileSync(`${fdPath(session.view.fd)}/a`, "a");
    });
    expect(shownBy(world, session).has("id_rsa")).toBe(false);
    session.close();
    await execute(databaseOf(world, session), "UPDATE fs_dentry SET name = '.env' WHERE name = 'a'");
    const again = await world.open(session.record.id);
    expect(fs.readFileSync(`${fdPath(again.view.fd)}/.env`, "utf8")).toBe("KEY=1");
  });
});

test("what a program with agentfs-sdk edits between two calls is what the next call reads, and what the next change is made on", async () => {
  const world = tempSessionWorld(new Map([["kept", file("kept\n")]]));
  const { project: workspace, stateDir } = world;
  const database = path.join(world.top, "session.db");
  const call = async (options: CellOptions, name: string, args: JsonObject) => {
    await using cell = await openCell({ workspace, stateDir, trust: "autonomous", ...options });
    const { success, output } = await cell.call({ name, arguments: args });
    return { session: cell.session!, success, output };
  };
  const first = await call({ fs: "agentfs", database }, "write_file", {
    path: "d/a.txt",
    content: "one\ntwo\n",
  });
  await setImmediate();
  const agent = await AgentFS.open({ path: database });
  await agent.fs.writeFile("/d/a.txt", "one\ntheirs\n");
  await agent.fs.writeFile("/d/b.txt", "new\n");
  await agent.close();
  const { session } = first;
  const read = await call({ session }, "read_file", { path: "d/a.txt" });
  expect(read.output).toMatchObject({ content: "1\tone\n2\ttheirs" });
  await setImmediate();
  const edit = await call({ session }, "edit_file", {
    path: "d/a.txt",
    edits: [{ old_text: "theirs", new_text: "ours" }],
  });
  expect(edit).toMatchObject({ success: true });
  expect(readOverlaidCopy(workspace, database)).toEqual(
    new Map([
      ["kept", file("kept\n")],
      ["d", directory()],
      ["d/a.txt", file("one\nours\n")],
      ["d/b.txt", file("new\n")],
    ]),
  );
});

test("a session keeps its mode and its database", async () => {
  const world = tempSessionWorld();
  const { id } = (await world.create("clone", { fs: "agentfs" })).record;
  const plain = (await world.create("clone")).record.id;
  world.close();
  await setImmediate();
  const open = async (options: CellOptions) => {
    try {
      await (await openCell({ stateDir: world.stateDir, ...options })).close();
      return "opened";
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(await open({ session: id })).toBe("opened");
  expect(await open({ session: id, fs: "agentfs" })).toBe("opened");
  expect(await open({ session: id, fs: "overlay" })).toBe(
    `Could not open the cell: the session "${id}" keeps its mode, fs "agentfs", and the options say fs "overlay".`,
  );
  expect(await open({ session: plain, fs: "agentfs" })).toContain('keeps its mode, fs "overlay"');
  expect(await open({ session: plain, database: "/x.db" })).toContain("has no database");
});
