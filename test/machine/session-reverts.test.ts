// A revert that a session stands on is over: what a user does later is the user's, also when it looks like the revert's.
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { begin } from "../kit/session-with-user.ts";
import { STRATEGIES } from "../kit/session-world.ts";

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
