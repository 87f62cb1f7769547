// What mode agentfs could not take from the file or write to it: the next changing call tells it, also in another process.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import Database from "libsql";
import { expect, test } from "vitest";
import { fdPath } from "../../../src/workspace/fs/paths.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { readOverlaid, readOverlaidCopy } from "../../kit/worlds/agentfs-reader.ts";
import { ROOT } from "../../kit/worlds/document.ts";
import { file, survey } from "../../kit/worlds/planted-tree.ts";
import { type SessionWorld, tempSessionWorld } from "../../kit/worlds/session-world.ts";

const viewOf = (session: Session) => survey(fdPath(session.view.fd));

const databaseOf = (world: SessionWorld, { record }: Session) =>
  path.join(world.stateDir, "sessions", record.id, "agentfs.db");

const write = (session: Session, name: string) =>
  session.change({ id: name, tool: "test" }, async () => session.workspace.write(name, name));

/** A session with the files a and x, closed; then x is renamed to `.env` in its database. */
async function renameToSecret(world: SessionWorld): Promise<Session> {
  const session = await world.create("clone", { fs: "agentfs" });
  await write(session, "a");
  await write(session, "x");
  session.close();
  await setImmediate();
  const db = new Database(databaseOf(world, session));
  db.exec("UPDATE fs_dentry SET name = '.env' WHERE name = 'x'");
  db.close();
  return session;
}

const NOT_TAKEN = "The session did not take from the database .env (it has the name of a secret).";

test("what a session does not take is told once by the next changing call, in whatever process, and the file loses it", async () => {
  const world = tempSessionWorld();
  const { record } = await renameToSecret(world);
  const reading = await world.open(record.id);
  expect(await reading.read(async () => [...viewOf(reading).keys()])).toEqual(["a"]);
  await reading.rewind("agentfs");
  reading.close();
  await setImmediate();
  const again = await world.open(record.id);
  expect([(await write(again, "b")).warning, (await write(again, "c")).warning]).toEqual([NOT_TAKEN, null]);
  expect(readOverlaidCopy(world.project, databaseOf(world, again))).toEqual(viewOf(again));
});

test("a name that is not UTF-8 stays in the session, is not in the database, and is told", async () => {
  const world = tempSessionWorld();
  const session = await world.create("kernel", { fs: "agentfs" });
  const odd = () => Buffer.concat([Buffer.from(`${fdPath(session.view.fd)}/odd`), Buffer.from([0xff])]);
  const { warning } = await session.change({ id: "1", tool: "test" }, async () => {
    fs.writeFileSync(odd(), "odd");
    session.workspace.write("a", "a");
  });
  expect([warning, fs.readFileSync(odd(), "utf8")]).toEqual([
    "The database does not have odd\\xff (its name is not UTF-8).",
    "odd",
  ]);
  expect(readOverlaidCopy(world.project, databaseOf(world, session))).toEqual(new Map([["a", file("a")]]));
});

test("a secret that is all that others added is told too", async () => {
  const world = tempSessionWorld();
  const { record } = await renameToSecret(world);
  const session = await world.open(record.id);
  await session.rewind("#1");
  session.close();
  await setImmediate();
  const db = new Database(databaseOf(world, session));
  db.exec(`INSERT INTO fs_inode (ino, mode, nlink, atime, mtime, ctime) VALUES (99, 33188, 1, 0, 0, 0);
    INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('.env', 1, 99)`);
  db.close();
  const again = await world.open(record.id);
  expect([again.record.stack.at(-1)!.call, (await write(again, "b")).warning]).toEqual([null, NOT_TAKEN]);
});

test.each([
  ["rewind", (session: Session) => session.rewind("b")],
  ["discard", (session: Session) => session.discard(["b"])],
  ["commit", (session: Session) => session.commit()],
])(
  "a %s that the database does not have is told by the next changing call, which writes it",
  async (_, act) => {
    const world = tempSessionWorld();
    const session = await world.create("clone", { fs: "agentfs" });
    await write(session, "a");
    await write(session, "b");
    const at = databaseOf(world, session);
    fs.renameSync(at, `${at}.away`);
    fs.writeFileSync(at, "");
    await act(session);
    fs.renameSync(`${at}.away`, at);
    expect([(await write(session, "c")).warning, (await write(session, "d")).warning]).toEqual([
      expect.stringMatching(/^Could not write the database .*: somebody has put another file in its place\./),
      null,
    ]);
    expect(readOverlaidCopy(world.project, at)).toEqual(viewOf(session));
  },
);

/** A program with a database on a small file system. */
const SMALL_DISK = `
  import fs from "node:fs";
  import { openCell } from "${ROOT}/dist/index.js";
  const [workspace, stateDir, small] = process.argv.slice(1);
  const filler = small + "/filler";
  const fill = () => { try { for (;;) fs.appendFileSync(filler, "x".repeat(4096)); } catch {} };
  const mode = { fs: "agentfs", strategy: "clone", database: small + "/session.db" };`;

