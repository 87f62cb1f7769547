import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openSessionCliWorld, type SessionCliWorld } from "../../../../test/kit/worlds/session-cli-world.ts";
import { holdLock } from "../../../core/lock.ts";

const open = () =>
  openSessionCliWorld(
    { a: "a\n" },
    {
      c1: (w) => w.write("a", "one\n"),
      c2: (w) => w.write("b", "two\n"),
      c3: (w) => w.write("a", "three\n"),
    },
  );

async function contentsOf(world: SessionCliWorld): Promise<Record<string, string>> {
  const session = await world.open();
  const entries = Array.from(session.workspace.walk("."), ({ path }) => path).map((path) => [
    path,
    session.workspace.read(path).toString(),
  ]);
  session.close();
  return Object.fromEntries(entries);
}

const ALL = { a: "three\n", b: "two\n" };

describe("hotcell session rewind", () => {
  test.each([["2"], ["#2"], ["c2"]])(
    "--to %s goes back to before that call; --undo takes it back",
    async (to) => {
      const world = await open();
      const { id, run } = world;
      expect(await run(["session", "rewind", id, "--to", to])).toEqual({
        code: 0,
        out: `The session ${id} now has 1 change.
To undo it: hotcell session rewind ${id} --undo\n`,
        err: "",
      });
      expect(await contentsOf(world)).toEqual({ a: "one\n" });
      expect(await run(["session", "rewind", id, "--undo", "--json"])).toEqual({
        code: 0,
        out: `{"session":"${id}","changes":2}\n`,
        err: "",
      });
      expect(await contentsOf(world)).toEqual(ALL);
    },
  );

  test("--undo says how to undo it too: what was done after the rewind is put away, and comes back", async () => {
    const world = await open();
    const { id, run, change } = world;
    const undo = () => run(["session", "rewind", id, "--undo"]);
    const hint = `To undo it: hotcell session rewind ${id} --undo`;
    await run(["session", "rewind", id, "--to", "2"]);
    await change({ c4: (w) => w.write("after", "4\n") });
    expect((await undo()).out).toBe(`The session ${id} now has 2 changes.\n${hint}\n`);
    expect(await contentsOf(world)).toEqual(ALL);
    expect((await undo()).out).toBe(`The session ${id} now has 2 changes.\n${hint}\n`);
    expect(await contentsOf(world)).toEqual({ a: "one\n", after: "4\n" });
  });

  test("says which commits stay, and how to revert them", async () => {
    const { id, run } = await open();
    await run(["session", "commit", id, "b", "--yes"]);
    expect((await run(["session", "rewind", id, "--to", "c1"])).out).toBe(
      `The session ${id} now has 0 changes.
To undo it: hotcell session rewind ${id} --undo
Commit 1 stays in the project. To revert it: hotcell session revert ${id} --tx 1
`,
    );
    await run(["session", "rewind", id, "--undo"]);
    const { out } = await run(["session", "rewind", id, "--to", "c1", "--json"]);
    expect(JSON.parse(out)).toEqual({ session: id, changes: 0, commits: ["1"] });
  });

  test.each([
    [["a"], "Commit 1 stays in the project. To revert it, run hotcell session revert ID --tx 1."],
    [
      ["a", "b"],
      "Commits 1, 2 stay in the project. To revert one, run hotcell session revert ID --tx NUMBER.",
    ],
  ])("to a call whose changes were all committed (%j) says which commits stay", async (paths, stays) => {
    const { id, run } = await open();
    for (const path of paths) await run(["session", "commit", id, path, "--yes"]);
    const message = `The session has no call "c1" that still has changes. See hotcell session show. ${stays}`;
    for (const args of [
      ["rewind", id, "--to", "c1"],
      ["diff", id, "--call", "c1"],
    ]) {
      const { code, err } = await run(["session", ...args]);
      expect([code, err]).toEqual([2, expect.stringContaining(message.replace("ID", id))]);
    }
    await run(["session", "revert", id, "--tx", "1"]);
    const { err } = await run(["session", "rewind", id, "--to", "c9"]);
    expect(err).not.toContain("Commit 1 stays");
  });

  test("goes back at some paths only", async () => {
    const world = await open();
    expect((await world.run(["session", "rewind", world.id, "--to", "2", "a"])).code).toBe(0);
    expect(await contentsOf(world)).toEqual({ a: "one\n", b: "two\n" });
  });

  test.each([
    [[], "Give --to CALL or --undo."],
    [["--to", "1", "--undo"], "Give --to CALL or --undo."],
    [["--undo", "a"], "Omit the paths"],
    [["--undo"], "There is no rewind to undo."],
    [["--to", "9"], 'The session has no call "#9" that still has changes.'],
    [["--to", "1", "../x"], 'The path "../x" is not in the project'],
    [["--to", "1", "nope"], 'The session has no change at "nope".'],
  ])("%j is exit 2 and says why", async (args, message) => {
    const world = await open();
    const { code, err } = await world.run(["session", "rewind", world.id, ...args]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(await contentsOf(world)).toEqual(ALL);
  });
});

describe("last", () => {
  test("of rewind --undo is the session of the newest rewind, also if it has no changes left", async () => {
    const world = await open();
    const { id, run } = world;
    await run(["session", "rename", id, "A"]);
    const other = (await run(["session", "fork", id])).out.trim();
    expect((await run(["session", "rewind", "last", "--undo"])).err).toContain(
      `There is no rewind to undo: no session of "${world.root}" has one.`,
    );
    await run(["session", "rewind", other, "--to", "2"]);
    await run(["session", "rewind", id, "--to", "1"]);
    expect((await run(["session", "rewind", "last", "--undo"])).out).toBe(
      `The session ${id} (A) now has 2 changes.\nTo undo it: hotcell session rewind ${id} --undo\n`,
    );
    expect(await contentsOf(world)).toEqual(ALL);
    await run(["session", "rewind", other, "--undo"]);
    expect(JSON.parse((await run(["session", "rewind", "last", "--undo", "--json"])).out).session).toBe(
      other,
    );
  });

  test("is not discarded if a newer session has no changes: the error names both", async () => {
    const world = await open();
    const { id, run } = world;
    const newer = (await run(["session", "create", "--strategy", "clone", "--name", "B"])).out.trim();
    expect(await run(["session", "discard", "last", "--yes"])).toEqual({
      code: 2,
      out: "",
      err: `hotcell: Did not discard all changes: "last" is the session ${id}, since the newest session, ${newer} (B), has no changes. To discard all changes of the former: hotcell session discard ${id}\n`,
    });
    expect(await contentsOf(world)).toEqual(ALL);
    expect((await run(["session", "discard", "last", "a"])).out).toContain(`The session ${id} now has 1`);
  });
});

describe("hotcell session discard", () => {
  test("throws changes at some paths away without asking: that can be undone", async () => {
    const world = await open();
    const { id, run } = world;
    expect((await run(["session", "discard", id, "a"])).out).toBe(
      `The session ${id} now has 1 change.
To undo it: hotcell session rewind ${id} --undo\n`,
    );
    expect(await contentsOf(world)).toEqual({ a: "a\n", b: "two\n" });
    await run(["session", "rewind", id, "--undo"]);
    expect(await contentsOf(world)).toEqual(ALL);
  });

  test.each([[[]], [["."]]])("asks before it throws all away: %j", async (paths) => {
    const world = await open();
    const { id, answer, run } = world;
    const refused = await answer(["discard", id, ...paths], ["n"]);
    expect(refused).toEqual({
      code: 1,
      out: "",
      err: ` a | 2 +-
 b | new file, 1 +
 2 changed, 2 lines added, 1 line removed
hotcell: Did not discard the changes: the answer was no.
`,
      questions: [`Discard all changes of the session ${id}? This cannot be undone. [y/N] `],
    });
    expect(await run(["session", "discard", id, ...paths])).toMatchObject({
      code: 2,
      err: "hotcell: Could not discard all changes: there is no terminal to ask in. Add --yes.\n",
    });
    expect(await contentsOf(world)).toEqual(ALL);
    expect(await run(["session", "discard", id, ...paths, "--yes", "--json"])).toEqual({
      code: 0,
      out: `{"session":"${id}","changes":0}\n`,
      err: "",
    });
    expect(await contentsOf(world)).toEqual({ a: "a\n" });
  });

  test("discards a session whose project is gone, if the user confirms", async () => {
    const { id, root, answer, run } = await open();
    fs.renameSync(root, `${root}-elsewhere`);
    expect(await answer(["discard", id], ["n"])).toEqual({
      code: 1,
      out: "",
      err: `The project "${root}" does not exist.\nhotcell: Did not discard it: the answer was no.\n`,
      questions: [`Remove the session ${id} with all its changes? This cannot be undone. [y/N] `],
    });
    expect(await run(["session", "discard", id])).toMatchObject({
      code: 2,
      err: "hotcell: Could not remove the session: there is no terminal to ask in. Add --yes.\n",
    });
    expect((await run(["session", "list"])).out).toContain(id);
    expect(await run(["session", "discard", id, "--yes"])).toEqual({
      code: 0,
      out: `The session ${id} and all its changes are removed.\n`,
      err: "",
    });
    expect((await run(["session", "list", "--json"])).out).toBe("[]\n");
  });

  test("takes the lock of such a session as --wait says, and the error says who holds it", async () => {
    const { id, root, run, stateDir } = await open();
    fs.renameSync(root, `${root}-elsewhere`);
    const release = holdLock(path.join(stateDir, "sessions", id, "lock"));
    expect(await run(["session", "discard", id, "--yes", "--wait", "0"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("another cell of this process uses it"),
    });
    release();
    expect((await run(["session", "discard", id, "--yes"])).code).toBe(0);
  });

  test("does not throw a session away that another one was forked from", async () => {
    const { id, root, run } = await open();
    const fork = (await run(["session", "fork", id])).out.trim();
    fs.renameSync(root, `${root}-elsewhere`);
    expect(await run(["session", "discard", id, "--yes"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("another session was forked from it"),
    });
    for (const each of [fork, id]) await run(["session", "discard", each, "--yes"]);
    expect((await run(["session", "list", "--json"])).out).toBe("[]\n");
  });
});

test("what a person does with a session is in its log", async () => {
  const { id, run } = await open();
  await run(["session", "commit", id, "b", "--yes"]);
  await run(["session", "revert", id]);
  await run(["session", "rewind", id, "--to", "c3"]);
  await run(["session", "discard", id, "--yes"]);
  const { out } = await run(["audit", "show", "--session", id, "--json"]);
  expect((JSON.parse(out) as { kind: string }[]).map(({ kind }) => kind)).toEqual([
    "session.commit",
    "session.revert",
    "session.rewind",
    "session.discard",
  ]);
  expect((await run(["audit", "verify", "--session", id])).code).toBe(0);
});
