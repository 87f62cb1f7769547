// Random trees and random queries: the search finds what a few lines of the simplest code find.
import fs from "node:fs";
import nodePath from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { SearchMatch, SearchQuery } from "../../../src/workspace/files/search-query.ts";
import { assertProperty } from "../../kit/assert-property.ts";
import { queryFor } from "../../kit/search-query.ts";
import { makeHostWorld } from "../../kit/worlds/host-workspace.ts";

/** Path to text; no name is a file's and a directory's. */
type Tree = ReadonlyMap<string, string>;

const directories = fc.array(fc.constantFrom("d", "e", ".dot", "é"), { maxLength: 3 });
const files = fc.constantFrom("a.ts", "b.md", ".hid", "Z", "\uFF5E", "\u{1F680}", "c");
const paths = fc.tuple(directories, files).map(([above, name]) => [...above, name].join("/"));
const words = fc.constantFrom("foo", "Foo", "bar", "fo", "", " ", "été", "🚀", "x", "foo foo");
const lines = fc.tuple(fc.array(words, { maxLength: 4 }), fc.constantFrom("\n", "\n", "\r\n", "\n\n"));
/** Around the sizes at which the search cuts what it reads; in a tree one character stands for each. */
const FILLERS = new Map([
  ["①", "y".repeat(65_533)],
  ["②", "y".repeat(1_048_574)],
  ["③", `${"y".repeat(63)}\n`.repeat(16_384)],
]);
const texts = fc
  .array(
    fc.oneof(
      { weight: 30, arbitrary: lines.map(([row, end]) => row.join("") + end) },
      { weight: 1, arbitrary: fc.constantFrom(...FILLERS.keys()) },
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(""));
const trees: fc.Arbitrary<Tree> = fc
  .array(fc.tuple(paths, texts), { maxLength: 12 })
  .map((entries) => new Map(entries));

const MAX_LINE_CHARS = 100;
const CUT = "…";
const SEEN_BY_BACKTRACKING = 1024 * 1024;

const GLOBS = new Map<string, (path: string) => boolean>([
  ["*.ts", (path) => path.endsWith(".ts")],
  ["!*.md", (path) => !path.endsWith(".md")],
  ["d/**", (path) => path.startsWith("d/")],
  ["!e", (path) => !path.split("/").includes("e")],
]);
const queries = fc.record({
  pattern: fc.constantFrom(
    "foo",
    "o",
    "ét",
    "f.*bar",
    "^(foo|x)",
    "o$",
    "^$",
    "[fb]o?",
    "(?<=f)oo",
    "(o)\\1 ",
  ),
  regex: fc.boolean(),
  ignoreCase: fc.boolean(),
  globs: fc.subarray([...GLOBS.keys()]),
  hidden: fc.constantFrom("none", "files", "all"),
  skipped: fc.subarray(["e"]),
  before: fc.nat(3),
  after: fc.nat(3),
  maxMatches: fc.constantFrom(1, 3, 1000),
});

test("search gives what the simplest search gives, on random trees", async () => {
  const { root, open, remove } = makeHostWorld();
  onTestFinished(remove);
  const workspace = open();
  onTestFinished(workspace.close);
  let run = 0;
  const property = fc.asyncProperty(trees, queries, async (tree, asked) => {
    const start = `${++run}`;
    plant(`${root}/${start}`, tree);
    const query = queryFor(asked.pattern, { ...asked, maxLineChars: MAX_LINE_CHARS });
    const { matches, truncated } = await workspace.search(start, query);
    const expected = naiveSearch(tree, query).map((match) => ({ ...match, path: `${start}/${match.path}` }));
    expect({ matches: matches.map(withoutCut), truncated }).toEqual({
      matches: expected.slice(0, query.maxMatches),
      truncated: expected.length > query.maxMatches,
    });
    fs.rmSync(`${root}/${start}`, { recursive: true });
  });
  await assertProperty(property, { numRuns: 400 });
});

const filled = (text: string): string => text.replace(/[①②③]/g, (mark) => FILLERS.get(mark)!);

/** Where in a long line it was cut is another test's. */
function withoutCut(match: SearchMatch): SearchMatch {
  return match.clipped ? { ...match, text: CUT } : match;
}

function plant(root: string, tree: Tree): void {
  fs.mkdirSync(root);
  for (const [path, text] of tree) {
    fs.mkdirSync(nodePath.dirname(`${root}/${path}`), { recursive: true });
    fs.writeFileSync(`${root}/${path}`, filled(text));
  }
}

function naiveSearch(tree: Tree, query: SearchQuery): SearchMatch[] {
  const wanted = [...tree.keys()].filter((path) => isWanted(path, query));
  return wanted.sort(byNames).flatMap((path) => naiveMatches(path, tree.get(path)!, query));
}

function isWanted(path: string, { hidden, globs, skipped }: SearchQuery): boolean {
  const names = path.split("/");
  const positive = globs.filter((glob) => !glob.startsWith("!"));
  const seen = hidden === "files" ? names.slice(0, -1) : names;
  if (hidden !== "all" && seen.some((name) => name.startsWith("."))) return false;
  if (names.slice(0, -1).some((name) => skipped.includes(name))) return false;
  if (!globs.filter((glob) => glob.startsWith("!")).every((glob) => GLOBS.get(glob)!(path))) return false;
  return positive.length === 0 || positive.some((glob) => GLOBS.get(glob)!(path));
}

function byNames(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a.replaceAll("/", "\0")), Buffer.from(b.replaceAll("/", "\0")));
}

function naiveMatches(path: string, text: string, query: SearchQuery): SearchMatch[] {
  const { pattern, regex, ignoreCase, before, after } = query;
  const source = regex ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const regexp = new RegExp(source, ignoreCase ? "i" : "");
  const isBacktracking = /\(\?<|\\1/.test(source);
  const all = filled(text).split("\n");
  if (all.at(-1) === "") all.pop();
  const whole = all.map((line) => line.replace(/\r$/, ""));
  const shown = whole.map((line) =>
    line.length > MAX_LINE_CHARS ? line.slice(0, MAX_LINE_CHARS) + CUT : line,
  );
  return whole.flatMap((line, index) => {
    if (!regexp.test(isBacktracking ? line.slice(0, SEEN_BY_BACKTRACKING) : line)) return [];
    const clipped = line.length > MAX_LINE_CHARS;
    return {
      path,
      line: index + 1,
      text: clipped ? CUT : line,
      before: shown.slice(Math.max(0, index - before), index),
      after: shown.slice(index + 1, index + 1 + after),
      clipped,
    };
  });
}
