// Files that a revert or an aborted commit restores in the project are not changes of the user. Once a restored version is
// the base of the session, later edits are the user's, even if they equal the revert's result.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { CommitListeners } from "../../../src/workspace/commit/commit-listeners.ts";
import { recoverSessions } from "../../../src/workspace/session/registry/recover-sessions.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { begin } from "../../kit/worlds/session-with-user.ts";
import { STRATEGIES } from "../../kit/worlds/session-world.ts";

/** Somebody does this when all is staged. */
function meanwhile(work: () => void): CommitListeners {
  let isDone = false;
  return {
    onProgress(done, total) {
      if (isDone || done < total / 2) return;
      isDone = true;
      work();
    },
  };
}

const seenIn = (session: Session, at: string) =>
  session.read(async () => session.workspace.read(at).toString());

describe.each(STRATEGIES)("with the strategy %s, when the session is opened again,", (strategy) => {
  /** A commit of the file was reverted. */
  async function reverted(at: string) {
    const world = await begin(strategy, { f: "old" });
    await world.call((workspace) => workspace.write(at, "one"), "c1");
    await world.session.commit();
    await world.tick();
    await world.session.revert();
    await world.tick();
    const reopened = () => {
      world.session.close();
      return world.reopen();
    };
    return { ...world, reopened };
  }

  test("what the user put back after a later commit stays", async () => {
    const { session, call, tick, edit, reopened, read } = await reverted("f");
    await call((workspace) => workspace.write("f", "two"), "c2");
    await session.commit();
    await tick();
    await edit("f", "old");
    await (await reopened()).commit();
    expect(read("f")).toBe("old");
  });

  test("what the user put back after a later commit is a conflict with an edit of the session", async () => {
    const { session, call, tick, edit, reopened, read } = await reverted("f");
    await call((workspace) => workspace.write("f", "two"), "c2");
    await session.commit();
    await tick();
    await call((workspace) => workspace.write("f", "three"), "c3");
    await edit("f", "old");
    const { conflicts } = await (await reopened()).commit({ onConflict: "skip" });
    expect([read("f"), conflicts.map(({ path: at }) => at)]).toEqual(["old", ["f"]]);
  });

  test("what the user put back after a discard is a conflict with an edit of what was there between", async () => {
    const { session, call, edit, reopened, read } = await reverted("f");
    await session.discard(["f"]);
    await edit("f", "user");
    await call((workspace) => workspace.append("f", " and session"), "c2");
    await edit("f", "old");
    const { conflicts } = await (await reopened()).commit({ onConflict: "skip" });
    expect([read("f"), conflicts.map(({ path: at }) => at)]).toEqual(["old", ["f"]]);
  });

  test("what the user removed after it was committed again stays removed", async () => {
    const { session, tick, inProject, reopened } = await reverted("n");
    await session.commit();
    await tick();
    fs.rmSync(inProject("n"));
    await tick();
    await (await reopened()).commit();
    expect(fs.existsSync(inProject("n"))).toBe(false);
  });

  test("what the session still has of a reverted commit can be committed again", async () => {
    const { reopened, read } = await reverted("f");
    expect((await (await reopened()).commit()).conflicts).toEqual([]);
    expect(read("f")).toBe("one");
  });
});

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  const dirOf = (world: Awaited<ReturnType<typeof begin>>) =>
    path.join(world.place.stateDir, "sessions", world.session.record.id);

  /** The first commit is of what the first call wrote. */
  async function committed(
    files: Readonly<Record<string, string>>,
    work: (workspace: Session["workspace"]) => void,
  ) {
    const world = await begin(strategy, files);
    await world.call(work, "c1");
    await world.session.commit();
    await world.tick();
    return world;
  }

  test("a second revert of a commit is about what the first one left, and nothing else", async () => {
    const { session, call, tick, edit, read } = await committed({ a: "old", b: "old" }, (workspace) => {
      for (const at of ["a", "b"]) workspace.write(at, "one");
    });
    await edit("b", "user");
    expect(await session.revert()).toEqual({ reverted: ["a"], changed: ["b"] });
    await tick();
    await call((workspace) => workspace.write("a", "two"), "c2");
    await session.commit();
    await tick();
    await call((workspace) => workspace.write("a", "three"), "c3");
    await edit("a", "old");
    await edit("b", "one");
    expect(await session.revert("1")).toEqual({ reverted: ["b"], changed: [] });
    const { conflicts } = await session.commit({ onConflict: "skip" });
    expect([read("a"), conflicts.map(({ path: at }) => at)]).toEqual(["old", ["a"]]);
  });

  test("a revert is about nothing that its commit had put back at once", async () => {
    const { session, call, tick, edit, read, inProject } = await begin(strategy, { a: "old", g: "old" });
    await call((workspace) => {
      workspace.rename("a", "n");
      workspace.write("g", "one");
    }, "c1");
    const userMakes = meanwhile(() => fs.writeFileSync(inProject("n"), "user"));
    expect((await session.commit({ onConflict: "skip" }, userMakes)).committed).toEqual(["g"]);
    fs.unlinkSync(inProject("n"));
    await tick();
    await session.commit();
    await tick();
    await call((workspace) => workspace.write("a", "three"), "c3");
    await edit("a", "old");
    await session.revert("1");
    const { conflicts } = await session.commit({ onConflict: "skip" });
    expect([read("a"), conflicts.map(({ path: at }) => at)]).toEqual(["old", ["a"]]);
  });

  test("a file that a commit had restored before everything was discarded is no base afterwards", async () => {
    const { session, call, tick, edit, read, inProject, reopen } = await begin(strategy, {
      f: "old",
      g: "old",
    });
    await call((workspace) => {
      for (const at of ["f", "g"]) workspace.write(at, "one");
    }, "c1");
    await session.commit(
      {},
      meanwhile(() => fs.writeFileSync(inProject("g"), "user")),
    );
    await tick();
    await session.discard();
    await edit("f", "between");
    await call((workspace) => workspace.append("f", " and session"), "c2");
    await edit("f", "old");
    session.close();
    const { conflicts } = await (await reopen()).commit({ onConflict: "skip" });
    expect([read("f"), conflicts.map(({ path: at }) => at)]).toEqual(["old", ["f"]]);
  });

  test("an aborted commit restores nothing that the session has removed", async () => {
    const { session, call, shown, inProject } = await committed(
      { "d/x": "old", "d/y": "old", g: "old" },
      (workspace) => workspace.write("d/x", "one"),
    );
    await call((workspace) => {
      workspace.remove("d", { recursive: true });
      workspace.write("d/x", "two");
      workspace.write("g", "one");
    }, "c2");
    const { conflicts } = await session.commit(
      {},
      meanwhile(() => fs.writeFileSync(inProject("g"), "user")),
    );
    expect(conflicts.map(({ path: at }) => at)).toEqual(["g"]);
    expect(await shown()).toEqual(["modified d/x", "deleted d/y", "modified g"]);
  });

  const REWINDS: readonly (readonly [string, (session: Session) => Promise<unknown>])[] = [
    ["a rewind", (session) => session.rewind("c3")],
    ["a rewind of a path", (session) => session.rewind("c3", ["other"])],
    [
      "an undone rewind",
      async (session) => {
        await session.rewind("c3");
        await session.undoRewind();
      },
    ],
  ];

  describe.each(REWINDS)("after a revert and %s", (_, goBack) => {
    async function wentBack(userWrites: string | null) {
      const world = await committed({ f: "old", g: "old", other: "old" }, (workspace) => {
        for (const at of ["f", "g", "n"]) workspace.write(at, "one");
      });
      await world.call((workspace) => workspace.write("g", "two"), "c2");
      await world.call((workspace) => workspace.write("other", "three"), "c3");
      await world.session.revert();
      await world.tick();
      if (userWrites !== null) await world.edit("g", userWrites);
      await goBack(world.session);
      await world.tick();
      return world;
    }

    test("what was reverted is still in the session, and can be committed again", async () => {
      const { session, read } = await wentBack(null);
      expect(await Promise.all(["f", "g", "n"].map((at) => seenIn(session, at)))).toEqual([
        "one",
        "two",
        "one",
      ]);
      expect((await session.commit()).conflicts).toEqual([]);
      expect(["f", "g", "n"].map(read)).toEqual(["one", "two", "one"]);
    });

    test("a later edit by the user is a conflict, also if it equals the committed version", async () => {
      const { session, read } = await wentBack("one");
      const { conflicts } = await session.commit({ onConflict: "skip" });
      expect([read("g"), conflicts.map(({ path: at }) => at)]).toEqual(["one", ["g"]]);
    });
  });

  test("what was reverted is still in the session when that could not be noted", async () => {
    const world = await committed({ f: "old" }, (workspace) => workspace.write("f", "one"));
    const { session, tick, shown, reopen } = world;
    const blocked = path.join(dirOf(world), `${session.record.stack.at(-1)!.name}.base.new`);
    fs.mkdirSync(blocked);
    expect(await session.revert()).toEqual({ reverted: ["f"], changed: [] });
    await tick();
    expect([await seenIn(session, "f"), await shown()]).toEqual(["one", ["modified f"]]);
    fs.rmdirSync(blocked);
    expect(await seenIn(session, "f")).toBe("one");
    session.close();
    expect(await seenIn(await reopen(), "f")).toBe("one");
  });

  test("what a revert took out is in the session again when a revert that failed half-way is recovered", async () => {
    const world = await committed({ f: "old" }, (workspace) => workspace.write("f", "one"));
    const { session, tick, read, place } = world;
    const hindrance = path.join(dirOf(world), "tx/1/undo-1/undo");
    fs.mkdirSync(path.dirname(hindrance));
    fs.writeFileSync(hindrance, "");
    await expect(session.revert()).rejects.toThrow("hotcell session recover");
    await tick();
    expect([read("f"), await seenIn(session, "f")]).toEqual(["old", "old"]);
    fs.rmSync(hindrance);
    expect((await recoverSessions(place)).map(({ result }) => result)).toEqual(["rolled back"]);
    expect([read("f"), await seenIn(session, "f")]).toEqual(["old", "one"]);
  });
});
