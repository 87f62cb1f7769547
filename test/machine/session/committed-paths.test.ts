// Committed paths leave the session: from then on the view shows the project's version.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readJournal } from "../../../src/workspace/commit/journal.ts";
import { revertCommit } from "../../../src/workspace/commit/revert.ts";
import { openRealRoot } from "../../../src/workspace/fs/paths.ts";
import { sessionDir } from "../../../src/workspace/layers/record.ts";
import { unfinishedCommits } from "../../../src/workspace/session/commits.ts";
import { collectGarbage } from "../../../src/workspace/session/registry/gc.ts";
import { recoverSessions } from "../../../src/workspace/session/registry/recover-sessions.ts";
import { openSession } from "../../../src/workspace/session/session.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { interruptCommit } from "../../kit/interrupt-commit.ts";
import { begin } from "../../kit/worlds/session-with-user.ts";
import { STRATEGIES } from "../../kit/worlds/session-world.ts";

const seenIn = (session: Session, at: string) =>
  session.read(async () => session.workspace.read(at).toString());

/** As the previous version noted what it had committed: as the base of the very same layer. */
function rebase(notes: string): void {
  if (!fs.existsSync(notes)) return;
  const { bases, ...others } = JSON.parse(fs.readFileSync(notes, "utf8"));
  const sha256 = createHash("sha256").update("session\n").digest("hex");
  const moved = bases.map(([at, base]: [string, object]) => [at, at === "h" ? base : { ...base, sha256 }]);
  fs.writeFileSync(notes, JSON.stringify({ bases: moved, ...others, moved: ["f", "g"] }));
}

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  test("a deletion below a directory that was committed into, removed and recreated stays in the diff when the user touches the file", async () => {
    const { session, call, edit, shown } = await begin(strategy, { "d/x": "old\n" });
    await call((workspace) => workspace.write("d/z", "committed\n"));
    await session.commit();
    await call((workspace) => workspace.remove("d", { recursive: true }));
    await call((workspace) => workspace.write("d/n", "session\n"));
    await edit("d/x", "old\n");
    expect(await shown()).toEqual(["added d/n", "deleted d/x", "deleted d/z"]);
  });

  test("a file that was committed alone from a directory that the session had removed and recreated stays visible, with the user's edit", async () => {
    const { session, call, edit, read, shown } = await begin(strategy, { "d/x": "old\n" });
    await call((workspace) => workspace.remove("d", { recursive: true }));
    await call((workspace) => {
      for (const at of ["d/z", "d/q"]) workspace.write(at, "session\n");
    });
    await session.commit({ selection: { paths: ["d/z"], hunks: [] } });
    const names = () =>
      session.read(async () => Array.from(session.workspace.walk("d"), ({ path: at }) => at).sort());
    expect([await names(), await seenIn(session, "d/z"), read("d/z")]).toEqual([
      ["d/q", "d/z"],
      "session\n",
      "session\n",
    ]);
    await edit("d/z", "user\n");
    expect([await seenIn(session, "d/z"), await shown()]).toEqual(["user\n", ["added d/q", "deleted d/x"]]);
  });

  test("after an aborted commit, paths below a removed directory are not conflicts", async () => {
    const { session, call, edit, inProject } = await begin(strategy, { "d/a": "old\n", f: "old\n" });
    await call((workspace) => {
      workspace.remove("d", { recursive: true });
      workspace.write("f", "session\n");
    });
    await edit("f", "user\n");
    for (const onConflict of ["abort", "skip"] as const) {
      const { conflicts } = await session.commit({ onConflict });
      expect(conflicts.map(({ path: at }) => at)).toEqual(["f"]);
    }
    expect(fs.existsSync(inProject("d"))).toBe(false);
  });

  test("directories that both made, committed and reverted, are no conflict when the user removes them", async () => {
    const { session, call, inProject, edit, tick, read } = await begin(strategy, {});
    await call((workspace) => workspace.write("n/m/s", "session\n"));
    fs.mkdirSync(inProject("n/m"), { recursive: true });
    await edit("n/m/u", "user\n");
    await session.commit();
    await session.revert();
    fs.rmSync(inProject("n"), { recursive: true });
    await tick();
    expect((await session.commit()).conflicts).toEqual([]);
    expect(read("n/m/s")).toBe("session\n");
  });

  test("a fork keeps what its parent commits and reverts, and shows the project where it has nothing", async () => {
    const { session, call, place, shown } = await begin(strategy, { f: "old\n", g: "old\n" });
    await call((workspace) => workspace.write("f", "session\n"));
    const early = await openSession(await session.fork(), place);
    await session.commit();
    const late = await openSession(await session.fork(), place);
    try {
      await session.revert();
      expect(await shown()).toEqual(["modified f"]);
      expect([await seenIn(early, "f"), await seenIn(late, "f")]).toEqual(["session\n", "old\n"]);
      expect((await early.commit()).conflicts).toEqual([]);
      expect(await seenIn(late, "f")).toBe("session\n");
    } finally {
      early.close();
      late.close();
    }
  });

  test("the rest of a call is rewound, and what was committed of it stays", async () => {
    const { session, call, shown, read } = await begin(strategy, { "d/a": "old\n", "d/b": "old\n" });
    await call((workspace) => {
      for (const at of ["d/a", "d/b", "d/c"]) workspace.write(at, "session\n");
    }, "c1");
    await session.commit({ selection: { paths: ["d/a"], hunks: [] } });
    expect(await shown()).toEqual(["modified d/b", "added d/c"]);
    await session.rewind("c1");
    expect([await shown(), read("d/a"), await seenIn(session, "d/a")]).toEqual([
      [],
      "session\n",
      "session\n",
    ]);
    await session.undoRewind();
    expect(await shown()).toEqual(["modified d/b", "added d/c"]);
  });

  describe("after a revert, a commit", () => {
    test.each([
      ["what the user has put into a removed directory before", ["d/u"]],
      ["what the user has made under a removed name", ["d/x"]],
    ])("does not delete %s", async (_, users) => {
      const { session, call, inProject, edit, read } = await begin(strategy, {
        "d/x": "old\n",
        "d/y": "old\n",
      });
      await call((workspace) => workspace.remove("d", { recursive: true }));
      await session.commit();
      fs.mkdirSync(inProject("d"));
      for (const at of users) await edit(at, "user\n");
      await session.revert();
      await session.commit();
      expect(users.map(read)).toEqual(users.map(() => "user\n"));
      expect(fs.existsSync(inProject("d/y"))).toBe(false);
    });

    test("does not overwrite what the user has written to the replaced file meanwhile", async () => {
      const { session, call, inProject, tick, read } = await begin(strategy, { f: "old\n" });
      const open = fs.openSync(inProject("f"), "a");
      await call((workspace) => workspace.write("f", "session\n"));
      await session.commit();
      fs.writeSync(open, "user\n");
      fs.closeSync(open);
      await tick();
      await session.revert();
      expect((await session.commit()).conflicts).toMatchObject([{ path: "f" }]);
      expect(read("f")).toBe("old\nuser\n");
    });

    test("of a part of a recreated directory has no conflict that nobody has caused", async () => {
      const { session, call, inProject } = await begin(strategy, { "d/x": "old\n", "d/y": "old\n" });
      await call((workspace) => {
        workspace.remove("d", { recursive: true });
        for (const at of ["d/n", "d/m"]) workspace.write(at, `${at}\n`);
      });
      await session.commit({ selection: { paths: ["d/n"], hunks: [] } });
      await session.revert();
      expect(await session.commit()).toMatchObject({ conflicts: [] });
      expect(fs.readdirSync(inProject("d"))).toEqual(["m", "n"]);
    });
  });

  test.each([
    ["is written again if the kill was while changes were written", "applying", true],
    ["stays deleted if all changes were written", "keeping", false],
  ] as const)(
    "a committed file that the user deletes between a kill and the recovery %s",
    async (_, phase, isBack) => {
      const { session, call, place, inProject, shown } = await begin(strategy, { f: "old\n" });
      await call((workspace) => {
        for (const at of ["f", "new"]) workspace.write(at, "session\n");
      });
      const { stateDir } = place;
      const phaseNow = () =>
        unfinishedCommits(sessionDir(stateDir, session.record.id)).map((tx) => readJournal(tx)?.phase)[0];
      await interruptCommit(session, stateDir, () => phaseNow() === phase && fs.existsSync(inProject("new")));
      fs.unlinkSync(inProject("new"));
      await recoverSessions({ stateDir });
      expect(await shown()).toEqual([]);
      expect(fs.existsSync(inProject("new"))).toBe(isBack);
    },
  );

  test("an undo brings back what was reverted since, with what it was rewound with", async () => {
    const { session, call, shown } = await begin(strategy, { a: "old\n", b: "old\n" });
    await call((workspace) => workspace.write("a", "session\n"), "c1");
    await call((workspace) => workspace.write("b", "session\n"), "c2");
    await session.rewind("c2");
    await session.commit();
    await session.revert();
    await session.undoRewind();
    expect(await shown()).toEqual(["modified a", "modified b"]);
  });

  test("an undo after a commit is a conflict with what the user has made where the session had only made and removed something", async () => {
    const { session, call, edit, read } = await begin(strategy, { a: "old\n" });
    const release = session.hold();
    await call((workspace) => {
      for (const at of ["x", "a"]) workspace.write(at, "session\n");
    }, "c1");
    await call((workspace) => workspace.remove("x"), "c1b");
    release();
    await call((workspace) => workspace.write("x", "session\n"), "c2");
    await edit("x", "user\n");
    await session.rewind("c2");
    await session.commit();
    await session.undoRewind();
    expect((await session.commit()).conflicts).toMatchObject([{ path: "x" }]);
    expect(read("x")).toBe("user\n");
  });

  const [FIRST, LAST] = ["first\n", "last\n"];
  const space = "\n".repeat(9);

  test.each(["while a process uses the view", "when it has ended"])(
    "what was merged into the user's version is not overwritten by the next commit, %s",
    async (when) => {
      const { session, call, edit, read } = await begin(strategy, { f: `${FIRST}${space}${LAST}` });
      const release = session.hold();
      await call((workspace) => workspace.write("f", `${FIRST}${space}session\n`));
      await edit("f", `user\n${space}${LAST}`);
      await session.commit({ onConflict: "merge" });
      if (when === "when it has ended") {
        await call((workspace) => workspace.write("f", `${FIRST}${space}session again\n`));
        release();
      }
      expect((await session.commit()).conflicts).toMatchObject([{ path: "f" }]);
      expect(read("f")).toBe(`user\n${space}session\n`);
      release();
    },
  );

  test("a merge that could not be made leaves the session its own version", async () => {
    const { session, call, edit, inProject, shown, read } = await begin(strategy, {
      f: `${FIRST}${space}${LAST}`,
      g: "old\n",
    });
    await call((workspace) => {
      workspace.write("f", `${FIRST}${space}session\n`);
      workspace.write("g", "session\n");
    });
    await edit("f", `user\n${space}${LAST}`);
    let steps = 0;
    const onStep = () => {
      if (steps++ === 0) fs.writeFileSync(inProject("f"), `user again\n${space}${LAST}`);
      if (fs.existsSync(inProject("g")) && read("g") === "session\n")
        fs.writeFileSync(inProject("g"), "user\n");
    };
    const selection = { paths: ["f", "g"], hunks: [] };
    await session.commit({ onConflict: "merge", selection }, { onStep });
    expect(await shown()).toContain("modified f");
    expect(read("f")).toBe(`user again\n${space}${LAST}`);
  });

  test("a commit of a part leaves the removal of what the user has edited since in the diff", async () => {
    const { session, call, edit, shown } = await begin(strategy, { "d/x": "old\n", "d/y": "old\n" });
    await call((workspace) => {
      workspace.remove("d", { recursive: true });
      workspace.write("d/n", "session\n");
    });
    await edit("d/x", "user\n");
    await session.commit({ selection: { paths: ["d/n"], hunks: [] } });
    expect(await shown()).toEqual(["deleted d/x", "deleted d/y"]);
  });

  test("secrets that the session has made stay in it when all else is committed", async () => {
    const { session, call } = await begin(strategy, {});
    await call(() => {
      for (const at of [".env", "a"]) fs.writeFileSync(`/proc/self/fd/${session.view.fd}/${at}`, "session\n");
    });
    expect((await session.commit()).committed).toEqual(["a"]);
    const names = () => fs.readdirSync(`/proc/self/fd/${session.view.fd}`).sort();
    expect(names()).toEqual([".env", "a"]);
  });

  test("a session that has nothing but a secret is not garbage", async () => {
    const { session, call, place } = await begin(strategy, {});
    await call(() => fs.writeFileSync(`/proc/self/fd/${session.view.fd}/.env`, "session\n"));
    session.close();
    expect((await collectGarbage(place)).removed).toEqual([]);
  });

  test("a name like those of hotcell's own temporary files is no change, and hinders no commit", async () => {
    const { session, call, inProject, read } = await begin(strategy, {});
    fs.writeFileSync(inProject(".hotcell-tmp-of-the-project"), "old\n");
    await call(() => {
      for (const at of [".hotcell-tmp-x", ".hotcell-tmp-of-the-project", "a"])
        fs.writeFileSync(`/proc/self/fd/${session.view.fd}/${at}`, "session\n");
    });
    expect((await session.commit()).committed).toEqual(["a"]);
    expect(read(".hotcell-tmp-of-the-project")).toBe("old\n");
  });

  describe("a session of the previous version", () => {
    /** Its committed files are still in its layers, and its record counts its commits. */
    async function previous(after: (world: Awaited<ReturnType<typeof begin>>) => Promise<void>) {
      const world = await begin(strategy, { f: "old\n", g: "old\n", h: "old\n" });
      const { session, call, place } = world;
      await call((workspace) => {
        for (const at of ["f", "g", "h"]) workspace.write(at, "session\n");
      }, "c1");
      await session.checkpoint();
      session.close();
      const dir = path.join(place.stateDir, "sessions", session.record.id);
      const kept = `${dir}-kept`;
      fs.mkdirSync(kept);
      const layers = fs.readdirSync(dir).filter((name) => /^(\d+(\..*)?|base|session\.json)$/.test(name));
      for (const name of layers) execFileSync("cp", ["-a", path.join(dir, name), kept]);
      const committing = await world.reopen();
      await committing.commit({ selection: { paths: ["f", "g"], hunks: [] } });
      committing.close();
      for (const name of layers) {
        fs.rmSync(path.join(dir, name), { recursive: true, force: true });
        fs.renameSync(path.join(kept, name), path.join(dir, name));
      }
      const file = path.join(dir, "session.json");
      const { settled: _, ...record } = JSON.parse(fs.readFileSync(file, "utf8"));
      fs.writeFileSync(file, JSON.stringify({ ...record, version: 1, commits: 1, reverts: { 1: 0 } }));
      await after(world);
      return { ...world, session: await world.reopen() };
    }

    test("opens: what it has committed leaves, an edit of the user's there is seen, and the rest is still its own", async () => {
      const { session, read } = await previous(({ edit }) => edit("f", "user\n"));
      expect(session.record.version).toBe(2);
      const changes = () => session.diff(({ shown }) => shown.map(({ path: at }) => at));
      expect([await changes(), await seenIn(session, "f"), await seenIn(session, "g")]).toEqual([
        ["h"],
        "user\n",
        "session\n",
      ]);
      expect(await session.commit()).toMatchObject({ committed: ["h"], conflicts: [] });
      expect(["f", "g", "h"].map(read)).toEqual(["user\n", "session\n", "session\n"]);
    });

    test("is based on what is in the project where its commit was reverted", async () => {
      const { session } = await previous(async ({ session: made, place }) => {
        const dir = path.join(place.stateDir, "sessions", made.record.id);
        const record = JSON.parse(fs.readFileSync(path.join(dir, "session.json"), "utf8"));
        for (const { name } of record.stack) rebase(path.join(dir, `${name}.base`));
        const project = openRealRoot(made.record.workspace);
        await revertCommit(path.join(dir, "tx/1"), project);
        fs.closeSync(project.fd);
      });
      expect(await session.diff(({ shown }) => shown.map(({ path: at }) => at))).toEqual(["f", "g", "h"]);
      expect(await session.commit()).toMatchObject({ committed: ["f", "g", "h"], conflicts: [] });
    });

    test("reverts its commit, and what that took out is in the session", async () => {
      const { session, read } = await previous(async () => {});
      expect((await session.revert()).reverted).toEqual(["f", "g"]);
      expect([read("f"), await seenIn(session, "f")]).toEqual(["old\n", "session\n"]);
      expect(await session.commit()).toMatchObject({ committed: ["f", "g", "h"], conflicts: [] });
    });
  });
});
