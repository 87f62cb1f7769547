import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asNobody } from "../../../../test/kit/as-nobody.ts";
import { type CommitWorld, editOf, makeCommitWorld } from "../../../../test/kit/worlds/commit-world.ts";
import { HotcellError } from "../../../core/errors.ts";
import type { CommitPlan, ConflictPolicy } from "./plan.ts";

let world: CommitWorld;
beforeEach(() => {
  world = makeCommitWorld();
});
afterEach(() => world.remove());

const steps = (plan: CommitPlan): string[] =>
  plan.steps.map(({ op, path, mode, content }) =>
    [op, path, mode?.toString(8), content].filter((part) => part != null).join(" "),
  );

describe("the steps", () => {
  test("remove, then make directories, then write files, and set directory modes last", () => {
    world.begin({
      "old/x/y": "file 644 y",
      "old/z": "file 644 z",
      "a/edited": "file 644 1",
      moves: "file 644 moves",
    });
    world.change("view", { old: null, moves: null });
    world.change("view", {
      old: "file 644 a file now",
      "a/edited": "file 600 2",
      "new/moved": "file 644 moves",
    });
    world.change("view", { "shut/f": "file 644 f", shut: "directory 555", link: "link a" });
    expect(steps(world.plan())).toEqual([
      "delete moves",
      "delete old/z",
      "delete old/x/y",
      "rmdir old/x",
      "rmdir old",
      "mkdir new 755",
      "mkdir shut 755",
      "put link 777 link",
      "put old 644 view",
      "put a/edited 600 view",
      "put new/moved 644 view",
      "put shut/f 644 view",
      "chmod shut 555",
    ]);
  });

  test("open a directory that was closed before anything is put into it", () => {
    world.begin({ "shut/f": "file 644 f", shut: "directory 555" });
    world.change("view", { shut: "directory 755", "shut/new": "file 644 new" });
    const plan = world.plan();
    expect(steps(plan)).toEqual(["chmod shut 755", "put shut/new 644 view"]);
    expect(plan.obstacles).toEqual([]);
  });

  test("leave setuid, setgid and sticky bits behind", () => {
    world.begin({ "same but setuid": "file 755 x" });
    world.change("view", {
      "same but setuid": "file 4755 x",
      tool: "file 6755 tool",
      "t/x": "file 644 x",
      t: "directory 1777",
    });
    const plan = world.plan();
    expect(steps(plan)).toEqual(["mkdir t 777", "put tool 755 view", "put t/x 644 view"]);
    expect(plan.skipped).toEqual([{ path: "same but setuid", why: "same in the project" }]);
  });

  test("make the directories that a chosen file needs", () => {
    world.change("view", { "a/b/c": "file 644 c", "a/b": "directory 750", other: "file 644 o" });
    const plan = world.plan({ selection: { paths: ["a/b/c"], hunks: [] } });
    expect(steps(plan)).toEqual(["mkdir a 755", "mkdir a/b 750", "put a/b/c 644 view"]);
    expect(plan.steps.map(({ change }) => change)).toEqual([null, null, "a/b/c"]);
  });
});

describe("what is not a file, a link or a directory", () => {
  test("is left out and listed, and a file that replaces one too", () => {
    execFileSync("mkfifo", [`${world.view.path}/new fifo`, `${world.project.path}/old fifo`]);
    world.change("view", { "old fifo": "file 644 x", plain: "file 644 x" });
    const plan = world.plan();
    expect(steps(plan)).toEqual(["put plain 644 view"]);
    expect(plan.skipped).toEqual([
      { path: "new fifo", why: "special file" },
      { path: "old fifo", why: "special file" },
    ]);
  });
});

