// A person and a session at the same files: no edit is lost, and nothing is called a conflict that is none.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createSession } from "../../../src/workspace/session/create-session.ts";
import { collectGarbage } from "../../../src/workspace/session/registry/gc.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { begin } from "../../kit/worlds/session-with-user.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

test("what the last background process changes while a call begins is no conflict", async () => {
  // So long is looked at what was there before that others have their turn.
  const { session } = await begin("kernel", { x: "old\n", big: "x".repeat(64 * 1024 ** 2) });
  const leave = session.hold();
  session.workspace.append("big", "more");
  const calling = session.change({ id: "c", tool: "test" }, async () => session.workspace.write("z", "z"));
  for (let turn = 0; turn < 3; turn++) await setImmediate();
  session.workspace.write("x", "new\n");
  leave();
  await calling;
  const { conflicts } = await session.plan();
  expect(conflicts.map(({ path: at }) => at)).not.toContain("x");
});

/** A session that removed a directory and made a file, and whose commit the user's file of the same name rolled back. */
async function rollBack(strategy: "kernel" | "clone") {
  const world = await begin(strategy, { "d/e/x": "x\n", "d/y": "y\n", f: "f\n" });
  const { session, call, inProject } = world;
  await call((workspace) => {
    workspace.remove("d", { recursive: true });
    workspace.write("new", "agent\n");
  });
  const onStep = () => {
    if (!fs.existsSync(inProject("d")) && !fs.existsSync(inProject("new")))
      fs.writeFileSync(inProject("new"), "user\n");
  };
  expect(await session.commit({}, { onStep })).toMatchObject({ committed: [], conflicts: [{ path: "new" }] });
  expect([world.read("d/e/x"), world.read("d/y"), world.read("new")]).toEqual(["x\n", "y\n", "user\n"]);
  fs.unlinkSync(inProject("new"));
  return world;
}

