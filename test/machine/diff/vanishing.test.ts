// Files and directories vanish, or become something else, while the trees are compared: at a known moment, by what a diff
// asks its caller, and at any moment, by another process. They count as absent, and no diff ends with an error.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../../src/core/limits.ts";
import { createProtection } from "../../../src/policy/protected.ts";
import type { Change } from "../../../src/workspace/diff/changes.ts";
import { type DiffWorld, makeDiffWorld } from "../../kit/worlds/diff-world.ts";
import { directory, file, type Planted } from "../../kit/worlds/planted-tree.ts";

type Files = Record<string, Planted>;

function makeWorld(before: Files, after: Files): DiffWorld {
  const world = makeDiffWorld(new Map(Object.entries(before)), new Map(Object.entries(after)));
  onTestFinished(world.remove);
  world.makeLayer("call-1");
  return world;
}

const named = (changes: readonly Change[]): string[] => changes.map(({ kind, path }) => `${kind} ${path}`);

type Act = (at: string) => void;

const remove: Act = (at) => fs.rmSync(at, { recursive: true });
const instead =
  (make: Act): Act =>
  (at) => {
    remove(at);
    make(at);
  };

/** What may happen to a file, and to a directory. */
const TO_FILE: readonly (readonly [what: string, act: Act])[] = [
  ["is removed", remove],
  ["becomes a directory", instead((at) => fs.mkdirSync(at))],
  ["becomes a link", instead((at) => fs.symlinkSync("/etc/passwd", at))],
  ["becomes a link to itself", instead((at) => fs.symlinkSync(at, at))],
  ["becomes a pipe", instead((at) => execFileSync("mkfifo", [at]))],
];
const TO_DIRECTORY: readonly (readonly [what: string, act: Act])[] = [
  ["is removed", remove],
  ["becomes a file", instead((at) => fs.writeFileSync(at, "other"))],
  ["becomes a link", instead((at) => fs.symlinkSync("/etc", at))],
];
const SIDES = ["before", "after"] as const;

/** Acts once, after the diff has examined the path on both sides and before it reads it. */
function diffActing(world: DiffWorld, path: string, act: () => void): Change[] {
  const acts = [act];
  const protectionOf = (looked: string) => {
    if (looked === path) acts.pop()?.();
    return null;
  };
  const changes = world.diff(["call-1"], { protectionOf });
  expect(acts).toEqual([]);
  return changes;
}

describe("between a look at a file and its reading", () => {
  const GONE = { before: "added f", after: "deleted f" };

  describe.each(SIDES)("the one of %s", (side) => {
    test.each(TO_FILE)("%s", (_, act) => {
      const world = makeWorld({ f: file("old\n"), z: file("1\n") }, { f: file("new\n"), z: file("2\n") });
      const changes = diffActing(world, "f", () => act(`${world[side]}/f`));
      expect(named(changes)).toEqual([GONE[side], "modified z"]);
      const shown = side === "before" ? ["+new"] : ["-old"];
      expect(changes[0]).toMatchObject({ [side]: null, hunks: [{ lines: shown }] });
    });

    test("is removed, and is so large that it is compared in pieces", () => {
      const bytes = "x".repeat(LIMITS.maxDiffFileBytes);
      const world = makeWorld({ f: file(`${bytes}y`) }, { f: file(`${bytes}z`) });
      expect(named(diffActing(world, "f", () => remove(`${world[side]}/f`)))).toEqual([GONE[side]]);
    });
  });

  test("both are removed: the diff is empty", () => {
    const world = makeWorld({ f: file("old\n") }, { f: file("new\n") });
    const changes = diffActing(world, "f", () => {
      for (const side of SIDES) remove(`${world[side]}/f`);
    });
    expect(changes).toEqual([]);
  });

  test.each(TO_FILE)("one that came %s: it is no change", (_, act) => {
    const world = makeWorld({}, { f: file("new\n"), z: file("2\n") });
    expect(named(diffActing(world, "f", () => act(`${world.after}/f`)))).toEqual(["added z"]);
  });
});