describe("the selection", () => {
  beforeEach(() => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join("");
    world.begin({ "a.txt": `file 640 ${lines}`, "d/x": "file 644 x", moves: "file 644 it moves" });
    world.change("view", {
      "a.txt": `file 644 ${lines.replace("line 2\n", "LINE 2\n").replace("line 35\n", "LINE 35\n")}`,
      "d/x": "file 644 X",
      moves: null,
      "d/moved": "file 644 it moves",
    });
  });

  test.each([
    [["d"], ["delete moves", "put d/moved 644 view", "put d/x 644 view"]],
    [["d/x"], ["put d/x 644 view"]],
    [["moves"], ["delete moves", "put d/moved 644 view"]],
    [[""], ["delete moves", "put a.txt 644 view", "put d/moved 644 view", "put d/x 644 view"]],
  ])("of %j takes the path, what is below it, and both ends of a rename", (paths, expected) => {
    expect(steps(world.plan({ selection: { paths, hunks: [] } }))).toEqual(expected);
  });

  test("of one hunk leaves the others, and the mode", async () => {
    const [first] = world.changes().find(({ path }) => path === "a.txt")!.hunks;
    const plan = world.plan({ selection: { paths: [], hunks: [first!.id] } });
    expect(steps(plan)).toEqual(["put a.txt 640 hunks"]);
    expect((await world.apply(plan)).committed).toEqual(["a.txt"]);
    const text = fs.readFileSync(`${world.project.path}/a.txt`, "utf8");
    expect([text.includes("LINE 2\n"), text.includes("LINE 35\n")]).toEqual([true, false]);
  });

  test.each([
    [
      { paths: ["nothing"], hunks: [] },
      'Could not commit the path "nothing": the session has no such change. The diff of the session lists its changes.',
    ],
    [
      { paths: [], hunks: ["abc"] },
      'Could not commit the hunk "abc": the session has no such change. The diff of the session lists its changes.',
    ],
  ])("of what is not in the diff is refused: %j", (selection, message) => {
    const value = [...selection.paths, ...selection.hunks][0]!;
    expect(() => world.plan({ selection })).toThrow(
      new HotcellError("INVALID_ARGUMENTS", message, { value }),
    );
  });
});

