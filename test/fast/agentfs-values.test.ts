// Values by key and calls of a session in mode agentfs: its database has them, and takes them from AgentFS.
import fs from "node:fs";
import path from "node:path";
import { AgentFS } from "agentfs-sdk";
import Database from "libsql";
import { describe, expect, test } from "vitest";
import { type CellOptions, defineTool, openCell } from "../../src/index.ts";
import { openTempCell, type TempCell, tempDir } from "../kit/worlds/temp-cell.ts";

const MODE = { fs: "agentfs", strategy: "clone", toolsets: ["coding", "kv"] } as const;

const open = (options: Partial<CellOptions> = {}) =>
  openTempCell({ ...MODE, ...options }, { "a.txt": "1\n" });

const reopen = ({ root, stateDir, cell }: TempCell) =>
  openCell({ ...MODE, workspace: root, stateDir, session: cell.session! });

const databaseOf = ({ stateDir, cell }: TempCell) =>
  path.join(stateDir, "sessions", cell.session!, "agentfs.db");

/** Reads a copy, as a kill at this moment would leave the database. */
function rowsNow(world: TempCell, query: string): unknown[] {
  const [from, copy] = [databaseOf(world), path.join(tempDir(), "copy.db")];
  for (const end of ["", "-wal"]) fs.copyFileSync(`${from}${end}`, `${copy}${end}`);
  return execute(copy, (db) => db.prepare(query).all());
}

