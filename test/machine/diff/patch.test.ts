// Diffs against the git of this machine: what it makes of our patches, and what it says of the same texts.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Change, Hunk } from "../../../src/workspace/diff/changes.ts";
import { diffLines } from "../../../src/workspace/diff/diff-lines.ts";
import { applyHunks, hunksOf, threeWayMerge } from "../../../src/workspace/diff/hunks.ts";
import { quotePath } from "../../../src/workspace/diff/quote-path.ts";
import { patchText } from "../../../src/workspace/diff/render.ts";
import { bytesOf, splitLines, textOf } from "../../../src/workspace/diff/text.ts";
import { assertProperty } from "../../kit/assert-property.ts";
import { type TwoTrees, texts, twoTrees } from "../../kit/models/arbitrary-trees.ts";
import { type DiffWorld, makeDiffWorld } from "../../kit/worlds/diff-world.ts";
import {
  file,
  type Planted,
  type PlantedTree,
  plant,
  survey,
  symlink,
} from "../../kit/worlds/planted-tree.ts";

let top: string;
beforeAll(() => {
  top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-patch-")));
});
afterAll(() => fs.rmSync(top, { recursive: true }));

function git(cwd: string, args: readonly string[], input?: Buffer) {
  const env = {
    PATH: process.env.PATH,
    GIT_CONFIG_NOSYSTEM: "1",
    HOME: "/nonexistent",
    GIT_CEILING_DIRECTORIES: os.tmpdir(),
    LC_ALL: "C",
  };
  const { status, stdout, stderr } = spawnSync("git", args, { cwd, env, input, maxBuffer: 1 << 28 });
  return { status, stdout: stdout.toString("latin1"), stderr: stderr.toString() };
}

const DONE = { status: 0, stdout: "", stderr: "" };
const apply = (cwd: string, patch: Buffer, ...flags: string[]) =>
  patch.length === 0 ? DONE : git(cwd, ["apply", "--whitespace=nowarn", "-p1", ...flags], patch);

/** What a patch speaks of: files with git's modes, and links. */
function gitTree(tree: PlantedTree): Map<string, string> {
  const shown = new Map<string, string>();
  for (const [path, planted] of [...tree].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (planted.kind === "symlink") shown.set(path, `link to ${JSON.stringify(planted.target)}`);
    if (planted.kind === "file")
      shown.set(path, `${planted.mode & 0o100 ? "executable" : "file"} ${JSON.stringify(planted.content)}`);
  }
  return shown;
}

/** Git knows no empty directories, and would stumble over one where a file shall be. */
function withoutEmptyDirectories(tree: PlantedTree): Map<string, Planted> {
  const isNeeded = (path: string) =>
    [...tree].some(([other, { kind }]) => kind !== "directory" && other.startsWith(`${path}/`));
  return new Map([...tree].filter(([path, { kind }]) => kind !== "directory" || isNeeded(path)));
}

function patchOf(
  world: DiffWorld,
  alsoTouched: readonly string[] = [],
): { changes: Change[]; patch: Buffer } {
  world.makeLayer("call-1", alsoTouched);
  const changes = world.diff(["call-1"]);
  return { changes, patch: world.patch(changes) };
}

function applied(before: PlantedTree, after: PlantedTree, alsoTouched: readonly string[] = []): Set<string> {
  const world = makeDiffWorld(before, after);
  try {
    const { changes, patch } = patchOf(world, alsoTouched);
    const copy = `${world.top}/copy`;
    plant(copy, withoutEmptyDirectories(before));
    expect(apply(copy, patch)).toEqual(DONE);
    expect(gitTree(survey(copy))).toEqual(gitTree(after));
    expect(apply(copy, patch, "--reverse")).toEqual(DONE);
    expect(gitTree(survey(copy))).toEqual(gitTree(before));
    return new Set(changes.map(({ kind, binary }) => (binary ? "binary" : kind)));
  } finally {
    world.remove();
  }
}

const ONE_OF_EACH_KIND: TwoTrees = {
  before: new Map([
    ["binary", file("\0 1")],
    ["deleted", file("1\n")],
    ["mode", file("2\n", 0o644)],
    ["modified", file("3\n")],
    ["old name", file("4\n")],
    ["symlink", symlink("no")],
    ["type", file("5\n")],
  ]),
  after: new Map([
    ["added", file("6\n")],
    ["binary", file("\0 2")],
    ["mode", file("2\n", 0o755)],
    ["modified", file("three\n")],
    ["new name", file("4\n")],
    ["symlink", symlink("../no")],
    ["type", symlink("no")],
  ]),
  alsoTouched: [],
};

/** Those that are not git's. */
function filesIn(root: string): Record<string, string> {
  const names = fs.readdirSync(root).filter((name) => name !== ".git");
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(`${root}/${name}`, "utf8")]));
}

