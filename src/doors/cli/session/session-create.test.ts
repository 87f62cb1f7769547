import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type CliWorld, openCliWorld } from "../../../../test/kit/worlds/cli-world.ts";
import { openSessionCliWorld } from "../../../../test/kit/worlds/session-cli-world.ts";

const CREATE = ["session", "create", "--strategy", "clone"];

describe("hotcell session create and fork", () => {
  test("print the id alone, or what was made as one document", async () => {
    const { run, root } = openCliWorld({ a: "a\n" });
    expect(await run(CREATE)).toEqual({ code: 0, out: expect.stringMatching(/^[a-z0-9-]+\n$/), err: "" });
    const { code, out } = await run([...CREATE, "--json"]);
    const made = JSON.parse(out);
    expect([code, made]).toEqual([0, { id: expect.any(String), workspace: root, strategy: "clone" }]);
    const fork = JSON.parse((await run(["session", "fork", made.id, "--json"])).out);
    expect(fork).toEqual({ id: expect.any(String), workspace: root, strategy: "clone" });
    expect(fork.id).not.toBe(made.id);
    expect(fs.readdirSync(root)).toEqual(["a"]);
  });

  test("call takes the strategy of the session that it makes", async () => {
    const { run } = openCliWorld({ a: "a\n" });
    const { out } = await run(["call", "read_file", '{"path":"a"}', "--strategy", "clone", "--json"]);
    expect(JSON.parse(out).meta.strategy).toBe("clone");
  });

  test("a fork has the changes, and goes its own way", async () => {
    const { run, id, change } = await openSessionCliWorld({ a: "a\n" }, { c1: (w) => w.write("a", "b\n") });
    const fork = (await run(["session", "fork", id])).out.trim();
    await change({ c2: (w) => w.write("new", "") });
    const pathsIn = async (session: string) =>
      JSON.parse((await run(["session", "diff", session, "--json"])).out).changes.map(
        (change: { path: string }) => change.path,
      );
    expect([await pathsIn(id), await pathsIn(fork)]).toEqual([["a", "new"], ["a"]]);
  });

  test.each([
    ["--strategy", "fuse", '--strategy is "fuse"; allowed are kernel, clone.'],
    ["--workspace", "nowhere", "there is no such directory"],
    ["--state-dir", "state", "Set HOTCELL_STATE_DIR"],
  ])("%s %s is exit 2, says why, and leaves nothing behind", async (flag, value, message) => {
    const { run, root } = openCliWorld();
    const { code, out, err } = await run(["session", "create", flag, value, "--json"]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(JSON.parse(out).error.message).toContain(message);
    expect(fs.readdirSync(root)).toEqual([]);
    expect((await run(["session", "list", "--json"])).out).toBe("[]\n");
  });

  test("a copy tells how far it is, in a terminal only", async () => {
    const files = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`f${n}`, "x\n"]));
    const { run } = openCliWorld(files);
    expect((await run(CREATE, { errIsTerminal: true })).err).toMatch(
      /^\r\u001b\[KCopying the project: .*\r\u001b\[K$/s,
    );
    expect((await run(CREATE)).err).toBe("");
  });
});

