import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { layOutScene } from "../../../test/kit/worlds/commit-scene.ts";
import { type CommitWorld, makeCommitWorld } from "../../../test/kit/worlds/commit-world.ts";
import { HotcellError } from "../../core/errors.ts";
import { committedPaths, isUnfinished, readJournal, writeJournal } from "./journal.ts";

let world: CommitWorld;
beforeEach(() => {
  world = makeCommitWorld();
});
afterEach(() => world.remove());

const inProject = (at: string): string => path.join(world.project.path, at);
const inView = (at: string): string => path.join(world.view.path, at);

describe("a commit", () => {
  test("brings everything over, leaves nothing of its own behind, and tells what it did", async () => {
    layOutScene(world);
    const changes = world.changes().map(({ path: at }) => at);
    expect(await world.commit()).toEqual({ tx: "1", committed: changes, skipped: [], conflicts: [] });
    expect(world.tree("project")).toEqual(world.tree("view"));
    expect(fs.readdirSync(world.txDir).sort()).toEqual(["journal.json", "steps.json", "undo"]);
    expect(await world.recover()).toBe("none");
  });

  test("of nothing makes no transaction", async () => {
    world.begin({ a: "file 644 a" });
    expect(await world.commit()).toEqual({ tx: null, committed: [], skipped: [], conflicts: [] });
    expect(fs.existsSync(world.txDir)).toBe(false);
  });

  test("keeps the time of the session's file", async () => {
    world.change("view", { f: "file 644 x" });
    fs.utimesSync(inView("f"), 1_000_000_000, 1_000_000_000.25);
    await world.commit();
    expect(fs.statSync(inProject("f")).mtimeMs).toBe(1_000_000_000_250);
  });

  test("takes names of any bytes", async () => {
    const odd = Buffer.concat([Buffer.from(`${world.view.path}/`), Buffer.from([0xff, 0x0a, 0x5c, 0x27])]);
    fs.writeFileSync(odd, "odd");
    expect((await world.commit()).committed).toEqual(["\uDCFF\n\\'"]);
    expect(fs.readdirSync(world.project.path, { encoding: "buffer" })).toEqual([
      Buffer.from([0xff, 0x0a, 0x5c, 0x27]),
    ]);
  });

  test("tells how far it is, from staging to the end", async () => {
    world.change("view", { a: "file 644 a", b: "file 644 b" });
    const told: [number, number][] = [];
    await world.apply(world.plan(), { onProgress: (done, total) => told.push([done, total]) });
    expect(told).toEqual([
      [1, 4],
      [2, 4],
      [3, 4],
      [4, 4],
    ]);
  });

  test("of many files lets others have their turn, while it stages and while it applies", async () => {
    const count = 100;
    const files = Array.from({ length: count }, (_, index) => [`d/${index}`, "file 644 x"] as const);
    world.change("view", Object.fromEntries(files));
    let turns = 0;
    const turnsAt = new Map<number, number>();
    const ticking = setInterval(() => turns++, 0);
    // Each step takes a millisecond, however fast the disk is.
    const onProgress = (done: number) => {
      turnsAt.set(done, turns);
      for (const began = performance.now(); performance.now() - began < 1; );
    };
    try {
      await world.apply(world.plan(), { onProgress });
    } finally {
      clearInterval(ticking);
    }
    const steps = count + 1;
    expect(turnsAt.get(steps)).toBeGreaterThan(turnsAt.get(1)!);
    expect(turnsAt.get(2 * steps)).toBeGreaterThan(turnsAt.get(steps + 1)!);
  });

  test("splits hard links, and leaves the other name alone", async () => {
    world.begin({ a: "file 644 base" });
    fs.linkSync(inProject("a"), `${world.top}/outside`);
    world.change("view", { a: "file 644 session" });
    await world.commit();
    expect([
      fs.readFileSync(`${world.top}/outside`, "utf8"),
      fs.readFileSync(inProject("a"), "utf8"),
    ]).toEqual(["base", "session"]);
  });

  test("of a session that changed since the plan is refused, and nothing is left", async () => {
    world.change("view", { a: "file 644 approved", b: "file 644 b" });
    const plan = world.plan();
    world.change("view", { b: "file 644 swapped" });
    await expect(world.apply(plan)).rejects.toThrow(
      'Could not commit "b": the session changed since the plan was made. Make the plan again. Nothing was written.',
    );
    expect(world.tree("project")).toEqual({});
    expect(fs.readdirSync(world.txDir)).toEqual([]);
  });

  test("that is made twice in one place is a mistake of the caller", async () => {
    world.change("view", { a: "file 644 a" });
    await world.commit();
    world.change("view", { a: "file 644 b" });
    await expect(world.commit({ policy: "ours" })).rejects.toThrow("a commit was made in");
  });
});