describe("a patch, applied by git to what was before,", () => {
  test("gives what is after, and reversed what was before, for random trees", () => {
    const seen = new Set<string>();
    assertProperty(
      fc.property(twoTrees, ({ before, after, alsoTouched }) => {
        for (const kind of applied(before, after, alsoTouched)) seen.add(kind);
      }),
      { numRuns: 250, examples: [[ONE_OF_EACH_KIND]] },
    );
    expect([...seen].sort()).toEqual([
      "added",
      "binary",
      "deleted",
      "mode",
      "modified",
      "renamed",
      "symlink",
      "type",
    ]);
  });

  const NAMES = [
    "a b",
    " leading",
    "trailing ",
    "tab\t",
    "new\nline",
    'quo"te',
    "back\\slash",
    "é",
    "日本語",
    "\uDCFF\uDC80",
    "\u0001\u007f",
    "-dash",
    "a/b c/d",
    "dev/null",
    "b/x",
    "a => b",
    "{a}",
    "x b/x",
    " /x",
  ];

  test.each(NAMES)(
    "takes a file named %j: edited, new, empty, removed, linked, executable, renamed, binary",
    (name) => {
      const other = `${name}.other`;
      const versions: [Planted | null, Planted | null][] = [
        [file("1\n"), file("2\n")],
        [null, file("1\n")],
        [null, file("")],
        [file(""), null],
        [file("1"), null],
        [symlink("a"), symlink("b")],
        [file("1"), file("1", 0o755)],
        [file("\0"), file("\0\0")],
        [file("1"), symlink("a")],
      ];
      const tree = (planted: Planted | null) => new Map(planted === null ? [] : [[name, planted]]);
      for (const [before, after] of versions) applied(tree(before), tree(after));
      expect(applied(new Map([[name, file("1\n")]]), new Map([[other, file("1\n")]]))).toContain("renamed");
    },
  );

  test("takes files that are too large to show, and binary ones that do not deflate", () => {
    const lines = "a line\n".repeat(200_000);
    const noise = Buffer.from(
      Uint32Array.from({ length: 50_000 }, (_, index) => (index * 2_654_435_761) >>> 0).buffer,
    );
    const before = new Map([
      ["large", file(lines)],
      ["noise", file(`\0${noise.toString("latin1")}`)],
    ]);
    const after = new Map([
      ["large", file(`${lines}!`)],
      ["noise", file(`\0${noise.toString("latin1")}\x01`)],
      ["new", file(lines, 0o755)],
    ]);
    applied(before, after);
  });

  const GIT_NAMES = [".git", "sub/.git", ".GIT", ".git .", "git~1", ".git:x", ".git\\x"];

  test.each(GIT_NAMES)("leaves out what is in %j, and takes the rest", (name) => {
    const world = makeDiffWorld(
      new Map([
        [`${name}/index`, file("1\n")],
        [`${name}/out`, file("2\n", 0o755)],
        [`${name}/moved`, file("3\n")],
        ["in", file("4\n")],
        ["x", file("5\n")],
      ]),
      new Map([
        [`${name}/index`, file("one\n")],
        ["out", file("2\n", 0o755)],
        [`${name}/moved there`, file("3\n")],
        [`${name}/in`, file("4\n")],
        ["x", file("five\n")],
      ]),
    );
    onTestFinished(() => world.remove());
    const { patch } = patchOf(world);
    const copy = `${world.top}/copy`;
    const before = { in: file("4\n"), x: file("5\n") };
    plant(copy, new Map(Object.entries(before)));
    expect(git(copy, ["init", "--quiet"])).toEqual(DONE);
    expect(apply(copy, patch)).toEqual(DONE);
    expect(filesIn(copy)).toEqual({ out: "2\n", x: "five\n" });
    expect(apply(copy, patch, "--reverse")).toEqual(DONE);
    expect(filesIn(copy)).toEqual({ in: "4\n", x: "5\n" });
  });

  test.each(GIT_NAMES)("git takes no patch for %j", (name) => {
    const at = quotePath(`b/${name}/x`);
    const patch = `diff --git ${at} ${at}\nnew file mode 100644\n--- /dev/null\n+++ ${at}\n@@ -0,0 +1 @@\n+x\n`;
    expect(apply(top, Buffer.from(patch))).toMatchObject({ stderr: expect.stringContaining("invalid path") });
  });

  test("is not affected by setuid, setgid and sticky bits: it carries git's modes alone", () => {
    const world = makeDiffWorld(new Map(), new Map([["x", file("1\n", 0o7755)]]));
    const { changes, patch } = patchOf(world);
    world.remove();
    expect(changes[0]?.after?.mode).toBe(0o7755);
    expect(patch.toString()).toMatch(/^diff --git a\/x b\/x\nnew file mode 100755\n--- /);
  });
});