describe.each(["kernel", "clone"] as const)("with the strategy %s", (strategy) => {
  test.each([false, true])(
    "what a roll-back put back is no conflict (session opened again: %s)",
    async (again) => {
      const { session: first, reopen, inProject } = await rollBack(strategy);
      if (again) first.close();
      const session = again ? await reopen() : first;
      expect(await session.commit()).toMatchObject({ conflicts: [], skipped: [] });
      expect(fs.readdirSync(inProject(".")).sort()).toEqual(["f", "new"]);
    },
  );

  test("what the user changes after a roll-back is a conflict, and nothing else", async () => {
    const { session, call, edit, read } = await rollBack(strategy);
    await edit("d/y", "user\n");
    await call((workspace) => workspace.write("f", "agent\n"));
    const { conflicts } = await session.commit();
    expect(conflicts.map(({ path: at, reason }) => [at, reason])).toEqual([
      ["d/y", "changed in the project"],
    ]);
    expect(read("d/y")).toBe("user\n");
  });

  test("a file that the user makes in a removed and recreated directory during a commit that is rolled back is kept, and no conflict", async () => {
    const { session, call, inProject, tick, read } = await begin(strategy, { "d/x": "x\n" });
    await call((workspace) => {
      workspace.remove("d", { recursive: true });
      for (const at of ["d/n", "new"]) workspace.write(at, "agent\n");
    });
    const onStep = () => {
      if (fs.existsSync(inProject("d/x")) || fs.existsSync(inProject("new"))) return;
      fs.mkdirSync(inProject("d"), { recursive: true });
      for (const at of ["d/u", "new"]) fs.writeFileSync(inProject(at), "user\n");
    };
    expect((await session.commit({}, { onStep })).committed).toEqual([]);
    expect(["d/u", "d/x"].map(read)).toEqual(["user\n", "x\n"]);
    fs.unlinkSync(inProject("new"));
    await tick();
    expect(await session.commit()).toMatchObject({ committed: ["d/n", "d/x", "new"], conflicts: [] });
    expect([fs.readdirSync(inProject("d")).sort(), read("d/u")]).toEqual([["n", "u"], "user\n"]);
  });

  test("an edit made while a call changed the same file stays a conflict after later calls", async () => {
    const { session, call, inProject, read } = await begin(strategy, { f: "one\n" });
    await call((workspace) => {
      workspace.write("f", "agent\n");
      fs.writeFileSync(inProject("f"), "user\n");
    });
    await call((workspace) => workspace.write("f", "agent again\n"));
    expect(await session.commit()).toMatchObject({ tx: null, conflicts: [{ path: "f" }] });
    expect(read("f")).toBe("user\n");
  });

  test("an edit in a directory that was removed is not lost when the directory is recreated", async () => {
    const { session, call, edit, read } = await begin(strategy, { "top/d/f": "one\n" });
    await call((workspace) => workspace.remove("top", { recursive: true }));
    await edit("top/d/f", "user\n");
    await call((workspace) => workspace.write("top/d/new", "agent\n"));
    await session.commit({ onConflict: "skip" });
    expect(read("top/d/f")).toBe("user\n");
  });

  test("an edit made after a commit, and found by its revert, is not overwritten by the next commit", async () => {
    const { session, call, edit, read } = await begin(strategy, { f: "one\n" });
    await call((workspace) => workspace.write("f", "agent\n"));
    await session.commit();
    await edit("f", "user\n");
    expect(await session.revert()).toEqual({ reverted: [], changed: ["f"] });
    await session.commit();
    expect(read("f")).toBe("user\n");
  });

  test("an edit made between a commit that was cut off and the next open is not overwritten", async () => {
    const { session, call, edit, read, place, reopen } = await begin(strategy, { f: "one\n" });
    await call((workspace) => workspace.write("f", "agent\n"));
    const file = path.join(place.stateDir, "sessions", session.record.id, "session.json");
    const record = fs.readFileSync(file);
    await session.commit();
    session.close();
    fs.writeFileSync(file, record);
    await edit("f", "user\n");
    await (await reopen()).commit();
    expect(read("f")).toBe("user\n");
  });

  test("what was committed follows the project when somebody edits it there", async () => {
    const { session, call, edit, shown } = await begin(strategy, { f: "one\n" });
    await call((workspace) => workspace.write("f", "agent\n"));
    await session.commit();
    await edit("f", "user\n");
    expect(await session.read(async () => session.workspace.read("f").toString())).toBe("user\n");
    expect(await shown()).toEqual([]);
  });

  test("a file that a user adds to a recreated and committed directory belongs to no call", async () => {
    const { session, call, edit } = await begin(strategy, { "d/x": "x\n" });
    await call((workspace) => workspace.remove("d", { recursive: true }));
    await call((workspace) => workspace.write("d/x", "agent\n"));
    await session.commit();
    await call((workspace) => workspace.write("last", "agent\n"), "last");
    await edit("d/new", "user\n");
    expect(await session.read(async () => session.workspace.read("d/new").toString())).toBe("user\n");
    expect(await session.diff(({ shown }) => shown.map(({ path: at }) => at), { call: "last" })).toEqual([
      "last",
    ]);
  });

  test("a directory that becomes a file is committed without a conflict", async () => {
    const { session, call, read } = await begin(strategy, { "d/x": "x\n", "d/y": "y\n" });
    await call((workspace) => {
      workspace.remove("d", { recursive: true });
      workspace.write("d", "file\n");
    });
    expect(await session.commit()).toMatchObject({ conflicts: [] });
    expect(read("d")).toBe("file\n");
  });

  test("a file that the user adds to a directory in which the session works is not the session's to remove", async () => {
    const { session, call, edit, shown, read } = await begin(strategy, { "d/x": "x\n" });
    await call((workspace) => workspace.write("d/new", "agent\n"));
    await edit("d/mine", "user\n");
    expect(await shown()).toEqual(["added d/new"]);
    await session.commit({ onConflict: "ours" });
    expect(read("d/mine")).toBe("user\n");
  });

  test("the mode that the user gives a directory stays, also when files come into it during a call", async () => {
    const { session, call, inProject } = await begin(strategy, { "d/x": "x\n" });
    await call((workspace) => {
      workspace.write("d/x", "agent\n");
      fs.writeFileSync(inProject("d/mine"), "");
    });
    fs.chmodSync(inProject("d"), 0o700);
    await session.commit();
    expect(fs.statSync(inProject("d")).mode & 0o777).toBe(0o700);
  });

  test("an edit that a commit left as a conflict stays one after later calls in the same directory", async () => {
    const { session, call, edit, read } = await begin(strategy, { "d/sub/f": "1\n", "d/a": "1\n" });
    await call((workspace) => {
      workspace.remove("d/sub", { recursive: true });
      workspace.chmod("d", 0o750);
    });
    await edit("d/sub/f", "user\n");
    await session.commit({ onConflict: "skip" });
    await call((workspace) => workspace.write("d/new", "agent\n"));
    expect(await session.commit()).toMatchObject({ conflicts: [{ path: "d/sub/f" }] });
    expect(read("d/sub/f")).toBe("user\n");
  });

  test("a file that the session can't see, in a directory that it made itself, is not removed with it", async () => {
    const { session, call, inProject, edit, read } = await begin(strategy, { "d/f": "f\n", "d/e/h": "h\n" });
    await call((workspace) => workspace.remove("d/e", { recursive: true }));
    await session.commit();
    await call((workspace) => workspace.write("d/e/k", "agent\n"));
    fs.mkdirSync(inProject("d/e"));
    await edit("d/e/h", "user\n");
    await call((workspace) => workspace.remove("d", { recursive: true }));
    await session.commit({ onConflict: "skip" });
    expect(read("d/e/h")).toBe("user\n");
  });

  test("a rewind that is undone can be done again with what was made in between", async () => {
    const { session, call } = await begin(strategy, {});
    await call((workspace) => workspace.write("first", ""), "c1");
    await session.rewind("c1");
    await call((workspace) => workspace.write("second", ""), "c2");
    const names = () => session.workspace.list(".").entries.map(({ name }) => name);
    await session.undoRewind();
    expect(names()).toEqual(["first"]);
    await session.undoRewind();
    expect(names()).toEqual(["second"]);
  });

  test("the committed version, from whichever call, is the base for merges of later edits on both sides", async () => {
    const text = (at: string, first: string, last: string) => `${first}\n\n\nof ${at}\n\n\n${last}\n`;
    const { session, call, inProject, read, tick } = await begin(strategy, { e: "old\n", f: "old\n" });
    await call((workspace) => workspace.write("e", text("e", "1", "2")), "first");
    await call((workspace) => workspace.write("f", text("f", "1", "2")), "second");
    await session.commit();
    await call((workspace) => {
      for (const at of ["e", "f"]) workspace.write(at, text(at, "1", "agent"));
    }, "third");
    for (const at of ["e", "f"]) fs.writeFileSync(inProject(at), text(at, "user", "2"));
    await tick();
    expect(await session.commit({ onConflict: "merge" })).toMatchObject({ committed: ["e", "f"] });
    expect([read("e"), read("f")]).toEqual([text("e", "user", "agent"), text("f", "user", "agent")]);
  });

  test("a path in a directory that was removed and recreated is still deleted when its call is rewound", async () => {
    const { session, call, shown } = await begin(strategy, { "a/x": "" });
    session.workspace.remove("a", { recursive: true });
    await call((workspace) => workspace.mkdir("a"));
    await session.rewind("c", ["a/x"]);
    expect(await shown()).toEqual(["deleted a/x"]);
  });

  test("a user's edit of a file that was committed into a recreated directory is visible in the session", async () => {
    const { session, call, edit, shown } = await begin(strategy, { "a/x": "old\n", "a/y": "" });
    await call((workspace) => workspace.remove("a", { recursive: true }), "c1");
    await call((workspace) => {
      workspace.mkdir("a");
      workspace.write("a/x", "agent\n");
    }, "c2");
    await session.commit();
    for (const text of ["user\n", "user again\n"]) {
      await edit("a/x", text);
      await call(() => {});
      expect(session.workspace.read("a/x").toString()).toBe(text);
    }
    expect(await shown()).toEqual([]);
  });

  test("the revert of a mode is no failure where the user has removed the file since", async () => {
    const { session, call, inProject, tick } = await begin(strategy, { "d/f": "one\n" });
    await call((workspace) => workspace.chmod("d/f", 0o755));
    await session.commit();
    fs.unlinkSync(inProject("d/f"));
    await tick();
    expect(await session.revert()).toEqual({ reverted: [], changed: ["d/f"] });
  });

  test("a file that the user removed does not come back because another was renamed onto it", async () => {
    const { session, call, inProject, tick } = await begin(strategy, { "d/f": "one\n", other: "two\n" });
    await call((workspace) => workspace.rename("other", "d/f"));
    fs.unlinkSync(inProject("d/f"));
    await tick();
    expect(await session.commit({ onConflict: "skip" })).toMatchObject({ conflicts: [{ path: "d/f" }] });
    expect(fs.existsSync(inProject("d/f"))).toBe(false);
  });

  test("what the user removes while a call changes only the mode of its directory is not added by the session", async () => {
    const { session, call, inProject, shown } = await begin(strategy, { "d/f": "one\n" });
    await call((workspace) => {
      workspace.chmod("d", 0o700);
      fs.rmSync(inProject("d"), { recursive: true });
    });
    expect(await shown()).toEqual(["added d"]);
    await session.commit({ onConflict: "ours" });
    expect(fs.readdirSync(inProject("d"))).toEqual([]);
  });

  test("what is removed outside a call after a commit of what was there is no conflict", async () => {
    const { session, call } = await begin(strategy, { "d/x": "one\n" });
    await call((workspace) => {
      workspace.mkdir("d/made");
      workspace.write("new", "agent\n");
    });
    await session.checkpoint();
    await session.commit();
    session.workspace.remove("d", { recursive: true });
    await call(() => {});
    expect(await session.commit()).toMatchObject({ conflicts: [] });
  });

  test("a file that the user creates during a commit in a directory that the session has recreated is visible afterwards", async () => {
    const { session, call, inProject, tick, shown } = await begin(strategy, { "d/x": "one\n", "d/y": "y\n" });
    await call((workspace) => workspace.remove("d", { recursive: true }));
    await session.commit();
    await call((workspace) => workspace.write("d/x", "agent\n"));
    const onProgress = () => {
      fs.mkdirSync(inProject("d"), { recursive: true });
      fs.writeFileSync(inProject("d/new"), "user\n");
    };
    await session.commit({ onConflict: "skip" }, { onProgress });
    await tick();
    expect(await shown()).toEqual([]);
    const names = await session.read(async () => session.workspace.list("d").entries.map(({ name }) => name));
    expect(names).toEqual(["new", "x"]);
  });

  test("a file that an aborted merge has restored stays deleted in the session", async () => {
    const lines = (first: string, last: string) => `${first}\n${"x\n".repeat(20)}${last}\n`;
    const files = { m: lines("1", "2"), "d/x": "one\n", "d/y": "y\n", "d/z": "z\n" };
    const { session, call, inProject, edit, read, shown, tick } = await begin(strategy, files);
    await call((workspace) => {
      workspace.remove("d", { recursive: true });
      workspace.write("d/x", "agent\n");
    });
    await session.commit({ selection: { paths: ["d/x"], hunks: [] } });
    await tick();
    await call((workspace) => workspace.write("m", lines("one", "2")));
    await edit("m", lines("1", "two"));
    const late = [
      { when: () => true, edit: () => fs.writeFileSync(inProject("d/z"), "user\n") },
      { when: () => read("m").startsWith("one"), edit: () => fs.appendFileSync(inProject("m"), "user\n") },
    ];
    const onProgress = () => {
      if (late[0]?.when()) late.shift()!.edit();
    };
    await session.commit({ onConflict: "merge" }, { onProgress });
    await tick();
    expect(late).toEqual([]);
    expect(fs.readdirSync(inProject("d"))).toEqual(["x", "y", "z"]);
    expect(await shown()).toEqual(expect.arrayContaining(["deleted d/y", "deleted d/z"]));
  });

  test("where the user has made all of the session's change and another, a merge settles it", async () => {
    const lines = (first: string, last: string) => `${first}\n${"x\n".repeat(20)}${last}\n`;
    const { session, call, inProject, tick, shown } = await begin(strategy, { f: lines("1", "2") });
    await call((workspace) => workspace.write("f", lines("one", "2")));
    fs.writeFileSync(inProject("f"), lines("one", "mine"));
    await tick();
    expect(await session.commit()).toMatchObject({ conflicts: [{ path: "f", resolution: "none" }] });
    expect(await session.commit({ onConflict: "merge" })).toMatchObject({
      committed: [],
      conflicts: [{ path: "f", resolution: "merged" }],
    });
    expect(await shown()).toEqual([]);
    expect(session.workspace.read("f").toString()).toBe(lines("one", "mine"));
    expect(await session.commit()).toMatchObject({ committed: [], conflicts: [] });
    expect(fs.readFileSync(inProject("f"), "utf8")).toBe(lines("one", "mine"));
  });

  test("a directory that the user removes after a commit is gone in the session too", async () => {
    const { session, call, inProject, tick, shown } = await begin(strategy, { "d/f": "one\n" });
    await call((workspace) => {
      workspace.write("d/f", "agent\n");
      workspace.mkdir("made");
    });
    await session.commit();
    for (const name of ["d", "made"]) fs.rmSync(inProject(name), { recursive: true });
    await tick();
    await call(() => {});
    expect(session.workspace.list(".").entries).toEqual([]);
    expect(await shown()).toEqual([]);
  });

  test("a call whose changes were all committed can't be rewound, and the error leads to the revert", async () => {
    const { session, call, read } = await begin(strategy, { f: "old\n" });
    await call((workspace) => workspace.write("f", "first\n"), "c1");
    await session.commit();
    await expect(session.rewind("c1")).rejects.toThrow("hotcell session revert");
    expect(read("f")).toBe("first\n");
  });

  test("a rewind to before a commit leaves what was committed, and says which commits that are", async () => {
    const { session, call, read, shown } = await begin(strategy, { f: "old\n", g: "old\n" });
    await call((workspace) => {
      for (const at of ["f", "g"]) workspace.write(at, "first\n");
    }, "c1");
    await session.commit({ selection: { paths: ["f"], hunks: [] } });
    await call((workspace) => workspace.write("f", "second\n"), "c2");
    expect(await session.rewind("c1")).toEqual({ commits: ["1"] });
    expect(await shown()).toEqual([]);
    expect(["f", "g"].map(read)).toEqual(["first\n", "old\n"]);
    await session.revert("1");
    expect(await session.rewind("c2").catch((error: Error) => error.message)).toContain("no call");
    expect(read("f")).toBe("old\n");
  });

  test.each([
    ["with an edit of the user's before it", "user\n"],
    ["of the session alone", null],
  ])("what an undo brings back is a conflict with what was committed meanwhile, %s", async (_, users) => {
    const { session, call, edit, read } = await begin(strategy, { f: "old\n" });
    await call((workspace) => workspace.write("f", "first\n"), "c1");
    await session.rewind("c1");
    if (users !== null) await edit("f", users);
    await call((workspace) => workspace.write("f", "second\n"), "c2");
    await session.commit();
    await session.undoRewind();
    expect(await session.commit()).toMatchObject({ conflicts: [{ path: "f" }] });
    expect(read("f")).toBe("second\n");
  });

  test("a file that the user adds to a recreated and committed directory is visible, with its later edits", async () => {
    const { session, call, inProject, edit, tick, shown } = await begin(strategy, { "a/x": "old\n" });
    await call((workspace) => workspace.remove("a", { recursive: true }), "c1");
    await call((workspace) => workspace.write("a/y", "agent\n"), "c2");
    await session.commit();
    fs.mkdirSync(inProject("a/d"));
    await edit("a/d/mine", "user\n");
    await call((workspace) => workspace.write("a/y", "agent again\n"), "c3");
    expect(session.workspace.read("a/d/mine").toString()).toBe("user\n");
    await edit("a/d/mine", "user again\n");
    expect(await shown()).toEqual(["modified a/y"]);
    fs.unlinkSync(inProject("a/d/mine"));
    await tick();
    expect(await session.commit()).toMatchObject({ committed: ["a/y"], conflicts: [] });
  });

  test("a rewind can be undone also when a user's edit was taken in since", async () => {
    const { session, call, edit } = await begin(strategy, { f: "old\n" });
    await call((workspace) => workspace.write("f", "agent\n"), "c1");
    await session.commit();
    await call((workspace) => workspace.write("g", "agent\n"), "c2");
    await session.rewind("c2");
    await edit("f", "user\n");
    await session.read(async () => {});
    await session.undoRewind();
    expect(session.workspace.read("g").toString()).toBe("agent\n");
  });

  test("a file that came with a directory, moved while a call wrote there, is not overwritten", async () => {
    const { session, call, inProject, read } = await begin(strategy, { "b/f": "user\n" });
    await call((workspace) => {
      fs.renameSync(inProject("b"), inProject("a"));
      workspace.write("a/f", "agent\n");
    });
    expect(await session.commit()).toMatchObject({ tx: null, conflicts: [{ path: "a/f" }] });
    expect(read("a/f")).toBe("user\n");
  });

  test.each<[what: string, work: (workspace: Session["workspace"]) => void]>([
    ["removed", (workspace) => workspace.remove("d", { recursive: true })],
    [
      "recreated",
      (workspace) => {
        workspace.remove("d", { recursive: true });
        workspace.mkdir("d");
        workspace.write("d/f", "session\n");
      },
    ],
    ["renamed", (workspace) => workspace.rename("d", "e")],
  ])("a directory that a user puts in place of one that the session has %s is his", async (_, work) => {
    const files = { "d/f": "old\n", "other/f": "user\n", "other/g": "user\n" };
    const { session, call, inProject, read, tick } = await begin(strategy, files);
    await call((workspace) => {
      work(workspace);
      fs.renameSync(inProject("d"), inProject("../away"));
      fs.renameSync(inProject("other"), inProject("d"));
    });
    await tick();
    await session.commit({ onConflict: "skip" });
    expect([read("d/f"), read("d/g")]).toEqual(["user\n", "user\n"]);
  });

  test("a directory that was away when the session removed another in its place is not removed", async () => {
    const { session, call, inProject, read, tick } = await begin(strategy, { "d/f": "A\n", "o/f": "B\n" });
    await call((workspace) => workspace.write("d/x", "x"));
    fs.renameSync(inProject("d"), inProject("../away"));
    fs.renameSync(inProject("o"), inProject("d"));
    await tick();
    await call((workspace) => workspace.remove("d", { recursive: true }));
    fs.renameSync(inProject("d"), inProject("../removed"));
    fs.renameSync(inProject("../away"), inProject("d"));
    await tick();
    await session.commit({ onConflict: "skip" });
    expect(read("d/f")).toBe("A\n");
  });

  describe("a commit that settles a conflict", () => {
    const OLD = "first\n\n\n\n\n\n\nlast\n";
    const [MINE, THEIRS] = [OLD.replace("first", "session"), OLD.replace("last", "user")];
    const BOTH = MINE.replace("last", "user");

    async function settled(onConflict: "merge" | "ours") {
      const world = await begin(strategy, { f: OLD });
      await world.call((workspace) => workspace.write("f", MINE));
      await world.edit("f", THEIRS);
      await world.session.commit({ onConflict });
      await world.tick();
      return world;
    }

    test("by merging shows the session what it merged, and the next commit leaves that", async () => {
      const { session, call, read, shown } = await settled("merge");
      expect(await session.read(async () => session.workspace.read("f").toString())).toBe(BOTH);
      expect(await shown()).toEqual([]);
      await call((workspace) => workspace.append("f", "more\n"));
      const { conflicts } = await session.commit();
      expect([read("f"), conflicts]).toEqual([`${BOTH}more\n`, []]);
    });

    test.each(["merge", "ours"] as const)("by %s, and is reverted, leaves it a conflict", async (how) => {
      const { session, read } = await settled(how);
      await session.revert();
      const { conflicts } = await session.commit();
      expect(conflicts.map(({ path: at, resolution }) => [at, resolution])).toEqual([["f", "none"]]);
      expect(read("f")).toBe(THEIRS);
      const text = await session.read(async () => session.workspace.read("f").toString());
      expect(text).toBe(how === "merge" ? BOTH : MINE);
    });

    const [space, user] = ["\n".repeat(20), "user\n"];
    /** The first of the session's two hunks is committed into what the user has made of the file. */
    const withOneHunk = async () => {
      const world = await begin(strategy, { f: `first\n${space}middle\n${space}last\n` });
      const { session, call, edit } = world;
      await call((workspace) => workspace.write("f", `S1\n${space}S2\n${space}last\n`));
      await edit("f", `first\n${space}middle\n${space}${user}`);
      const [hunk] = await session.diff(({ changes }) => changes[0]!.hunks!.map(({ id }) => id));
      await session.commit({ onConflict: "merge", selection: { paths: [], hunks: [hunk!] } });
      return world;
    };

    test("for some hunks alone does not give up what it merged them with in the next", async () => {
      const { session, read } = await withOneHunk();
      expect(read("f")).toBe(`S1\n${space}middle\n${space}${user}`);
      const { conflicts } = await session.commit();
      expect([read("f"), conflicts.length]).toEqual([`S1\n${space}middle\n${space}${user}`, 1]);
    });

    test.each(["at once", "after others", "in a session opened again"])(
      "for some hunks alone leaves the rest a conflict when the user takes one out, %s",
      async (when) => {
        const { session, call, edit, read, reopen } = await withOneHunk();
        await edit("f", `first\n${space}middle\n${space}${user}`);
        if (when === "after others") await call((workspace) => workspace.write("other", "x\n"));
        const isAgain = when === "in a session opened again";
        if (isAgain) session.close();
        const later = isAgain ? await reopen() : session;
        expect(await later.commit({ onConflict: "merge" })).toMatchObject({
          conflicts: [{ path: "f", resolution: "none" }],
        });
        expect(read("f")).toBe(`first\n${space}middle\n${space}${user}`);
      },
    );
  });

  test("calls with the same id differ by their number", async () => {
    const { session, call } = await begin(strategy, {});
    for (const name of ["a", "b", "c"]) await call((workspace) => workspace.write(name, ""), "call_0");
    const changed = await session.diff(({ shown }) => shown.map(({ path: at }) => at), { call: "#2" });
    expect(changed).toEqual(["b"]);
    await session.rewind("call_0");
    expect(session.workspace.list(".").entries.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("secrets do not come into the view when a directory is restored from the project", async () => {
    const { session, call } = await begin(strategy, { "top/d/a": "a\n", "top/d/.env": "KEY=1" });
    await session.hideSecrets();
    await call((workspace) => {
      workspace.write("top/d/a", "agent\n");
      fs.rmSync(`/proc/self/fd/${session.view.fd}/top`, { recursive: true });
    });
    await session.discard(["top/d"]);
    expect(fs.readdirSync(`/proc/self/fd/${session.view.fd}/top/d`)).toEqual(["a"]);
  });
});

test("gc keeps a session that was used during its check, and a rewind that can be undone", async () => {
  const { session, place, reopen } = await begin("kernel", {});
  session.close();
  const makeOther = async () => {
    const other = await createSession(session.record.workspace, place);
    await other.change({ id: "c", tool: "test" }, async () => other.workspace.write("x", ""));
    return other;
  };
  const rewound = await makeOther();
  await rewound.rewind("c");
  rewound.close();
  (await makeOther()).close();
  let used: Promise<void> | null = null;
  const use = async () => {
    const again = await reopen();
    await again.change({ id: "c", tool: "test" }, async () => again.workspace.write("work", ""));
    again.close();
  };
  const protectionWhileUsed = (at: string) => {
    used ??= use();
    return place.protectionOf(at);
  };
  const { removed } = await collectGarbage({ ...place, protectionOf: protectionWhileUsed });
  await used;
  expect([removed, used === null]).toEqual([[], false]);
});

test.runIf(IS_ROOT).each(["tmpfs", "bind"])(
  "what is mounted in the project (%s) is not gone because the view does not show it",
  (kind) => {
    const child = path.join(import.meta.dirname, "../../kit/children/session-mounts-child.mjs");
    const args = ["--mount", "--propagation", "private", process.execPath, child, tempDir(), kind];
    expect(JSON.parse(execFileSync("unshare", args, { encoding: "utf8" }))).toEqual([
      ["added a mount/new"],
      ["new", "precious"],
    ]);
  },
);