describe("crash-009: when the project changed since the session did", () => {
  const NAMES: readonly [what: string, session: string | null, project: string | null, reason: string][] = [
    ["edited by both", "file 644 session", "file 644 project", "changed in the project"],
    ["edited, and its mode changed", "file 644 session", "file 600 base", "changed in the project"],
    ["edited, and removed", "file 644 session", null, "removed in the project"],
    ["edited, and turned into a link", "file 644 session", "link x", "changed in the project"],
    ["removed, and edited", null, "file 644 project", "changed in the project"],
  ];
  test.each(NAMES)("%s is a conflict that names both versions", async (_what, session, project, reason) => {
    world.begin({ f: "file 644 base" });
    world.change("view", { f: session });
    world.change("project", { f: null });
    if (project !== null) world.change("project", { f: project });
    const plan = world.plan();
    expect(plan.steps).toEqual([]);
    expect(plan.conflicts).toEqual([
      {
        path: "f",
        reason,
        resolution: "none",
        project:
          project === null
            ? null
            : expect.objectContaining({ kind: project.split(" ")[0]!.replace("link", "symlink") }),
        session: session === null ? null : expect.objectContaining({ kind: "file" }),
      },
    ]);
    expect(await world.apply(plan)).toEqual({
      tx: null,
      committed: [],
      skipped: [],
      conflicts: plan.conflicts,
    });
  });

  test("made by both is one, and so is a rename onto what was made meanwhile", () => {
    world.begin({ from: "file 644 it moves" });
    world.change("view", { new: "file 644 session", from: null, to: "file 644 it moves" });
    const changes = world.changes();
    world.change("project", { new: "file 644 project", to: "file 644 project" });
    const reasons = world.plan({ changes }).conflicts.map(({ path, reason }) => [path, reason]);
    expect(reasons).toEqual([
      ["new", "created in the project"],
      ["to", "created in the project"],
    ]);
  });

  test("to the same as in the session, there is nothing to do", () => {
    world.begin({ f: "file 644 base", gone: "file 644 gone" });
    const same = { f: "file 644 same", gone: null, made: "file 644 made" };
    world.change("view", same);
    const changes = world.changes();
    world.change("project", same);
    const plan = world.plan({ changes });
    expect([plan.steps, plan.conflicts]).toEqual([[], []]);
    expect(plan.skipped.map(({ path, why }) => [path, why])).toEqual([
      ["f", "same in the project"],
      ["gone", "same in the project"],
      ["made", "same in the project"],
    ]);
  });

  test("and back, or was only touched, there is no conflict", () => {
    world.begin({ f: "file 644 base" });
    world.change("view", { f: "file 644 session" });
    fs.rmSync(`${world.project.path}/f`);
    world.change("project", { f: "file 644 base" });
    expect(world.plan().conflicts).toEqual([]);
  });

  test("a mode alone is only in conflict with another mode", () => {
    world.begin({ f: "file 644 base", g: "file 644 base" });
    world.change("view", { f: "file 755 base", g: "file 755 base" });
    const changes = world.changes();
    world.change("project", { f: "file 644 edited", g: "file 600 base" });
    const plan = world.plan({ changes });
    expect(steps(plan)).toEqual(["chmod f 755"]);
    expect(plan.conflicts.map(({ path }) => path)).toEqual(["g"]);
  });

  const POLICIES: readonly [policy: ConflictPolicy, resolution: string, f: string, other: string][] = [
    ["abort", "none", "file 644 project", "file 644 base"],
    ["skip", "left", "file 644 project", "file 644 session"],
    ["theirs", "theirs", "file 644 project", "file 644 session"],
    ["ours", "ours", "file 644 session", "file 644 session"],
    ["merge", "none", "file 644 project", "file 644 base"],
  ];
  test.each(POLICIES)("the policy %s has it %s", async (policy, resolution, f, other) => {
    world.begin({ f: "file 644 base", other: "file 644 base" });
    world.change("view", { f: "file 644 session", other: "file 644 session" });
    world.change("project", { f: "file 644 project" });
    const result = await world.commit({ policy });
    expect(result.conflicts.map((conflict) => conflict.resolution)).toEqual([resolution]);
    expect(world.tree("project")).toEqual({ f, other });
  });

  test("the policy ours does not take a directory's place", async () => {
    world.begin({ f: "file 644 base" });
    world.change("view", { f: "file 644 session" });
    const changes = world.changes();
    world.change("project", { f: null, "f/inner": "file 644 inner" });
    expect((await world.commit({ changes, policy: "ours" })).conflicts).toMatchObject([
      { path: "f", reason: "created in the project", resolution: "none" },
    ]);
    expect(world.tree("project")).toMatchObject({ "f/inner": "file 644 inner" });
  });

  test.each(["skip", "theirs"] as const)(
    "a directory that became a file, and to which a user added an entry, stays whole under the policy %s",
    async (policy) => {
      world.begin({ "d/x": "file 644 x", "d/y": "file 644 y" });
      world.change("view", { d: null });
      world.change("view", { d: "file 644 session", other: "file 644 session" });
      const changes = world.changes();
      world.change("project", { "d/new": "file 644 user" });
      const result = await world.commit({ changes, policy });
      expect(result.conflicts).toMatchObject([{ path: "d", reason: "not empty in the project" }]);
      expect(world.tree("project")).toMatchObject({
        "d/x": "file 644 x",
        "d/y": "file 644 y",
        "d/new": "file 644 user",
        other: "file 644 session",
      });
    },
  );

  describe("the policy merge", () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
    const edited = (...at: number[]) =>
      lines.map((line, index) => (at.includes(index) ? line.toUpperCase() : line)).join("");

    test("unites edits and modes that are apart", async () => {
      world.begin({ f: `file 644 ${edited()}` });
      world.change("view", { f: `file 644 ${edited(2)}` });
      world.change("project", { f: `file 755 ${edited(15)}` });
      const result = await world.commit({ policy: "merge" });
      expect(result.conflicts.map(({ resolution }) => resolution)).toEqual(["merged"]);
      expect(world.tree("project")).toEqual({ f: `file 755 ${edited(2, 15)}` });
    });

    test("already has nothing to do when the project has the session's edits", async () => {
      world.begin({ f: `file 644 ${edited()}` });
      world.change("view", { f: `file 644 ${edited(2)}` });
      world.change("project", { f: `file 644 ${edited(2, 15)}` });
      expect(await world.commit({ policy: "merge" })).toMatchObject({
        tx: null,
        conflicts: [{ resolution: "merged" }],
      });
    });

    test.each([
      ["of the same line", edited(2), "file 644 x\n"],
      ["of modes", edited(2), `file 600 ${edited(15)}`],
      ["of binary files", `\0${edited(2)}`, `file 644 ${edited(15)}`],
    ])("writes nothing at a conflict %s", async (_what, session, project) => {
      world.begin({ f: `file 644 ${edited()}`, other: "file 644 base" });
      world.change("view", { f: `file 640 ${session}`, other: "file 644 session" });
      world.change("project", { f: project });
      const before = world.tree("project");
      expect((await world.commit({ policy: "merge" })).conflicts).toMatchObject([
        { path: "f", resolution: "none" },
      ]);
      expect(world.tree("project")).toEqual(before);
    });

    test("takes chosen hunks as a merge", async () => {
      world.begin({ f: `file 644 ${edited()}` });
      world.change("view", { f: `file 644 ${edited(2)}` });
      world.change("project", { f: `file 644 ${edited(15)}` });
      const wanted = world.changes()[0]!.hunks.find(({ lines: text }) => text.includes("+LINE 2"))!;
      const selection = { paths: [], hunks: [wanted.id] };
      expect(world.plan({ selection }).conflicts).toMatchObject([{ resolution: "none" }]);
      await world.commit({ selection, policy: "merge" });
      expect(world.tree("project")).toEqual({ f: `file 644 ${edited(2, 15)}` });
    });

    test("writes nothing when chosen hunks do not fit", () => {
      world.begin({ f: `file 644 ${edited()}` });
      world.change("view", { f: `file 644 ${edited(2)}` });
      const changes = world.changes();
      world.change("project", { f: "file 644 all new\n" });
      const selection = { paths: [], hunks: [changes[0]!.hunks[0]!.id] };
      expect(world.plan({ changes, selection, policy: "merge" }).conflicts).toMatchObject([
        { reason: "the selected hunks do not apply to the project's version", resolution: "none" },
      ]);
    });
  });
});