describe("crash-009: a project that changed between plan and commit", () => {
  beforeEach(() => {
    world.begin({ a: "file 644 base", b: "file 644 base", gone: "file 644 base" });
    world.change("view", { a: "file 644 session", b: "file 644 session", gone: null, new: "file 644 new" });
  });

  test("is left as it is when all or nothing is wanted", async () => {
    const plan = world.plan();
    world.change("project", { a: "file 644 project" });
    const before = world.tree("project");
    expect(await world.apply(plan)).toEqual({
      tx: "1",
      committed: [],
      skipped: [],
      conflicts: [
        {
          path: "a",
          reason: "changed in the project",
          resolution: "none",
          project: { kind: "file", mode: 0o644, sha256: expect.any(String) },
          session: { kind: "file", mode: 0o644, sha256: expect.any(String) },
        },
      ],
    });
    expect(world.tree("project")).toEqual(before);
  });

  test("keeps its versions, and gets the rest, when conflicts are left out", async () => {
    const plan = world.plan({ policy: "skip" });
    world.change("project", {
      a: "file 644 project",
      gone: "file 644 project",
      new: "file 644 project",
      b: null,
    });
    const { committed, conflicts } = await world.apply(plan);
    expect(committed).toEqual([]);
    expect(conflicts.map(({ path: at, reason, resolution }) => [at, reason, resolution])).toEqual([
      ["gone", "changed in the project", "left"],
      ["a", "changed in the project", "left"],
      ["b", "removed in the project", "left"],
      ["new", "created in the project", "left"],
    ]);
    expect(world.tree("project")).toEqual({
      a: "file 644 project",
      gone: "file 644 project",
      new: "file 644 project",
    });
  });

  test("is not overwritten by the policy ours either, which spoke of what was there", async () => {
    const plan = world.plan({ policy: "ours" });
    world.change("project", { a: "file 644 project" });
    expect(await world.apply(plan)).toMatchObject({
      committed: ["b", "gone", "new"],
      conflicts: [{ path: "a", resolution: "left" }],
    });
  });

  test("and was only touched is no conflict", async () => {
    const plan = world.plan();
    fs.utimesSync(inProject("a"), 1, 1);
    expect((await world.apply(plan)).conflicts).toEqual([]);
  });
});

describe("a change of several steps", () => {
  test("is not left half done: a rename whose target was taken meanwhile gives its file back", async () => {
    world.begin({ from: "file 644 it moves", other: "file 644 base" });
    world.change("view", { from: null, to: "file 644 it moves", other: "file 644 session" });
    const result = await world.apply(world.plan({ policy: "skip" }), {
      // The first thing that moves aside is what is renamed.
      onStep: () => {
        if (!fs.existsSync(inProject("from")) && !fs.existsSync(inProject("to")))
          fs.writeFileSync(inProject("to"), "project");
      },
    });
    expect(result).toMatchObject({
      committed: ["other"],
      conflicts: [{ path: "to", reason: "created in the project" }],
    });
    expect(world.tree("project")).toEqual({
      from: "file 644 it moves",
      to: "file 644 project",
      other: "file 644 session",
    });
  });
});

