// User edits that a session has shown stay visible, whatever happens to the session's own changes.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { file } from "../../kit/worlds/planted-tree.ts";
import { STRATEGIES, tempSessionWorld, waitForClock } from "../../kit/worlds/session-world.ts";

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  /** A directory that was removed, recreated and committed; then a call that changes another file. */
  async function commitDirectory() {
    const world = tempSessionWorld(new Map([["d/x", file("old\n")]]));
    const session = await world.create(strategy);
    const { change, workspace } = session;
    const call = (id: string, work: () => void) => change({ id, tool: "test" }, async () => work());
    await call("c1", () => workspace.remove("d", { recursive: true }));
    await call("c2", () => workspace.write("d/x", "agent\n"));
    await session.commit();
    await call("c3", () => workspace.write("e", "agent\n"));
    waitForClock(world.stateDir);
    return {
      session,
      edit(at: string, text: string) {
        fs.writeFileSync(path.join(world.project, at), text);
        waitForClock(world.stateDir);
      },
      shown: () =>
        session.read(async () =>
          Array.from(workspace.walk("."), ({ path: at, kind }) =>
            kind === "file" ? `${at} ${workspace.read(at)}` : at,
          ),
        ),
    };
  }

  test.each([true, false])(
    "a user's edits in a recreated directory are visible after a rewind of a call since the commit (and were before: %s)",
    async (isRead) => {
      const { session, edit, shown } = await commitDirectory();
      edit("d/x", "user\n");
      edit("d/new", "user\n");
      const all = ["d", "d/new user\n", "d/x user\n"];
      if (isRead) expect(await shown()).toEqual([...all, "e agent\n"]);
      await session.rewind("c3");
      expect(await shown()).toEqual(all);
      expect(await session.commit({ onConflict: "abort" })).toMatchObject({ tx: null, conflicts: [] });
      edit("d/x", "user again\n");
      expect(await shown()).toEqual(["d", "d/new user\n", "d/x user again\n"]);
    },
  );

  test("a file that the user adds to a recreated directory is visible after the undo of a rewind", async () => {
    const { session, edit, shown } = await commitDirectory();
    await session.rewind("c3");
    edit("d/new", "user\n");
    expect(await shown()).toEqual(["d", "d/new user\n", "d/x agent\n"]);
    await session.undoRewind();
    expect(await shown()).toEqual(["d", "d/new user\n", "d/x agent\n", "e agent\n"]);
    expect(await session.commit({ onConflict: "abort" })).toMatchObject({ committed: ["e"], conflicts: [] });
  });

  test("a file that the user adds to a recreated directory during a read is visible to the next read", async () => {
    const { session, edit, shown } = await commitDirectory();
    await session.read(async () => {
      edit("d/new", "user\n");
      session.workspace.list("d");
    });
    expect(await shown()).toEqual(["d", "d/new user\n", "d/x agent\n", "e agent\n"]);
  });

  test("a file that the user adds to a recreated directory during its commit is visible to the next call", async () => {
    const world = tempSessionWorld(new Map([["d/x", file("old\n")]]));
    const session = await world.create(strategy);
    const { change, workspace } = session;
    await change({ id: "c1", tool: "test" }, async () => workspace.remove("d", { recursive: true }));
    await change({ id: "c2", tool: "test" }, async () => workspace.write("d/y", "agent\n"));
    const onStep = () => fs.writeFileSync(path.join(world.project, "d/new"), "user\n");
    await session.commit({}, { onStep });
    const names = await session.read(async () => workspace.list("d").entries.map(({ name }) => name));
    expect(names).toEqual(["new", "y"]);
  });

  test("a file that the user adds to a directory that the session has removed or recreated is not a change of the session, and is not lost", async () => {
    const world = tempSessionWorld(new Map([["d/x", file("old\n")]]));
    const session = await world.create(strategy);
    const { change, workspace } = session;
    await change({ id: "c1", tool: "test" }, async () => workspace.remove("d", { recursive: true }));
    await change({ id: "c2", tool: "test" }, async () => workspace.write("d/sub/y", "agent\n"));
    waitForClock(world.stateDir);
    fs.mkdirSync(path.join(world.project, "d/sub"));
    for (const at of ["d/new", "d/sub/new"]) fs.writeFileSync(path.join(world.project, at), "user\n");
    const shown = await session.diff((diff) => diff.shown.map(({ kind, path: at }) => `${kind} ${at}`));
    expect(shown).toEqual(["added d/sub/y", "deleted d/x"]);
    expect((await session.commit()).conflicts).toEqual([]);
    expect(fs.readdirSync(path.join(world.project, "d"))).toEqual(["new", "sub"]);
    expect(fs.readdirSync(path.join(world.project, "d/sub"))).toEqual(["new", "y"]);
    const seen = await session.read(async () => workspace.list("d").entries.map(({ name }) => name));
    expect(seen).toEqual(["new", "sub"]);
  });

  test("a part of what was removed is committed, and then the rest", async () => {
    const world = tempSessionWorld(new Map(["d/a", "d/b"].map((at) => [at, file("old\n")])));
    const session = await world.create(strategy);
    const { change, workspace } = session;
    await change({ id: "c", tool: "test" }, async () => workspace.remove("d", { recursive: true }));
    await session.commit({ selection: { paths: ["d/a"], hunks: [] } });
    expect(await session.commit()).toMatchObject({ committed: ["d", "d/b"], conflicts: [] });
  });
});

test("a new file is no conflict because of another that the user adds beside it during the call", async () => {
  const world = tempSessionWorld(new Map([["d/x", file("old\n")]]));
  const session = await world.create("clone");
  const { change, workspace } = session;
  const inProject = (at: string) => path.join(world.project, at);
  await change({ id: "c", tool: "test" }, async () => {
    fs.writeFileSync(inProject("d/user"), "user\n");
    fs.unlinkSync(inProject("d/x"));
    for (const at of ["d/new", "d/x"]) workspace.write(at, "agent\n");
  });
  const { committed, conflicts } = await session.commit({ onConflict: "skip" });
  expect([committed, conflicts.map(({ path: at }) => at)]).toEqual([["d/new"], ["d/x"]]);
});