describe("directories", () => {
  test("are not removed over what was put into them meanwhile", () => {
    world.begin({ "d/e/x": "file 644 x" });
    world.change("view", { d: null });
    const changes = world.changes();
    world.change("project", { "d/e/new": "file 644 new" });
    const plan = world.plan({ changes, policy: "skip" });
    expect(steps(plan)).toEqual(["delete d/e/x"]);
    expect(plan.conflicts).toEqual([]);
    expect(plan.skipped).toEqual([
      { path: "d", why: "contains entries that the session never had" },
      { path: "d/e", why: "contains entries that the session never had" },
    ]);
  });

  test("stay with what the session can't see in them", () => {
    world.begin({ "conf/sub/x": "file 644 x" });
    world.change("project", { "conf/sub/.env": "file 600 SECRET=1" });
    world.change("view", { conf: null });
    const plan = world.plan();
    expect(steps(plan)).toEqual(["delete conf/sub/x"]);
    expect(plan.conflicts).toEqual([]);
    expect(plan.skipped).toEqual([
      { path: "conf", why: "contains entries that the session never had" },
      { path: "conf/sub", why: "contains entries that the session never had" },
    ]);
  });

  test("that became something else in the project are in the way", () => {
    world.begin({ "d/x": "file 644 x" });
    world.change("view", { "d/new": "file 644 new" });
    const changes = world.changes();
    world.change("project", { d: null });
    world.change("project", { d: "link elsewhere" });
    expect(world.plan({ changes }).conflicts).toMatchObject([
      { path: "d/new", reason: "parent is not a directory in the project" },
    ]);
  });
});

