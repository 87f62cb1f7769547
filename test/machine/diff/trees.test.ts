import { execFileSync } from "node:child_process";
import fs from "node:fs";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { HotcellError } from "../../../src/core/errors.ts";
import { LIMITS } from "../../../src/core/limits.ts";
import type { Change } from "../../../src/workspace/diff/changes.ts";
import { createCursor } from "../../../src/workspace/fs/cursor.ts";
import { makeDirectory } from "../../../src/workspace/fs/tree-change.ts";
import { asNobody } from "../../kit/as-nobody.ts";
import { assertProperty } from "../../kit/assert-property.ts";
import { twoTrees } from "../../kit/models/arbitrary-trees.ts";
import { type DiffWorld, makeDiffWorld, plainly } from "../../kit/worlds/diff-world.ts";
import { bruteForce, directory, file, type Planted, survey, symlink } from "../../kit/worlds/planted-tree.ts";

const worlds: DiffWorld[] = [];
afterEach(() => {
  for (const world of worlds.splice(0)) world.remove();
});

function makeWorld(before: Record<string, Planted> = {}, after: Record<string, Planted> = {}): DiffWorld {
  const world = makeDiffWorld(new Map(Object.entries(before)), new Map(Object.entries(after)));
  worlds.push(world);
  return world;
}

/** The diff of two trees, with a layer as an overlay would have it. */
function diffOf(before: Record<string, Planted>, after: Record<string, Planted>): Change[] {
  const world = makeWorld(before, after);
  world.makeLayer("call-1");
  return world.diff(["call-1"]);
}

const named = (changes: readonly Change[]): string[] => changes.map(({ kind, path }) => `${kind} ${path}`);

function refusal(work: () => unknown): { code: string; message: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof HotcellError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("it was not refused");
}