describe("a session is named", () => {
  test("by its id, from any directory, with the configuration of its own project", async () => {
    const { run, root, id } = await openSessionCliWorld(
      { "hotcell.config.json": '{ "protect": { "secrets": ["private/**"] } }', "private/x": "x\n" },
      { c1: (w) => w.write("a", "a\n"), c2: (w) => w.write("private/x", "y\n") },
    );
    const elsewhere = path.dirname(root);
    fs.writeFileSync(path.join(elsewhere, "hotcell.config.json"), "not JSON");
    const { code, out } = await run(["session", "diff", id, "--stat"], { cwd: elsewhere });
    expect([code, out.split("\n")]).toEqual([
      0,
      [
        " a         | new file, 1 +",
        " private/x | secret",
        " 2 changed, 1 line added, 0 lines removed",
        "secret, committed only if you name it, with --protected: private/x",
        "",
      ],
    ]);
  });

  const idOf = async ({ run }: CliWorld, given: string, ...args: string[]) =>
    JSON.parse((await run(["session", "show", given, "--json", ...args])).out).id;

  test('"last" when it is the newest of this project that has changes, else the newest', async () => {
    const world = await openSessionCliWorld({ a: "a\n" });
    const { run, root, id } = world;
    const other = path.join(path.dirname(root), "other");
    fs.mkdirSync(other);
    await run([...CREATE, "--workspace", other]);
    expect(await idOf(world, "last")).toBe(id);
    const newer = (await run(CREATE)).out.trim();
    expect([await idOf(world, "last"), await idOf(world, "last", "--workspace", root)]).toEqual([
      newer,
      newer,
    ]);
    await world.change({ c1: (w) => w.write("a", "b\n") });
    expect(await idOf(world, "last")).toBe(id);
    await world.change({ c2: (w) => w.write("a", "a\n") });
    expect(await idOf(world, "last")).toBe(newer);
  });

  test("by its name or a unique beginning of its id or name, from any directory", async () => {
    const world = await openSessionCliWorld({ a: "a\n" });
    const { run, root, id } = world;
    const named = (await run([...CREATE, "--name", "fix-tests"])).out.trim();
    const other = path.join(path.dirname(root), "other");
    fs.mkdirSync(other);
    const ids = [
      await idOf(world, "fix-tests"),
      await idOf(world, "fix"),
      await idOf(world, named.slice(0, -1)),
      await idOf(world, id.slice(0, -1)),
    ];
    expect(ids).toEqual([named, named, named, id]);
    const elsewhere = await run(["session", "show", "fix-tests", "--json"], { cwd: other });
    expect(JSON.parse(elsewhere.out)).toMatchObject({ id: named, name: "fix-tests" });
    const { code, err } = await run(["session", "show", id[0]!]);
    expect([code, err]).toEqual([
      2,
      `hotcell: Could not choose a session: "${id[0]}" may be ${id}, fix-tests. Give more of the name or id.\n`,
    ]);
  });

  test("by another name after a rename; a name is of one session of a project", async () => {
    const world = await openSessionCliWorld({ a: "a\n" });
    const { run, id } = world;
    expect((await run(["session", "rename", "last", "one"])).out).toBe(`The session ${id} is now one.\n`);
    await run(["session", "rename", "one", "two"]);
    expect([await idOf(world, "two"), (await run(["session", "show", "one"])).code]).toEqual([id, 2]);
    const taken = await run([...CREATE, "--name", "two"]);
    expect([taken.code, taken.err]).toEqual([
      2,
      'hotcell: Could not name the session "two": another session of the project has that name. Rename that one first.\n',
    ]);
    expect(JSON.parse((await run(["session", "list", "--json"])).out)).toHaveLength(1);
    expect((await run(["session", "rename", id, "last"])).err).toContain('is not "last"');
  });

  test("call and exec continue the session of a name, and create it first", async () => {
    const { run } = openCliWorld({ a: "a\n" });
    const write = async (...args: string[]) => {
      const given = ["call", "write_file", '{"path":"b","content":"b"}', "--strategy", "clone", "--json"];
      return JSON.parse((await run([...given, ...args])).out);
    };
    const first = (await write("--name", "mine")).meta.session;
    expect([
      (await write("--name", "mine")).meta.session,
      (await write("--name", "other")).meta.session,
    ]).toEqual([first, expect.not.stringMatching(first)]);
    expect((await write("--name", "mine", "--session", first)).error.message).toContain("give one of them");
  });

  test.each([
    [["show", "last"], 'There is no session of "'],
    [["commit", "last"], 'There is no session of "'],
    [["show", "nope"], 'There is no session "nope". See hotcell session list.'],
    [["diff", "../../etc"], 'There is no session "../../etc".'],
    [["commit", "nope", "--yes"], 'There is no session "nope".'],
    [["recover", "nope"], 'There is no session "nope".'],
  ])("else %j is exit 2 and says so", async (args, message) => {
    const { code, err } = await openCliWorld().run(["session", ...args]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test("with another --workspace than its own it is exit 2", async () => {
    const { run, root, id } = await openSessionCliWorld({});
    expect((await run(["session", "show", id, "--workspace", root])).code).toBe(0);
    const { code, err } = await run(["session", "show", id, "--workspace", path.dirname(root)]);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/ belongs to ".*project", not to ".*"\. Omit --workspace\.\n$/),
    ]);
  });
});