describe("protected paths", () => {
  test("need their own yes, and are listed with it", async () => {
    const files = {
      ".git/hooks/pre-commit": "file 755 #!/bin/sh",
      ".github/workflows/ci.yml": "file 644 on: push",
      "src/a": "file 644 a",
    };
    world.change("view", files);
    const paths = [".git", ".git/hooks", ".git/hooks/pre-commit", ".github/workflows/ci.yml"];
    const plan = world.plan();
    expect(plan.protectedPaths).toEqual(paths);
    expect(plan.skipped).toEqual(paths.map((path) => ({ path, why: "needs confirmation" })));
    expect(steps(plan)).toEqual(["mkdir src 755", "put src/a 644 view"]);
    const allowed = world.plan({ allowProtected: true });
    expect(allowed.protectedPaths).toEqual(paths);
    expect(allowed.skipped).toEqual([]);
    await world.apply(allowed);
    expect(world.tree("project")).toEqual(world.tree("view"));
  });

  test("are left out with the new directories that hold nothing else", async () => {
    world.change("view", {
      "a/.env": "file 644 A=1",
      "a/empty": "directory 755",
      "b/only/.env": "file 644 B=1",
      "b/c/d": "file 644 d",
      ".github/workflows/ci.yml": "file 644 on: push",
      "other empty": "directory 700",
    });
    await world.commit();
    expect(world.tree("project")).toEqual({
      a: "directory 755",
      "a/empty": "directory 755",
      b: "directory 755",
      "b/c": "directory 755",
      "b/c/d": "file 644 d",
      "other empty": "directory 700",
    });
    expect(steps(world.plan({ allowProtected: true }))).toEqual([
      "mkdir .github 755",
      "mkdir .github/workflows 755",
      "put .github/workflows/ci.yml 644 view",
    ]);
  });

  test("keep the directories that hold them", () => {
    world.begin({ ".github/workflows/ci.yml": "file 644 on: push", ".github/notes": "file 644 n" });
    world.change("view", { ".github": null });
    const plan = world.plan();
    expect(steps(plan)).toEqual(["delete .github/notes"]);
    expect(plan.conflicts).toEqual([]);
  });

  test.each([
    ["other scripts", '{"name":"x","scripts":{"postinstall":"node evil"}}', true],
    ["no scripts", '{"name":"renamed"}', false],
    ["the same scripts in another order", '{"scripts":{"b":"2","a":"1"},"version":"2"}', false],
    ["what can't be read", '{"scripts":', true],
  ])("are those of a package.json that gets %s: %s", (_what, text, isProtected) => {
    world.begin({ "sub/package.json": 'file 644 {"scripts":{"a":"1","b":"2"}}' });
    world.change("view", { "sub/package.json": `file 644 ${text}` });
    expect(world.plan().protectedPaths).toEqual(isProtected ? ["sub/package.json"] : []);
  });

  test.each([
    ["with scripts", '{"scripts":{"a":"1"}}', true],
    ["without scripts", "{}", false],
  ])("are those of a new package.json %s", (_what, text, isProtected) => {
    world.begin({ "d/package.json": "file 644 {}" });
    const added = { "package.json": `file 644 ${text}`, "d/sub/package.json": `file 644 ${text}` };
    world.change("view", added);
    expect(world.plan().protectedPaths).toEqual(isProtected ? ["d/sub/package.json", "package.json"] : []);
  });

  test("are where a package.json with scripts is renamed to", () => {
    world.begin({ "d/package.json": 'file 644 {"scripts":{"a":"1"}}', "e/x": "file 644 x" });
    world.change("view", { "d/package.json": null, "e/package.json": 'file 644 {"scripts":{"a":"1"}}' });
    expect(world.plan().protectedPaths).toEqual(["e/package.json"]);
  });

  test("that are secrets are never part of a commit", () => {
    world.change("view", { ".env": "file 644 A=1", "b.txt": "file 644 A=1" });
    const changes = [
      { ...editOf(".env"), kind: "added", before: null },
      { ...editOf("b.txt"), from: ".env.local", kind: "renamed" },
    ] as const;
    const plan = world.plan({ changes, allowProtected: true });
    expect(plan.steps).toEqual([]);
    expect(plan.skipped.map(({ path, why }) => [path, why])).toEqual([
      [".env", "secret"],
      ["b.txt", "secret"],
    ]);
  });
});