describe("against a comparison of everything", () => {
  test("a tortured tree has the same changes", () => {
    const { before, after, ...world } = makeWorld();
    for (let dir = 0; dir < 20; dir++) {
      fs.mkdirSync(`${before}/d${dir}`);
      for (let name = 0; name < 10; name++)
        fs.writeFileSync(`${before}/d${dir}/f${name}`, `c${dir}${name}\n`);
    }
    execFileSync("rm", ["-rf", after]);
    execFileSync("cp", ["-a", before, after]);
    const script = `cd d0; rm f1; echo x >> f2; mv f3 g3; chmod 755 f4; chmod u+s f5; touch f6; ln -s f7 l7; cd ..
      rm -r d1; mkdir d1; echo 1 > d1/new; mv d2 e2; rm -r d3; echo file > d3; rm d4/f0; mkdir d4/f0; echo q > d4/f0/q
      rm -r d5; mkdir -p deep/a/b; touch deep/a/b/c; sed -i s/c/Z/ d10/* d11/*; mkfifo d6/pipe; rm d6/f1; mkfifo d6/f1
      ln d7/f1 d7/hard; ln -sfn d7 d8/f1; rm -r d9; ln -s d7 d9; mkdir empty; chmod 700 d12; chmod 1777 d13`;
    execFileSync("sh", ["-ec", script], { cwd: after });
    world.makeLayer("call-1", ["d0/f6", "d14/f1"]);
    const expected = bruteForce(survey(before), survey(after));
    expect(expected.length).toBeGreaterThan(90);
    const changes = world.diff(["call-1"]);
    expect(plainly(changes)).toEqual(expected);
    expect(changes.filter(({ kind }) => kind === "renamed").length).toBe(11);
  });

  test("random trees have the same changes", () => {
    assertProperty(
      fc.property(twoTrees, ({ before, after, alsoTouched }) => {
        const world = makeDiffWorld(before, after);
        try {
          world.makeLayer("call-1", alsoTouched);
          const changes = world.diff(["call-1"]);
          expect(plainly(changes)).toEqual(bruteForce(before, after));
          expect(changes.map(({ path }) => path)).toEqual(changes.map(({ path }) => path).sort());
        } finally {
          world.remove();
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("a change", () => {
  test("says all of it: both sides, lines, hunks, calls and protection", () => {
    const [change, ...others] = diffOf(
      { "src/a": file("1\n2\n3\n", 0o644) },
      { "src/a": file("1\ntwo\n3\n4\n", 0o755) },
    );
    expect(others).toEqual([]);
    expect(change).toEqual({
      path: "src/a",
      kind: "modified",
      before: { kind: "file", mode: 0o644, size: 6, target: null },
      after: { kind: "file", mode: 0o755, size: 10, target: null },
      binary: false,
      added: 2,
      removed: 1,
      hunks: [
        {
          id: expect.stringMatching(/^[0-9a-f]{40}$/),
          header: "@@ -1,3 +1,4 @@",
          lines: [" 1", "-2", "+two", " 3", "+4"],
          oldStart: 1,
          oldLines: 3,
          newStart: 1,
          newLines: 4,
        },
      ],
      calls: ["call-1"],
      protection: null,
    });
  });

  test.each<[what: string, before: Planted | null, after: Planted | null, expected: string[]]>([
    ["a file with other content", file("a"), file("b"), ["modified x"]],
    ["a file with other content and mode", file("a"), file("b", 0o755), ["modified x"]],
    ["a file with another mode", file("a"), file("a", 0o600), ["mode x"]],
    ["a file that got setuid", file("a", 0o755), file("a", 0o4755), ["mode x"]],
    ["a file that was only touched", file("a"), file("a"), []],
    ["a new empty file", null, file(""), ["added x"]],
    ["an empty directory that is gone", directory(), null, ["deleted x"]],
    ["a directory with another mode", directory(), directory(0o700), ["mode x"]],
    ["a link that leads elsewhere", symlink("a"), symlink("b"), ["symlink x"]],
    ["a link that was made again", symlink("a"), symlink("a"), []],
    ["a file that became a link", file("a"), symlink("a"), ["type x"]],
    ["a link that became a directory", symlink("a"), directory(), ["type x"]],
    ["a directory that became a file", directory(), file("a"), ["type x"]],
  ])("%s is %j -> %j: %j", (_, before, after, expected) => {
    const world = makeWorld(before ? { x: before } : {}, after ? { x: after } : {});
    world.makeLayer("call-1", after ? ["x"] : []);
    expect(named(world.diff(["call-1"]))).toEqual(expected);
  });

  test("shows setuid, setgid and sticky bits in its modes", () => {
    const [change] = diffOf({ x: file("a") }, { x: file("b", 0o7755) });
    expect(change?.after?.mode).toBe(0o7755);
  });

  test("of a directory lists all that came or went with it", () => {
    const tree = { d: directory(), "d/e": directory(), "d/e/f": file("1"), "d/l": symlink("e") };
    expect(named(diffOf(tree, {}))).toEqual(["deleted d", "deleted d/e", "deleted d/e/f", "deleted d/l"]);
    expect(named(diffOf({}, tree))).toEqual(["added d", "added d/e", "added d/e/f", "added d/l"]);
    expect(named(diffOf(tree, { d: file("1") }))).toEqual([
      "type d",
      "deleted d/e",
      "deleted d/e/f",
      "deleted d/l",
    ]);
  });

  test("of a directory that was deleted and made again lists what it hides, though no layer names it", () => {
    const world = makeWorld(
      { "d/a": file("a"), "d/sub/b": file("b"), "d/kept/c": file("c") },
      { d: directory(), "d/kept": directory(), "d/new": file("new") },
    );
    for (const name of ["d/kept", "d"]) fs.mkdirSync(`${world.top}/call-1/${name}`, { recursive: true });
    fs.writeFileSync(`${world.top}/call-1/d/new`, "");
    expect(named(world.diff(["call-1"]))).toEqual([
      "deleted d/a",
      "deleted d/kept/c",
      "added d/new",
      "deleted d/sub",
      "deleted d/sub/b",
    ]);
  });

  test("crash-016: of a special file says its kind, and nothing waits for one", () => {
    const { top, before, after, ...world } = makeWorld({ pipe: file("a") }, {});
    execFileSync("mkfifo", [`${before}/old`, `${after}/new`, `${after}/pipe`]);
    fs.mkdirSync(`${top}/call-1`);
    for (const name of ["old", "new", "pipe"]) fs.writeFileSync(`${top}/call-1/${name}`, "");
    const changes = world.diff(["call-1"]);
    expect(changes.map(({ kind, path, before, after }) => [kind, path, before?.kind, after?.kind])).toEqual([
      ["added", "new", undefined, "fifo"],
      ["deleted", "old", "fifo", undefined],
      ["type", "pipe", "file", "fifo"],
    ]);
  });

  test("names the class of protection of its path", () => {
    const tree = {
      ".git/hooks/x": file("1"),
      ".github/workflows/y": file("2"),
      secrets: directory(),
      "secrets.ts": file("4"),
      z: file("3"),
    };
    expect(diffOf({}, tree).map(({ path, protection }) => [path, protection])).toEqual([
      [".git", "self-running"],
      [".git/hooks", "self-running"],
      [".git/hooks/x", "self-running"],
      [".github", null],
      [".github/workflows", null],
      [".github/workflows/y", "ci"],
      ["secrets", null],
      ["secrets.ts", "credential-source"],
      ["z", null],
    ]);
  });
});

describe("a secret", () => {
  test("is listed by name and kind, without content", () => {
    const world = makeWorld(
      { "d/.env": file("KEY=1"), "gone.pem": file("1"), "a.key": symlink("1") },
      { "d/.env": file("KEY=2"), "new.pem": file("1"), "a.key": symlink("2") },
    );
    world.makeLayer("call-1");
    const found = world.diff(["call-1"]);
    expect(named(found)).toEqual(["symlink a.key", "modified d/.env", "deleted gone.pem", "added new.pem"]);
    for (const change of found)
      expect(change).toMatchObject({ secret: true, hunks: [], added: 0, removed: 0 });
    expect(found[0]).toMatchObject({ before: { target: null }, after: { target: null } });
  });

  test("that is the same in the project is no change", () => {
    const world = makeWorld({ ".env": file("KEY=1") }, { ".env": file("KEY=1") });
    world.makeLayer("call-1");
    expect(world.diff(["call-1"])).toEqual([]);
  });

  test("that the session never had is not listed with a directory that is gone", () => {
    const world = makeWorld({ "d/.env": file("KEY=1"), "d/x": file("1") }, {});
    world.makeLayer("call-1");
    const isHidden = (path: string) => path === "d/.env";
    expect(named(world.diff(["call-1"], { isHidden }))).toEqual(["deleted d", "deleted d/x"]);
    expect(named(world.diff(["call-1"]))).toEqual(["deleted d", "deleted d/.env", "deleted d/x"]);
  });
});

describe("calls", () => {
  test("are those whose layers have the name, oldest first; what went with a directory went by the directory's", () => {
    const { top, ...world } = makeWorld(
      { a: file("1"), "d/x": file("1"), "d/e/y": file("1") },
      { a: file("2"), "n/b": file("3") },
    );
    for (const dir of ["call-1", "call-2/n", "call-3"]) fs.mkdirSync(`${top}/${dir}`, { recursive: true });
    for (const name of ["call-1/a", "call-2/n/b", "call-3/a", "call-3/d"])
      fs.writeFileSync(`${top}/${name}`, "");
    const changes = world.diff(["call-1", "call-2", "call-3"]);
    expect(changes.map(({ path, calls }) => [path, calls])).toEqual([
      ["a", ["call-1", "call-3"]],
      ["d", ["call-3"]],
      ["d/e", ["call-3"]],
      ["d/e/y", ["call-3"]],
      ["d/x", ["call-3"]],
      ["n", ["call-2"]],
      ["n/b", ["call-2"]],
    ]);
  });
});

describe("a renamed file", () => {
  /** `a=1 b/c=2` are two files with these contents. */
  const tree = (text: string): Record<string, Planted> =>
    Object.fromEntries(text.split(" ").map((part) => [part.split("=")[0]!, file(part.split("=")[1]!)]));
  const told = (changes: readonly Change[]) =>
    changes
      .filter(({ before, after }) => (before ?? after)?.kind !== "directory")
      .map(({ kind, from, path }) => (from === undefined ? `${kind} ${path}` : `${kind} ${from} -> ${path}`));

  test("is one change with both names, without lines", () => {
    const [change] = diffOf({ old: file("1\n2\n") }, { new: file("1\n2\n", 0o755) });
    expect(change).toEqual({
      path: "new",
      from: "old",
      kind: "renamed",
      before: { kind: "file", mode: 0o644, size: 4, target: null },
      after: { kind: "file", mode: 0o755, size: 4, target: null },
      binary: false,
      added: 0,
      removed: 0,
      hunks: [],
      calls: ["call-1"],
      protection: null,
    });
  });

  test.each<[what: string, before: string, after: string, expected: string[]]>([
    ["goes with its name first", "a/x=1 a/y=1", "b/y=1 c=1", ["renamed a/y -> b/y", "renamed a/x -> c"]],
    [
      "moves with its directory",
      "a/1/x=1 a/2/x=1",
      "b/1/x=1 b/2/x=1",
      ["renamed a/1/x -> b/1/x", "renamed a/2/x -> b/2/x"],
    ],
    ["has one origin that no other has", "a=1", "b=1 c=1", ["renamed a -> b", "added c"]],
    ["leaves the other copies gone", "a=1 b=1", "c=1", ["deleted b", "renamed a -> c"]],
    ["is not empty", "a=", "b=", ["deleted a", "added b"]],
    ["has the same content, not only the same size", "a=1", "b=2", ["deleted a", "added b"]],
    ["is no longer where it was", "a=1", "a=1 b=1", ["added b"]],
    [
      "is of the same class of protection",
      ".git/x=1 a=2",
      "x=1 .vscode/a=2",
      ["deleted .git/x", "added .vscode/a", "deleted a", "added x"],
    ],
    ["may move within a class", ".git/x=1", ".git/y=1", ["renamed .git/x -> .git/y"]],
  ])("%s: %s -> %s", (_, before, after, expected) => {
    expect(told(diffOf(tree(before), tree(after)))).toEqual(expected);
  });

  test("is no link", () => {
    expect(told(diffOf({ a: symlink("x") }, { b: symlink("x") }))).toEqual(["deleted a", "added b"]);
  });

  test("has the calls that had a part in it", () => {
    const { top, ...world } = makeWorld({ a: file("1") }, { b: file("1") });
    for (const [layer, name] of [
      ["call-1", "b"],
      ["call-2", "a"],
    ]) {
      fs.mkdirSync(`${top}/${layer}`);
      fs.writeFileSync(`${top}/${layer}/${name}`, "");
    }
    expect(world.diff(["call-1", "call-2"])).toMatchObject([
      { from: "a", path: "b", calls: ["call-2", "call-1"] },
    ]);
  });
});

describe("contents", () => {
  const line = "a line of thirty-two characters\n";
  const large = line.repeat(LIMITS.maxDiffFileBytes / line.length + 1);

  test.each<[what: string, before: string, after: string, binary: boolean]>([
    ["a large text with another end", large, `${large}!`, false],
    ["a large text of the same size, with another last byte", `${large}a`, `${large}b`, false],
    ["a text that became large", "a\n", large, false],
    ["a NUL in the first 8 KiB", "a\n", `a${"b".repeat(8190)}\0`, true],
    ["a binary that became text", "\0", "a\n", true],
    ["a large binary", `\0${large}`, `\0${large}\0`, true],
  ])("%s: no hunks, no lines", (_, before, after, binary) => {
    const [change] = diffOf({ x: file(before) }, { x: file(after) });
    expect(change).toMatchObject({ kind: "modified", binary, added: 0, removed: 0, hunks: [] });
  });

  test("a NUL after the first 8 KiB is text", () => {
    const [change] = diffOf({ x: file("a\n") }, { x: file(`${"b".repeat(8192)}\0`) });
    expect(change).toMatchObject({ binary: false, added: 1, removed: 1 });
  });

  test("large files that are the same are no change", () => {
    const world = makeWorld({ x: file(`${large}\0`) }, { x: file(`${large}\0`) });
    world.makeLayer("call-1", ["x"]);
    expect(world.diff(["call-1"])).toEqual([]);
  });

  test("beyond the limit of one diff are not shown, and what was edited goes before what is new", () => {
    const size = LIMITS.maxDiffFileBytes - line.length;
    const text = line.repeat(size / line.length);
    const count = Math.ceil(LIMITS.maxDiffTextChars / text.length) + 2;
    const news = Array.from({ length: count }, (_, index) => [`new-${index}`, file(`${index}\n${text}`)]);
    const changes = diffOf({ z: file("1\n") }, { z: file("2\n"), ...Object.fromEntries(news) });
    expect(changes.at(-1)).toMatchObject({ path: "z", added: 1, removed: 1 });
    const shown = changes.filter(({ hunks }) => hunks.length > 0).length;
    expect(shown).toBeGreaterThan(2);
    expect(shown).toBeLessThan(changes.length);
    expect(changes.every(({ binary }) => !binary)).toBe(true);
  });

  test("that are not UTF-8 are kept in the hunks, byte for byte", () => {
    const [change] = diffOf({ x: file("caf\xe9\n") }, { x: file("caf\xc3\xa9\n") });
    expect(change?.hunks[0]?.lines).toEqual(["-caf\uDCE9", "+café"]);
  });
});

describe("cost", () => {
  test("of one change in a directory of 43,000 files: no other file is opened", () => {
    const { top, before, after, ...world } = makeWorld();
    execFileSync("sh", ["-ec", "umask 777; seq -f f%g 43000 | xargs touch"], { cwd: before });
    execFileSync("rm", ["-rf", after]);
    execFileSync("cp", ["-al", before, after]);
    for (const [dir, content] of [
      [before, "1\n"],
      [after, "2\n"],
    ]) {
      fs.rmSync(`${dir}/f77`);
      fs.writeFileSync(`${dir}/f77`, content!);
    }
    for (const [layer, names] of [
      ["call-1", ["f77"]],
      ["call-2", ["f77", "f78"]],
    ] as const) {
      fs.mkdirSync(`${top}/${layer}`);
      for (const name of names) fs.writeFileSync(`${top}/${layer}/${name}`, "");
    }
    asNobody([before], () => {
      expect(named(world.diff(["call-1"]))).toEqual(["modified f77"]);
      // What may not be opened can't be shown.
      expect(world.diff(["call-2"]).map(({ path: at, binary }) => [at, binary])).toEqual([
        ["f77", false],
        ["f78", true],
      ]);
    });
  });

  test("without a touched name: not even the root is listed", () => {
    const { top, before, ...world } = makeWorld({ a: file("1") }, {});
    fs.mkdirSync(`${top}/call-1`);
    fs.chmodSync(before, 0o100);
    expect(asNobody([before], () => world.diff(["call-1"]))).toEqual([]);
  });
});

describe("what can't be read", () => {
  test.each<[where: string, message: string]>([
    ["before/d/closed", 'Could not list "d/closed": permission denied by the system (EACCES).'],
    ["after/d/closed", 'Could not list "d/closed": permission denied by the system (EACCES).'],
    ["before/d", 'Could not list "d": permission denied by the system (EACCES).'],
  ])("an unreadable directory is named: %s", (where, message) => {
    const { top, ...world } = makeWorld({ "d/closed/x": file("1") }, { "d/closed/x": file("2") });
    world.makeLayer("call-1");
    fs.chmodSync(`${top}/${where}`, 0o300);
    const refused = asNobody([`${top}/before`], () => refusal(() => world.diff(["call-1"])));
    expect(refused).toEqual({ code: "EXECUTION_ERROR", message });
  });
});

describe("crash-015: where a path is longer than can be named", () => {
  const DEPTH = 110;
  const NAME = "d".repeat(40);
  const deepPath = Array(DEPTH).fill(NAME).join("/");

  function dig(root: string, content: string): void {
    const fd = fs.openSync(root, fs.constants.O_DIRECTORY);
    const cursor = createCursor(fd);
    for (let depth = 0; depth < DEPTH; depth++) {
      makeDirectory(cursor.fd, NAME, null);
      cursor.down(NAME);
    }
    fs.writeFileSync(`/proc/self/fd/${cursor.fd}/x`, content);
    cursor.close();
    fs.closeSync(fd);
  }

  test.each<[what: string, before: string | null, after: string | null, kind: string]>([
    ["an edit", "1\n", "2\n", "modified"],
    ["a new tree", null, "2\n", "added"],
    ["a tree that is gone", "1\n", null, "deleted"],
  ])("%s is found, as a change of the last directory that can be named", (_, before, after, kind) => {
    const { top, ...world } = makeWorld();
    if (before !== null) dig(world.before, before);
    if (after !== null) dig(world.after, after);
    fs.mkdirSync(`${top}/call-1`);
    if (after === null) fs.writeFileSync(`${top}/call-1/${NAME}`, "");
    else dig(`${top}/call-1`, "");
    const changes = world.diff(["call-1"]);
    const last = changes.at(-1)!;
    expect(last).toMatchObject({ kind, calls: ["call-1"] });
    expect(`${deepPath}/x`.startsWith(`${last.path}/`)).toBe(true);
    expect(last.path.length).toBeLessThanOrEqual(LIMITS.maxPathBytes);
    expect(changes).toHaveLength(kind === "modified" ? 1 : last.path.split("/").length);
  });
});