describe("a commit that fails on the way", () => {
  test("is taken back, and says why", async () => {
    layOutScene(world);
    const before = world.tree("project");
    const plan = world.plan();
    const locked = plan.steps.findLast(({ op }) => op === "put")!;
    let isLocked = false;
    const lock = () => {
      if (isLocked || readJournal(world.txDir)?.phase !== "applying") return;
      isLocked = true;
      // A directory takes the place of what is staged: a link to it can't be made.
      const [staging] = fs.readdirSync(world.project.path).filter((name) => name.startsWith(".hotcell-tmp-"));
      const fresh = `${inProject(staging!)}/new-${plan.steps.indexOf(locked)}`;
      fs.rmSync(fresh);
      fs.mkdirSync(fresh);
    };
    await expect(world.apply(plan, { onStep: lock })).rejects.toThrow(
      new RegExp(`^Could not commit "${locked.path}": .* \\(EPERM\\)\\. hotcell undid its changes\\.$`),
    );
    expect(world.tree("project")).toEqual(before);
    expect(await world.recover()).toBe("none");
  });

  test("because of a bug, after any step, leaves nothing", async () => {
    layOutScene(world);
    const before = world.tree("project");
    const plan = world.plan();
    for (let failing = 1; failing <= plan.steps.length * 2; failing++) {
      const onProgress = (done: number) => {
        if (done === failing) throw new Error("a bug");
      };
      await expect(world.apply(plan, { onProgress })).rejects.toThrow("a bug");
      expect(world.tree("project")).toEqual(before);
      expect(isUnfinished(world.txDir)).toBe(false);
      fs.rmSync(world.txDir, { recursive: true });
    }
  });
});

describe("a revert", () => {
  test("puts back everything, the very files where it can", async () => {
    layOutScene(world);
    const before = world.tree("project");
    const { ino } = fs.statSync(inProject("src/edited.txt"));
    const { committed } = await world.commit();
    expect(await world.revert()).toEqual({ reverted: committed, changed: [] });
    expect(world.tree("project")).toEqual(before);
    expect(fs.statSync(inProject("src/edited.txt")).ino).toBe(ino);
    expect(await world.recover()).toBe("none");
  });

  test("leaves no second name of what it put back: an edit there is nowhere else", async () => {
    world.begin({ a: "file 644 a", b: "file 644 b" });
    world.change("view", { a: "file 644 A", b: null });
    await world.commit();
    await world.revert();
    expect(["a", "b"].map((at) => fs.statSync(inProject(at)).nlink)).toEqual([1, 1]);
  });

  test("leaves what was changed since, and says so", async () => {
    world.begin({ a: "file 644 a", b: "file 644 b", c: "file 644 c", from: "file 644 it moves" });
    world.change("view", {
      a: "file 644 A",
      b: "file 644 B",
      c: null,
      "d/new": "file 644 n",
      from: null,
      to: "file 644 it moves",
    });
    await world.commit();
    world.change("project", {
      a: "file 644 edited",
      c: "file 644 made anew",
      "d/mine": "file 644 m",
      to: "file 644 edited",
    });
    expect(await world.revert()).toEqual({ reverted: ["b", "d/new"], changed: ["a", "c", "d", "to"] });
    expect(world.tree("project")).toEqual({
      a: "file 644 edited",
      b: "file 644 b",
      c: "file 644 made anew",
      d: "directory 755",
      "d/mine": "file 644 m",
      to: "file 644 edited",
    });
  });

  test("can be done again for what was in the way, and has then nothing left to do", async () => {
    world.begin({ a: "file 644 a", b: "file 644 b" });
    world.change("view", { a: "file 644 A", b: "file 644 B" });
    await world.commit();
    world.change("project", { a: "file 644 edited" });
    expect(await world.revert()).toEqual({ reverted: ["b"], changed: ["a"] });
    world.change("project", { a: "file 644 A" });
    expect(await world.revert()).toEqual({ reverted: ["a"], changed: [] });
    expect(await world.revert()).toEqual({ reverted: [], changed: [] });
    expect(world.tree("project")).toEqual({ a: "file 644 a", b: "file 644 b" });
  });

  test("that is known to fail is not begun", async () => {
    world.begin({ "d/a": "file 644 a" });
    world.change("view", { "d/a": "file 644 A" });
    await world.commit();
    world.change("project", { d: "directory 555" });
    await expect(world.revert()).rejects.toThrow(
      /^Could not put back "d\/a": its directory is read-only .*\. Change that first\. Nothing was written\.$/,
    );
    expect(await world.recover()).toBe("none");
    world.change("project", { d: "directory 755" });
    expect(await world.revert()).toEqual({ reverted: ["d/a"], changed: [] });
  });

  test("of a commit that is not there, or not finished, is refused", async () => {
    await expect(world.revert()).rejects.toThrow(
      new HotcellError("NOT_FOUND", "Could not revert the commit: it does not exist."),
    );
    world.change("view", { a: "file 644 a" });
    await world.commit();
    writeJournal(world.txDir, { ...readJournal(world.txDir)!, phase: "keeping" });
    await expect(world.revert()).rejects.toThrow("Run hotcell session recover first.");
  });
});

