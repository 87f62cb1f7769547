// Random rule files on random trees: what we make of them against what the git of this machine says.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { osPath } from "../../../src/workspace/fs/names.ts";
import {
  type IgnoreStack,
  isIgnored,
  NOTHING_IGNORED,
  rulesFor,
} from "../../../src/workspace/search/ignore/ignore-stack.ts";
import { repeatably, seedsTo } from "../../kit/assert-property.ts";
import { MEMORY_DIR } from "../../kit/memory-dir.ts";
import { ignoreTrees, type Tree } from "../../kit/models/arbitrary-ignore-trees.ts";
import { IGNORE_TABLE } from "../../kit/models/ignore-table.ts";

const TREES_PER_SEED = 130;

let top: string;
// Before 2.52 git cut the literal beginning off a rule, and then took the stars of `a**/b` for whole names.
let cutsPrefix: boolean;

beforeAll(() => {
  top = fs.realpathSync(fs.mkdtempSync(path.join(MEMORY_DIR, "hotcell-ignore-")));
  git(top, ["init", "-q", "--bare", "--template=", "git"]);
  const probe: Tree = { rules: "/a**/b", entries: new Map([["ab", null]]) };
  cutsPrefix = askGit(probe, ["ab"])[0]!;
});
afterAll(() => fs.rmSync(top, { recursive: true }));

function git(cwd: string, args: readonly string[], input?: Buffer): Buffer {
  const env = {
    PATH: process.env.PATH,
    HOME: "/nonexistent",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    LC_ALL: "C",
  };
  const { status, stdout, stderr } = spawnSync("git", args, { cwd, env, input, maxBuffer: 1 << 26 });
  // check-ignore ends with 1 when nothing is ignored
  if (status !== 0 && status !== 1) throw new Error(`git ${args[0]}: ${status} ${stderr}`);
  return stdout;
}

function askGit(tree: Tree, paths: readonly string[]): boolean[] {
  const at = path.join(top, "tree");
  fs.rmSync(at, { recursive: true, force: true });
  plant(tree, at);
  const input = Buffer.concat(
    paths.map((each) => Buffer.concat([Buffer.from(osPath(each)), Buffer.from([0])])),
  );
  const where = ["--git-dir=../git", "--work-tree=."];
  const out = git(at, [...where, "check-ignore", "--no-index", "--stdin", "-z", "-v", "-n"], input);
  const fields = out.toString("latin1").split("\0");
  expect(fields.length).toBe(paths.length * 4 + 1);
  return paths.map((each, index) => {
    const [, , rule, asked] = fields.slice(index * 4);
    expect(asked).toBe(Buffer.from(osPath(each)).toString("latin1"));
    return rule !== "" && !rule!.startsWith("!");
  });
}

function plant({ rules, entries }: Tree, at: string): void {
  fs.mkdirSync(osPath(at));
  if (rules !== null) fs.writeFileSync(osPath(`${at}/.gitignore`), osPath(rules));
  for (const [name, entry] of entries) {
    if (entry === null) fs.writeFileSync(osPath(`${at}/${name}`), "");
    else plant(entry, `${at}/${name}`);
  }
}

/** Every path below, and whether we leave it out. */
function* askOurs(tree: Tree, above: IgnoreStack, at = ""): Generator<readonly [string, boolean]> {
  const stack = rulesFor(above, { gitignore: tree.rules, ignore: null }, at);
  for (const [name, entry] of tree.entries) {
    const below = at === "" ? name : `${at}/${name}`;
    const ignored = isIgnored(stack, below, name, entry !== null);
    yield [below, ignored];
    if (entry === null) continue;
    if (ignored) for (const inside of pathsBelow(entry, below)) yield [inside, true];
    else yield* askOurs(entry, stack, below);
  }
}

function* pathsBelow(tree: Tree, at: string): Generator<string> {
  for (const [name, entry] of tree.entries) {
    yield `${at}/${name}`;
    if (entry !== null) yield* pathsBelow(entry, `${at}/${name}`);
  }
}

test.each(seedsTo(3))(
  ".gitignore matching equals git check-ignore on random rules and trees (seed %i)",
  (seed) =>
    repeatably(seed, () => {
      const trees = fc.sample(ignoreTrees, { seed, numRuns: TREES_PER_SEED });
      const answers = trees.flatMap(agreedAnswers);
      expect(answers.length).toBeGreaterThan(20_000);
      const ignored = answers.filter((it) => it).length / answers.length;
      expect(ignored).toBeGreaterThan(0.1);
      expect(ignored).toBeLessThan(0.9);
    }),
);

test(".gitignore matching equals git check-ignore on every row of the table", () => {
  const places = IGNORE_TABLE.flatMap(([rules, ignored, other]) =>
    [...ignored, ...other].map((at) => ({ rules, entries: new Map([entryAt(at.split("/"))]) })),
  );
  const entries = new Map(places.map((place, index) => [`${index}`, place]));
  expect(new Set(agreedAnswers({ rules: null, entries }))).toEqual(new Set([false, true]));
});

/** The last of the names is a file; with an empty one behind it, a directory. */
function entryAt([first, ...names]: readonly string[]): [string, Tree | null] {
  if (names.length === 0) return [first!, null];
  const entries = names[0] === "" ? [] : [entryAt(names)];
  return [first!, { rules: null, entries: new Map(entries) }];
}

const NAMED_CLASSES = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit".split(" ");

test.each(NAMED_CLASSES)("the class [:%s:] in .gitignore has the same bytes as in git", (named) => {
  const names = Array.from({ length: 255 }, (_, byte) => byte + 1)
    .filter((byte) => byte !== 0x2f)
    .map((byte) => `x${byte < 0x80 ? String.fromCharCode(byte) : String.fromCharCode(0xdc00 + byte)}`);
  const tree = { rules: `x[[:${named}:]]`, entries: new Map(names.map((each) => [each, null])) };
  expect(new Set(agreedAnswers(tree))).toEqual(new Set([false, true]));
});

/** For every path below, whether it is ignored. */
function agreedAnswers(given: Tree): boolean[] {
  const tree = cutsPrefix ? withoutPrefixedStars(given) : given;
  const ours = [...askOurs(tree, NOTHING_IGNORED)];
  const theirs = askGit(
    tree,
    ours.map(([at]) => at),
  );
  const different = ours.filter(([, said], index) => said !== theirs[index]);
  expect({ tree: different.length > 0 ? tree : null, different }).toEqual({ tree: null, different: [] });
  return theirs;
}

const PREFIXED_STARS = /(?<=(?:^|\n)[^\n*?[\\]*[^\n*?[\\/])(?<!(?:^|\n)!)\*{2,}/g;

function withoutPrefixedStars({ rules, entries }: Tree): Tree {
  const below = [...entries].map(([at, entry]) => [at, entry && withoutPrefixedStars(entry)] as const);
  return { rules: rules?.replaceAll(PREFIXED_STARS, "*") ?? null, entries: new Map(below) };
}
