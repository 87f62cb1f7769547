// What was committed has left the session: from then on the project alone says what is there.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openSession } from "../../src/workspace/session/session.ts";
import type { Session } from "../../src/workspace/session/session-words.ts";
import { begin } from "../kit/session-with-user.ts";
import { STRATEGIES } from "../kit/session-world.ts";

const seenIn = (session: Session, at: string) =>
  session.read(async () => session.workspace.read(at).toString());

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  test("a deletion below a directory that was committed into, removed and made anew stays in the diff when the user touches the file", async () => {
    const { session, call, edit, shown } = await begin(strategy, { "d/x": "old\n" });
    await call((workspace) => workspace.write("d/z", "committed\n"));
    await session.commit();
    await call((workspace) => workspace.remove("d", { recursive: true }));
    await call((workspace) => workspace.write("d/n", "session\n"));
    await edit("d/x", "old\n");
    expect(await shown()).toEqual(["added d/n", "deleted d/x", "deleted d/z"]);
  });

  test("after a commit that was given up, what is below a removed directory is no conflict", async () => {
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

    test("reverts its commit, and what that took out is in the session", async () => {
      const { session, read } = await previous(async () => {});
      expect((await session.revert()).reverted).toEqual(["f", "g"]);
      expect([read("f"), await seenIn(session, "f")]).toEqual(["old\n", "session\n"]);
      expect(await session.commit()).toMatchObject({ committed: ["f", "g", "h"], conflicts: [] });
    });
  });
});