describe("recovery", () => {
  const stopped = new Error("stopped");

  /** As if the process had ended there: the journal is as it was, whatever the error made of it. */
  async function stopAt(phase: string): Promise<void> {
    const saved = `${world.top}/saved`;
    await expect(
      world.apply(world.plan(), {
        onStep() {
          if (readJournal(world.txDir)?.phase !== phase || fs.existsSync(saved)) return;
          fs.cpSync(world.txDir, `${saved}/tx`, { recursive: true });
          fs.cpSync(world.project.path, `${saved}/project`, { recursive: true });
          throw stopped;
        },
      }),
    ).rejects.toThrow();
    for (const [from, to] of [
      ["tx", world.txDir],
      ["project", world.project.path],
    ] as const) {
      for (const name of fs.readdirSync(to)) fs.rmSync(path.join(to, name), { recursive: true });
      fs.cpSync(`${saved}/${from}`, to, { recursive: true });
    }
  }

  beforeEach(() => {
    world.begin({ a: "file 644 a" });
    world.change("view", { a: "file 644 A", b: "file 644 B" });
  });

  test("finishes an interrupted commit, and returns the paths that it wrote", async () => {
    world.change("view", { a: null, moved: "file 644 a" });
    await stopAt("applying");
    expect([isUnfinished(world.txDir), committedPaths(world.txDir)]).toEqual([true, []]);
    expect(await world.recover()).toBe("finished");
    expect([isUnfinished(world.txDir), committedPaths(world.txDir)]).toEqual([false, ["a", "b", "moved"]]);
    world.change("project", { b: "file 644 edited" });
    await world.revert();
    expect([isUnfinished(world.txDir), committedPaths(world.txDir)]).toEqual([false, ["b"]]);
  });

  test("of a commit in another project's directory is refused", async () => {
    await stopAt("applying");
    writeJournal(world.txDir, { ...readJournal(world.txDir)!, project: "/elsewhere" });
    await expect(world.recover()).rejects.toThrow(
      `Could not continue the commit: it belongs to "/elsewhere", not to "${world.project.path}". Move the project back.`,
    );
  });

  test("of a journal that a newer hotcell wrote is refused", async () => {
    await stopAt("applying");
    writeJournal(world.txDir, { ...readJournal(world.txDir)!, version: 2 as 1 });
    await expect(world.recover()).rejects.toThrow("a newer version of hotcell wrote it");
  });

  test("comes to an end also when somebody cleared the staging directory away", async () => {
    await stopAt("applying");
    for (const name of fs.readdirSync(world.project.path))
      if (name.startsWith(".hotcell-tmp-")) fs.rmSync(inProject(name), { recursive: true });
    expect(await world.recover()).toBe("rolled back");
    expect(world.tree("project")).toEqual({ a: "file 644 a" });
    expect(readJournal(world.txDir)?.outcomes.map(({ conflict }) => conflict)).toEqual([
      "staged content is missing",
      "staged content is missing",
    ]);
    expect(await world.recover()).toBe("none");
  });
});

test("a plan is carried out as it was written down", async () => {
  layOutScene(world);
  const plan = JSON.parse(JSON.stringify(world.plan()));
  await world.apply(plan);
  expect(world.tree("project")).toEqual(world.tree("view"));
});