/** Runs it. Returns its output, and a copy of the database. */
function onSmallDisk({ project, stateDir, top }: SessionWorld, size: string, program: string) {
  const [small, copy] = [path.join(top, "small"), path.join(top, "copy.db")];
  fs.mkdirSync(small);
  const script = `mount -t tmpfs -o size=${size} none "$4" && "$0" --input-type=module -e "$1" "$2" "$3" "$4" && cp "$4/session.db" "$5"`;
  const args = [process.execPath, SMALL_DISK + program, project, stateDir, small, copy];
  const { stdout, stderr } = spawnSync("unshare", ["-m", "sh", "-c", script, ...args], { encoding: "utf8" });
  expect(stderr).toBe("");
  return { printed: JSON.parse(stdout), copy };
}

/** Writes, rewinds and writes again in a cell. Prints the warnings. */
const FULL_BETWEEN_CALLS = `
  const cell = await openCell({ workspace, stateDir, trust: "autonomous", ...mode });
  const write = async (path) => {
    const { meta } = await cell.call({ name: "write_file", arguments: { path, content: path } });
    return meta.changes.warning ?? null;
  };
  const told = [await write("a"), await write("b")];
  fill();
  await cell.rewind("#2");
  fs.unlinkSync(filler);
  told.push(await write("c"), await write("d"));
  fill();
  told.push(await write("e"));
  fs.unlinkSync(filler);
  told.push(await write("f"));
  await cell.close();
  console.log(JSON.stringify(told));`;

test.runIf(IS_ROOT)(
  "what a full disk kept from the database is told by the next changing call, and written with it",
  () => {
    const world = tempSessionWorld();
    const { printed, copy } = onSmallDisk(world, "1m", FULL_BETWEEN_CALLS);
    const isFull = expect.stringMatching(
      /^Could not write the database: .*full.*\. The session has the changes\. The next changing call writes them/,
    );
    expect(printed).toEqual([null, null, isFull, null, isFull, null]);
    expect(readOverlaid(world.project, copy)).toEqual(
      new Map(["a", "c", "d", "e", "f"].map((n) => [n, file(n)])),
    );
  },
);

/** Opens a session on a full disk after somebody has added a secret to its database, then once more. Prints the names in the database after each. */
const FULL_AT_OPEN = `
  import Database from "${ROOT}/node_modules/libsql/index.js";
  const cell = await openCell({ workspace, stateDir, trust: "autonomous", ...mode });
  const { session } = cell;
  await cell.call({ name: "write_file", arguments: { path: "a", content: "a" } });
  await cell.close();
  const open = () => openCell({ workspace, stateDir, session });
  await new Promise(setImmediate);
  const db = new Database(mode.database);
  db.exec(\`INSERT INTO fs_inode (ino, mode, nlink, atime, mtime, ctime) VALUES (99, 33188, 1, 0, 0, 0);
    INSERT INTO fs_dentry (name, parent_ino, ino) VALUES ('.env', 1, 99)\`);
  db.close();
  // A read of the file itself would keep it locked until the next collection of garbage.
  const names = () => {
    fs.copyFileSync(mode.database, stateDir + "/copy.db");
    const copy = new Database(stateDir + "/copy.db");
    return copy.prepare("SELECT name FROM fs_dentry ORDER BY name").all().map(({ name }) => name);
  };
  fill();
  await (await open()).close();
  fs.unlinkSync(filler);
  const before = names();
  await (await open()).close();
  console.log(JSON.stringify([before, names()]));`;

test.runIf(IS_ROOT)(
  "a secret that others added stays in the database while the disk is full, and leaves it at the next open",
  () => {
    const { printed } = onSmallDisk(tempSessionWorld(), "1m", FULL_AT_OPEN);
    expect(printed).toEqual([[".env", "a"], ["a"]]);
  },
);

/** Writes a file that is larger than the disk of the database. Prints the warning. */
const TOO_LARGE = `
  const cell = await openCell({ workspace, stateDir, trust: "autonomous", ...mode });
  const { meta } = await cell.call({ name: "write_file", arguments: { path: "big", content: "x".repeat(9e6) } });
  await cell.close();
  console.log(JSON.stringify(meta.changes.warning));`;

test.runIf(IS_ROOT)("a file for which the database's disk has no room: the warning is about the disk", () => {
  const { printed } = onSmallDisk(tempSessionWorld(), "4m", TOO_LARGE);
  expect(printed).toBe(
    "Could not write the database: database or disk is full. The session has the changes. The next changing call writes them to the database.",
  );
});

/** Creates a session where the tables of its database do not fit. Prints the error. */
const NO_ROOM_FOR_TABLES = `
  fill();
  fs.truncateSync(filler, fs.statSync(filler).size - 32768);
  const { code, message } = await openCell({ workspace, stateDir, ...mode }).catch((error) => error);
  fs.writeFileSync(mode.database, "");
  console.log(JSON.stringify([code, message]));`;

test.runIf(IS_ROOT)(
  "a session whose database's disk has no room for its tables is not created, and says so",
  () => {
    const { printed } = onSmallDisk(tempSessionWorld(), "1m", NO_ROOM_FOR_TABLES);
    expect(printed).toEqual(["EXECUTION_ERROR", "Could not write the database: database or disk is full."]);
  },
);