describe("hunks", () => {
  const side = { kind: "file", mode: 0o644, size: 1, target: null } as const;
  const noReader = {
    read: () => {
      throw new Error("a text patch needs no file");
    },
  };

  /** The patch of only these hunks: lines below a hunk that is left out are not moved by it. */
  function patchOfHunks(hunks: readonly Hunk[]): Buffer {
    let moved = 0;
    const placed = hunks.map((hunk) => {
      const start = (hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1) + moved;
      moved += hunk.newLines - hunk.oldLines;
      const newStart = hunk.newLines === 0 ? start : start + 1;
      return { ...hunk, header: `@@ -${hunk.oldStart},${hunk.oldLines} +${newStart},${hunk.newLines} @@` };
    });
    const change: Change = {
      path: "x",
      kind: "modified",
      before: side,
      after: side,
      binary: false,
      added: 0,
      removed: 0,
      hunks: placed,
      calls: [],
      protection: null,
    };
    return Buffer.concat([...patchText([change], { before: noReader, after: noReader })]);
  }

  test("of which some are chosen give what git makes of these alone, for every choice", () => {
    let most = 0;
    assertProperty(
      fc.property(texts, texts, (before, after) => {
        const old = textOf(Buffer.from(before, "latin1"));
        const hunks = hunksOf("x", old, textOf(Buffer.from(after, "latin1")));
        most = Math.max(most, hunks.length);
        for (let choice = 1; choice < 1 << hunks.length; choice++) {
          const chosen = hunks.filter((_, index) => choice & (1 << index));
          fs.writeFileSync(`${top}/x`, before, "latin1");
          expect(apply(top, patchOfHunks(chosen))).toEqual(DONE);
          expect(fs.readFileSync(`${top}/x`, "latin1")).toBe(
            bytesOf(applyHunks(old, chosen)).toString("latin1"),
          );
        }
      }),
      { numRuns: 200 },
    );
    expect(most).toBeGreaterThanOrEqual(4);
  });
});

describe("git says the same", () => {
  const put = (name: string, content: string) => fs.writeFileSync(`${top}/${name}`, content, "latin1");

  // Not even with --minimal does it always find the fewest: "a" is common to "\n\na\n\n\n\n\na" and "a\na\na\na\n".
  test("of how many lines changed, or finds more", () => {
    assertProperty(
      fc.property(texts, texts, (before, after) => {
        put("old", before);
        put("new", after);
        const { stdout } = git(top, ["diff", "--no-index", "--minimal", "--numstat", "old", "new"]);
        const [added = 0, removed = 0] = stdout.split("\t").map(Number);
        const edits = diffLines(splitLines(before), splitLines(after));
        const sum = (count: (edit: (typeof edits)[number]) => number) =>
          edits.reduce((all, edit) => all + count(edit), 0);
        const ours = sum((edit) => edit.newEnd - edit.newStart);
        expect(ours).toBeLessThanOrEqual(added);
        expect(ours - sum((edit) => edit.oldEnd - edit.oldStart)).toBe(added - removed);
      }),
      { numRuns: 300 },
    );
  });

  test("of every merge that is clean to us", () => {
    let clean = 0;
    const fates = fc.array(
      fc.constantFrom("kept", "kept", "kept", "kept", "ours", "theirs", "both", "odds"),
      { minLength: 1, maxLength: 30 },
    );
    const ways = fc.constantFrom(
      (line: string) => `${line}!\n`,
      () => "",
      (line: string) => `${line}\n${line} more\n`,
    );
    assertProperty(
      fc.property(fates, ways, ways, fc.boolean(), (lines, ourWay, theirWay, cut) => {
        const version = (side: string, way: (line: string) => string): string => {
          const text = lines.map((fate, index) => {
            if (fate === "odds" && side !== "base") return `${index} ${side}\n`;
            if (fate === "both" && side !== "base") return ourWay(`${index}`);
            return fate === side ? way(`${index}`) : `${index}\n`;
          });
          return text.join("").slice(0, cut ? -1 : undefined);
        };
        const [base, ours, theirs] = [
          version("base", ourWay),
          version("ours", ourWay),
          version("theirs", theirWay),
        ];
        const merged = threeWayMerge(base, ours, theirs);
        if ("conflict" in merged) return;
        clean++;
        for (const [name, text] of Object.entries({ base, ours, theirs })) put(name, text);
        expect(git(top, ["merge-file", "-p", "ours", "base", "theirs"])).toEqual({
          ...DONE,
          stdout: merged.text,
        });
      }),
      { numRuns: 600 },
    );
    expect(clean).toBeGreaterThan(100);
  });

  test.each([
    "a b",
    "tab\t",
    "new\nline",
    'quo"te',
    "back\\slash",
    "é",
    "\uDCFF",
    "\u0001\u007f\u001b",
    "\r\v\f\b\u0007",
    "it's~",
  ])("of how %j is quoted", (name) => {
    const dir = fs.mkdtempSync(`${top}/quoted-`);
    fs.mkdirSync(`${dir}/empty`);
    fs.mkdirSync(`${dir}/full`);
    fs.writeFileSync(bytesOf(`${dir}/full/${name}`), "x");
    const { stdout } = git(dir, ["diff", "--no-index", "--name-only", "empty", "full"]);
    expect(`${quotePath(`full/${name}`)}\n`).toBe(stdout);
  });
});