describe("between a look at a directory and its listing", () => {
  describe.each(SIDES)("the one of %s", (side) => {
    const KINDS = { before: "added", after: "deleted" };
    test.each(TO_DIRECTORY)("%s: it counts as empty", (_, act) => {
      const world = makeWorld(
        { "d/a": file("1"), "d/e/b": file("1"), z: file("1\n") },
        { "d/a": file("2"), "d/e/b": file("2"), z: file("2\n") },
      );
      const kind = KINDS[side];
      const changes = diffActing(world, "d/", () => act(`${world[side]}/d`));
      expect(named(changes)).toEqual([`${kind} d/a`, `${kind} d/e`, `${kind} d/e/b`, "modified z"]);
    });

    test("is removed and made again while it is read: what is there then counts", () => {
      const world = makeWorld({ "d/a": file("1\n") }, { "d/a": file("2\n") });
      const changes = diffActing(world, "d/a", () => {
        remove(`${world[side]}/d`);
        fs.mkdirSync(`${world[side]}/d`);
        fs.writeFileSync(`${world[side]}/d/a`, "3\n");
      });
      const shown = side === "before" ? ["-3", "+2"] : ["-1", "+3"];
      expect(changes).toMatchObject([{ kind: "modified", path: "d/a", hunks: [{ lines: shown }] }]);
    });
  });

  test("one that came is removed with all that is in it", () => {
    const world = makeWorld({}, { "d/a": file("1"), "d/e/b": file("1"), z: file("2") });
    const changes = diffActing(world, "d/", () => remove(`${world.after}/d`));
    expect(named(changes)).toEqual(["added d", "added z"]);
  });
});

test.each(SIDES)("in a deep tree of %s that is moved away, what is beside it is still compared", (side) => {
  const middle = Array.from({ length: 40 }, () => "d").join("/");
  const deep = `${middle}/${middle}`;
  const world = makeWorld(
    { [`${deep}/f`]: file("1\n"), "c/f": file("1\n") },
    { [`${deep}/f`]: file("2\n"), "c/f": file("2\n") },
  );
  const changes = diffActing(world, `${deep}/`, () =>
    fs.renameSync(`${world[side]}/${middle}`, `${world.top}/moved`),
  );
  expect(named(changes)).toContain("modified c/f");
});

test.each([
  ["gone", "before", []],
  ["come", "after", ["deleted old"]],
] as const)("of a moved file, the one that is %s vanishes before it is read", (_, side, others) => {
  const world = makeWorld({ old: file("same\n") }, { new: file("same\n") });
  const vanishing = side === "before" ? "old" : "new";
  const protectionOf = createProtection();
  const changes = world.diff(["call-1"], {
    protectionOf(path) {
      if (path === vanishing) fs.rmSync(`${world[side]}/${vanishing}`, { force: true });
      return protectionOf(path);
    },
  });
  expect(named(changes)).toEqual(side === "before" ? ["added new"] : others);
});

describe("a patch that is written after files vanished", () => {
  const BYTES = "\0binary";
  const patchWithout = (side: "before" | "after", before: Files, after: Files): string => {
    const world = makeWorld(before, after);
    const changes = world.diff(["call-1"]);
    remove(`${world[side]}/f`);
    return world.patch(changes).toString();
  };

  test.each([
    ["before", "new file mode 100644"],
    ["after", "deleted file mode 100644"],
  ] as const)("has a binary file without the one of %s", (side, header) => {
    const patch = patchWithout(side, { f: file(`${BYTES}1`) }, { f: file(`${BYTES}2`), z: file("2\n") });
    expect(patch.split("\n").slice(0, 2)).toEqual(["diff --git a/f b/f", header]);
    expect(patch).toContain("+++ b/z");
  });

  test("has nothing of a binary file that came", () => {
    const patch = patchWithout("after", {}, { f: file(BYTES), z: file("2\n") });
    expect(patch).not.toContain("a/f");
    expect(patch).toContain("+++ b/z");
  });
});

const DIFFS = 400;
const STORM = `echo ready
while :; do
  rm -rf "$1"; mkdir -p "$1/e/g"; echo one > "$1/e/f"; echo two > "$1/e/g/h"; echo three > "$1/i"
  mv "$1/e" "$1/j"; ln -s /etc "$1/e"; rm "$1/e"; mv "$1/j" "$1/e"; rm "$1/i"; mkdir "$1/i"
done`;

test.each(SIDES)(
  `${DIFFS} diffs while another process removes and makes files of %s again end well`,
  async (side) => {
    const files = (text: string) => ({
      "d/e/f": file(text),
      "d/e/g/h": file(text),
      "d/i": file(text),
      k: directory(),
    });
    const world = makeWorld(files("1"), files("2"));
    const storm = spawn("bash", ["--norc", "-c", STORM, "storm", `${world[side]}/d`], { detached: true });
    onTestFinished(async () => {
      process.kill(-storm.pid!, "SIGKILL");
      await once(storm, "close");
    });
    await once(storm.stdout, "data");
    const seen = new Set<string>();
    for (let round = 0; round < DIFFS; round++) {
      const changes = world.diff(["call-1"]);
      world.patch(changes);
      seen.add(named(changes).join());
      // The other process gets the processor on a machine that has only one.
      await new Promise(setImmediate);
    }
    expect(seen.size).toBeGreaterThan(2);
  },
);
