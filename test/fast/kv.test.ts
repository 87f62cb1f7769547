// Values of a session by key, for programs and for models.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type CellOptions, openCell, sessions } from "../../src/index.ts";
import { openTempCell, type TempCell } from "../kit/worlds/temp-cell.ts";

const CLONE = { fs: "overlay", strategy: "clone", toolsets: ["coding", "kv"] } as const;

const open = (options: Partial<CellOptions> = {}) =>
  openTempCell({ ...CLONE, ...options }, { "a.txt": "old\n" });

const reopen = ({ root, stateDir, cell }: TempCell) =>
  openCell({ ...CLONE, workspace: root, stateDir, session: cell.session! });

describe("cell.kv", () => {
  test("keeps any JSON value under its key, replaces and deletes it", async () => {
    const { cell } = await open();
    const values = [null, false, 0, -1.5, "", "text \u0000 ü", [], [1, ["x"]], {}, { a: { b: null } }];
    for (const [index, value] of values.entries()) expect(await cell.kv.set(`v/${index}`, value)).toBe(true);
    for (const [index, value] of values.entries()) expect(await cell.kv.get(`v/${index}`)).toEqual(value);
    expect([await cell.kv.set("v/0", "new"), await cell.kv.get("v/0")]).toEqual([false, "new"]);
    expect([await cell.kv.delete("v/0"), await cell.kv.delete("v/0")]).toEqual([true, false]);
    expect(await cell.kv.get("v/0")).toBeUndefined();
  });

  test("lists values in the order of their keys, by prefix", async () => {
    const { cell } = await open();
    for (const key of ["b", "a/2", "a/1", "a%", "A/1"]) await cell.kv.set(key, key);
    const keysOf = async (prefix?: string) => (await cell.kv.list(prefix)).map(({ key }) => key);
    expect(await cell.kv.list("a/")).toEqual([
      { key: "a/1", value: "a/1" },
      { key: "a/2", value: "a/2" },
    ]);
    expect([await keysOf(), await keysOf("a%"), await keysOf("c")]).toEqual([
      ["A/1", "a%", "a/1", "a/2", "b"],
      ["a%"],
      [],
    ]);
  });

  test("has values that are also names of an object's own methods", async () => {
    const { cell } = await open();
    expect(await cell.kv.get("constructor")).toBeUndefined();
    for (const key of ["__proto__", "constructor", "toString"]) await cell.kv.set(key, key);
    expect(await cell.kv.get("__proto__")).toBe("__proto__");
    expect((await cell.kv.list()).map(({ key }) => key)).toEqual(["__proto__", "constructor", "toString"]);
  });

  test("survives the cell, and keeps a session that has no other changes", async () => {
    const world = await open();
    await world.cell.kv.set("task", { done: 3 });
    await world.cell.close();
    await using again = await reopen(world);
    expect(await again.kv.get("task")).toEqual({ done: 3 });
    expect((await sessions.gc({ stateDir: world.stateDir })).removed).toEqual([]);
    await again.kv.delete("task");
    await again.close();
    const { removed } = await sessions.gc({ stateDir: world.stateDir });
    expect(removed.map(({ id }) => id)).toEqual([world.cell.session]);
  });

  test("is not rewound, discarded or committed, and a fork has the values of its time", async () => {
    const { cell, root, stateDir } = await open();
    const { meta } = await cell.call({ name: "write_file", arguments: { path: "a.txt", content: "new\n" } });
    await cell.kv.set("n", 1);
    await cell.rewind(meta.callId);
    await cell.undoRewind();
    const fork = await cell.fork();
    await cell.kv.set("n", 2);
    await cell.commit();
    await cell.discard();
    expect(await cell.kv.get("n")).toBe(2);
    expect(fs.readdirSync(root)).toEqual(["a.txt"]);
    await using other = await openCell({ ...CLONE, workspace: root, stateDir, session: fork });
    expect(await other.kv.get("n")).toBe(1);
  });

  test.each<[name: string, key: string, value: unknown, code: string]>([
    ["an empty key", "", 1, "INVALID_ARGUMENTS"],
    ["a key of more than 1024 bytes", "ü".repeat(513), 1, "INVALID_ARGUMENTS"],
    ["a key with a NUL", "a\0", 1, "INVALID_ARGUMENTS"],
    ["a key with half of a character", "\ud800", 1, "INVALID_ARGUMENTS"],
    ["a key that is no text", 7 as unknown as string, 1, "INVALID_ARGUMENTS"],
    ["undefined", "k", undefined, "INVALID_ARGUMENTS"],
    ["a date", "k", new Date(), "INVALID_ARGUMENTS"],
    ["a number that JSON cannot write", "k", Number.NaN, "INVALID_ARGUMENTS"],
    ["a value with a key that reaches a prototype", "k", JSON.parse('{"__proto__":1}'), "INVALID_ARGUMENTS"],
    ["a value of more than 1 MiB", "k", "x".repeat(1024 * 1024), "WRITE_TOO_LARGE"],
  ])("refuses %s", async (_, key, value, code) => {
    const { cell } = await open();
    await expect(cell.kv.set(key, value)).rejects.toMatchObject({ code });
    expect(await cell.kv.list()).toEqual([]);
  });

  test("holds 8 MiB: what would exceed it is refused, and changes nothing", async () => {
    const { cell } = await open();
    const long = "x".repeat(1024 * 1024 - 2);
    for (let n = 0; n < 7; n++) await cell.kv.set(String(n), long);
    await expect(cell.kv.set("7", long)).rejects.toMatchObject({ code: "WRITE_TOO_LARGE" });
    expect([await cell.kv.set("6", long), await cell.kv.set("7", long.slice(100))]).toEqual([false, true]);
    expect((await cell.kv.list()).map(({ key }) => key)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
  });

  test("needs a session, and an open cell", async () => {
    const { cell } = await openTempCell();
    await expect(cell.kv.get("k")).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
    const { cell: closed } = await open();
    await closed.close();
    await expect(closed.kv.set("k", 1)).rejects.toMatchObject({ code: "WORKSPACE_UNUSABLE" });
  });

  test("keeps the old values if the new ones cannot be written", async () => {
    const { cell, stateDir } = await open();
    await cell.kv.set("k", 1);
    const blocked = path.join(stateDir, "sessions", cell.session!, "kv.json.new");
    fs.mkdirSync(blocked);
    await expect(cell.kv.set("k", 2)).rejects.toMatchObject({
      message: expect.stringContaining('Could not set the key "k"'),
    });
    fs.rmdirSync(blocked);
    expect(await cell.kv.get("k")).toBe(1);
  });
});

describe("the toolset kv", () => {
  const call = async ({ cell }: TempCell, name: string, args: Readonly<Record<string, unknown>>) => {
    const { output, error } = await cell.call({ name, arguments: { ...args } as unknown });
    return error === null ? output : error.code;
  };

  test("shares the values with the program, and asks for no approval", async () => {
    const world = await open({ trust: "guided" });
    expect(await call(world, "kv_set", { key: "a", value: { n: 1 } })).toEqual({ key: "a", created: true });
    expect(await world.cell.kv.get("a")).toEqual({ n: 1 });
    await world.cell.kv.set("b", null);
    expect(await call(world, "kv_get", { key: "b" })).toEqual({ key: "b", found: true, value: null });
    expect(await call(world, "kv_get", { key: "c" })).toEqual({ key: "c", found: false, value: null });
    expect(await call(world, "kv_list", {})).toEqual({ keys: ["a", "b"], truncated: false });
    expect(await call(world, "kv_list", { prefix: "b" })).toEqual({ keys: ["b"], truncated: false });
    expect(await call(world, "kv_delete", { key: "a" })).toEqual({ key: "a", deleted: true });
    expect(await call(world, "kv_delete", { key: "a" })).toEqual({ key: "a", deleted: false });
  });

  test("takes no value that a model could not get back, and shows none that is longer than an observation", async () => {
    const world = await open({ limits: { observationBytes: 1024 } });
    const long = "x".repeat(1024);
    expect(await call(world, "kv_set", { key: "a", value: long })).toBe("WRITE_TOO_LARGE");
    await world.cell.kv.set("a", long);
    expect(await call(world, "kv_get", { key: "a" })).toBe("OUTPUT_LIMIT");
    for (let n = 0; n < 200; n++) await world.cell.kv.set(`key/${n}`, n);
    const { keys, note, truncated } = (await call(world, "kv_list", {})) as {
      keys: string[];
      note: string;
      truncated: boolean;
    };
    expect([keys[0], truncated, note]).toEqual([
      "a",
      true,
      `Only the first ${keys.length} of 201 keys are shown: give a longer prefix.`,
    ]);
    expect(JSON.stringify(keys).length).toBeLessThanOrEqual(1025);
  });

  test("can be forbidden by rules, and needs a session", async () => {
    const world = await open({ rules: ["deny kv_set"] });
    expect(await call(world, "kv_set", { key: "a", value: 1 })).toBe("DENIED");
    const host = await openTempCell({ toolsets: ["kv"] });
    expect(await call(host, "kv_get", { key: "a" })).toBe("NOT_SUPPORTED");
  });

  test("refuses calls without a key or a value", async () => {
    const world = await open();
    for (const args of [
      {},
      { key: "a" },
      { value: 1 },
      { key: "", value: 1 },
      { key: 1, value: {}, more: 1 },
    ])
      expect(await call(world, "kv_set", args)).toBe("INVALID_ARGUMENTS");
    expect(await call(world, "kv_list", {})).toEqual({ keys: [], truncated: false });
  });
});