function execute<T>(file: string, work: (db: Database.Database) => T): T {
  const db = new Database(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

async function withSdk<T>(world: TempCell, work: (agent: AgentFS) => Promise<T>): Promise<T> {
  const agent = await AgentFS.open({ path: databaseOf(world) });
  try {
    return await work(agent);
  } finally {
    await agent.close();
  }
}

const VALUES = "SELECT key, value FROM kv_store ORDER BY key";

describe("values by key in mode agentfs", () => {
  test("are in the database when they are set", async () => {
    const world = await open();
    await world.cell.kv.set("a", { n: 1 });
    await world.cell.kv.set("b", 2);
    await world.cell.kv.set("a", { n: 3 });
    await world.cell.kv.delete("b");
    expect(rowsNow(world, VALUES)).toEqual([{ key: "a", value: '{"n":3}' }]);
  });

  test("are in a database that is created again because somebody removed it", async () => {
    const world = await open();
    await world.cell.kv.set("a", 1);
    for (const end of ["", "-wal"]) fs.rmSync(`${databaseOf(world)}${end}`, { force: true });
    await world.cell.call({ name: "write_file", arguments: { path: "b", content: "" } });
    expect(rowsNow(world, VALUES)).toEqual([{ key: "a", value: "1" }]);
  });

  test("are exchanged with agentfs-sdk", async () => {
    const world = await open();
    await world.cell.kv.set("ours", [1]);
    await world.cell.kv.set("gone", "x");
    await world.cell.close();
    await withSdk(world, async ({ kv }) => {
      expect(await kv.get("ours")).toEqual([1]);
      await kv.set("theirs", { n: null });
      await kv.set("ours", [1, 2]);
      await kv.delete("gone");
    });
    await using again = await reopen(world);
    expect(await again.kv.list()).toEqual([
      { key: "ours", value: [1, 2] },
      { key: "theirs", value: { n: null } },
    ]);
  });

  test("are written by the next open if hotcell was killed before it could", async () => {
    const world = await open();
    await world.cell.kv.set("a", 1);
    await world.cell.close();
    const before = fs.readFileSync(databaseOf(world));
    const next = await reopen(world);
    await next.kv.set("a", 2);
    await next.kv.set("b", 2);
    await next.close();
    fs.writeFileSync(databaseOf(world), before);
    await using again = await reopen(world);
    expect(rowsNow(world, VALUES)).toEqual([
      { key: "a", value: "2" },
      { key: "b", value: "2" },
    ]);
    expect(await again.kv.get("a")).toBe(2);
  });

  test("are kept from both sides if both changed: at the same key the database's", async () => {
    const world = await open();
    await world.cell.kv.set("both", "old");
    await world.cell.close();
    const before = fs.readFileSync(databaseOf(world));
    const next = await reopen(world);
    await next.kv.set("both", "ours");
    await next.kv.set("ours", 1);
    await next.close();
    fs.writeFileSync(databaseOf(world), before);
    await withSdk(world, async ({ kv }) => {
      await kv.set("both", "theirs");
      await kv.set("theirs", 1);
    });
    await using again = await reopen(world);
    expect(await again.kv.list()).toEqual([
      { key: "both", value: "theirs" },
      { key: "ours", value: 1 },
      { key: "theirs", value: 1 },
    ]);
  });

  test("that a session cannot keep stay in the database, and the next changing call tells", async () => {
    const world = await open();
    await world.cell.kv.set("first", 1);
    await world.cell.close();
    execute(databaseOf(world), (db) =>
      db.exec("INSERT INTO kv_store (key, value) VALUES ('bad', '{'), ('good', '1')"),
    );
    const again = await reopen(world);
    await again.kv.set("ours", 2);
    expect((await again.kv.list()).map(({ key }) => key)).toEqual(["first", "good", "ours"]);
    const { meta } = await again.call({ name: "write_file", arguments: { path: "b", content: "" } });
    expect(meta.changes?.warning).toBe(
      "The session did not take from the database kv_store: bad (its value is not JSON).",
    );
    await again.close();
    expect(
      execute(databaseOf(world), (db) => db.prepare("SELECT key FROM kv_store ORDER BY key").all()),
    ).toEqual(["bad", "first", "good", "ours"].map((key) => ({ key })));
  });

  test("can be set while calls run, and by a tool that also writes files", async () => {
    const note = defineTool({
      name: "note",
      description: "Writes a file and a value.",
      input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      needs: ["workspace", "kv"],
      contained: true,
      async run({ n }: { readonly n: number }, { workspace, kv }) {
        await kv.set(`note/${n}`, n);
        workspace.write(`note-${n}`, String(n));
        return {};
      },
    });
    const world = await open({ tools: [note] });
    const numbers = Array.from({ length: 12 }, (_, n) => n);
    await Promise.all(
      numbers.flatMap((n): Promise<unknown>[] => [
        world.cell.call({ name: "note", arguments: { n } }),
        world.cell.kv.set(`program/${n}`, n),
      ]),
    );
    expect(rowsNow(world, "SELECT count(*) AS count FROM kv_store")).toEqual([{ count: 24 }]);
    expect(rowsNow(world, "SELECT count(*) AS count FROM fs_dentry WHERE name LIKE 'note-%'")).toEqual([
      { count: 12 },
    ]);
  });

  test("are in the database of a fork", async () => {
    const world = await open();
    await world.cell.kv.set("a", 1);
    const fork = await world.cell.fork();
    await world.cell.close();
    const file = path.join(world.stateDir, "sessions", fork, "agentfs.db");
    expect(execute(file, (db) => db.prepare(VALUES).all())).toEqual([{ key: "a", value: "1" }]);
  });

  test("come back if somebody removes the database", async () => {
    const world = await open();
    await world.cell.kv.set("a", 1);
    await world.cell.close();
    fs.unlinkSync(databaseOf(world));
    await (await reopen(world)).close();
    expect(await withSdk(world, ({ kv }) => kv.get("a"))).toBe(1);
  });
});

test("a table of values that somebody removed is made again with the session's values", async () => {
  const world = await open();
  await world.cell.kv.set("a", 1);
  await world.cell.close();
  execute(databaseOf(world), (db) => db.exec("DROP TABLE kv_store"));
  const again = await reopen(world);
  await again.kv.set("b", 2);
  await again.close();
  expect(execute(databaseOf(world), (db) => db.prepare(VALUES).all())).toEqual([
    { key: "a", value: "1" },
    { key: "b", value: "2" },
  ]);
});

describe("calls in mode agentfs", () => {
  const CALLS = "SELECT name, status FROM tool_calls ORDER BY id";
  const read = (name: string) => ({ name: "read_file", arguments: { path: name } });
  const write = (content: string) => ({ name: "write_file", arguments: { path: "a.txt", content } });

  test("are in the database with the next changing call, and all of them when the cell is closed", async () => {
    const world = await open();
    await world.cell.call(read("a.txt"));
    await world.cell.call(read("none"));
    await world.cell.call(write("2\n"));
    expect(rowsNow(world, CALLS)).toEqual([
      { name: "read_file", status: "success" },
      { name: "read_file", status: "error" },
      { name: "write_file", status: "pending" },
    ]);
    await world.cell.call(read("a.txt"));
    await world.cell.close();
    const again = await reopen(world);
    await again.call(write("3\n"));
    await again.close();
    const calls = await withSdk(world, ({ tools }) => tools.getRecent(0));
    expect(calls.sort((a, b) => a.id - b.id).map(({ name, status }) => `${name} ${status}`)).toEqual([
      "read_file success",
      "read_file error",
      "write_file success",
      "read_file success",
      "write_file success",
    ]);
  });

  test("are completed by the next open if hotcell was killed before it could", async () => {
    const world = await open();
    await world.cell.call(write("2\n"));
    await world.cell.close();
    const before = fs.readFileSync(databaseOf(world));
    const next = await reopen(world);
    await next.call(write("3\n"));
    await next.call(read("a.txt"));
    await next.close();
    fs.writeFileSync(databaseOf(world), before);
    await using _ = await reopen(world);
    expect(rowsNow(world, CALLS)).toEqual([
      { name: "write_file", status: "success" },
      { name: "write_file", status: "success" },
      { name: "read_file", status: "success" },
    ]);
  });

  test.each([
    ["is gone", "DROP TABLE tool_calls"],
    ["has other columns", "ALTER TABLE tool_calls DROP COLUMN duration_ms"],
    ["says nonsense about them", "UPDATE hotcell_session SET value = '{\"seq\":-1}' WHERE key = 'calls'"],
  ])("do not stand in the way of files and values if their table %s", async (_, sql) => {
    const world = await open();
    await world.cell.call(write("2\n"));
    await world.cell.close();
    execute(databaseOf(world), (db) => db.exec(sql));
    const again = await reopen(world);
    await again.kv.set("a", 1);
    const { success, meta } = await again.call(write("3\n"));
    expect([success, meta.changes?.warning]).toEqual([true, undefined]);
    await again.close();
    expect(
      execute(databaseOf(world), (db) => db.prepare("SELECT CAST(data AS TEXT) AS text FROM fs_data").all()),
    ).toEqual([{ text: "3\n" }]);
    expect(execute(databaseOf(world), (db) => db.prepare(VALUES).all())).toEqual([{ key: "a", value: "1" }]);
  });
});