describe("crash-012: what is known to fail", () => {
  const CASES: readonly [what: string, project: Record<string, string>, at: string, problem: RegExp][] = [
    ["a read-only file", { "d/f": "file 444 base" }, "d/f", /^it is read-only/],
    ["a read-only directory", { d: "directory 555" }, "d/new", /^its directory is read-only/],
  ];
  test.each(CASES)("is reported before anything is written: %s", async (_what, project, at, problem) => {
    world.begin({ "d/f": "file 644 base", a: "file 644 base" });
    world.change("view", { a: "file 644 session", "d/f": "file 644 session", "d/new": "file 644 new" });
    const changes = world.changes();
    world.change("project", project);
    const before = world.tree("project");
    const plan = world.plan({ changes, policy: "ours" });
    expect(plan.obstacles.find(({ path }) => path === at)?.problem).toMatch(problem);
    await expect(world.apply(plan)).rejects.toThrow(/^Could not commit "d\/.*Nothing was written\./);
    expect(world.tree("project")).toEqual(before);
    expect(fs.existsSync(world.txDir)).toBe(false);
  });
});

test("a read-only file that the session itself has made writable is written", async () => {
  world.begin({ f: "file 444 base" });
  world.change("view", { f: "file 644 session" });
  const plan = world.plan({ changes: world.changes() });
  expect(plan.obstacles).toEqual([]);
  await world.apply(plan);
  expect(world.tree("project")).toEqual({ f: "file 644 session" });
});

test("crash-012: a file that can't be read, and so not be kept, is not taken away", () => {
  world.begin({ f: "file 644 base" });
  world.change("view", { f: null });
  const changes = [{ ...editOf("f"), kind: "deleted", after: null }] as const;
  fs.chmodSync(`${world.project.path}/f`, 0);
  const plan = asNobody([world.project.path], () => world.plan({ changes, policy: "ours" }));
  expect(plan.obstacles).toEqual([
    { path: "f", problem: "it cannot be read, so hotcell could not keep it for a revert" },
  ]);
});

describe("the hash", () => {
  test("is the same for the same versions, whichever files they are, and another for another content", () => {
    world.begin({ f: "file 644 base" });
    world.change("view", { f: "file 644 session" });
    const { hash } = world.plan();
    fs.rmSync(`${world.project.path}/f`);
    world.change("project", { f: "file 644 base" });
    expect(world.plan().hash).toBe(hash);
    world.change("view", { f: "file 644 Session" });
    expect(world.plan().hash).not.toBe(hash);
  });

  test("covers the policy", () => {
    world.change("view", { f: "file 644 session" });
    expect(world.plan({ policy: "skip" }).hash).not.toBe(world.plan().hash);
  });

  test("belongs to a plan that is plain data", () => {
    world.change("view", { "odd \uDCFF": "file 644 x" });
    const plan = world.plan();
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });
});

test("a plan of a diff that is older than the session is refused", () => {
  world.change("view", { f: "file 644 x" });
  const changes = world.changes();
  world.change("view", { f: null });
  expect(() => world.plan({ changes })).toThrow(
    'Could not plan the commit of "f": the session changed since its diff was taken. Take the diff again.',
  );
});

test("a path that is too long is left out and listed", () => {
  const path = `${"d/".repeat(2048)}f`;
  expect(world.plan({ changes: [editOf(path)] }).skipped).toEqual([{ path, why: "path is too long" }]);
});
