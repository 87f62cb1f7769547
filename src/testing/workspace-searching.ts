import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { SearchMatch, SearchQuery, SearchResult } from "../workspace/files/search-query.ts";
import type { WorkspaceFS } from "../workspace/files/workspace-fs.ts";
import { parentOf } from "../workspace/fs/path-text.ts";
import { expectLaterRefusal } from "./suite.ts";
import type { Checks } from "./workspace-contract.ts";

const TRY_MS = 20;
const MOST_TRIES = 250;

type Asked = Partial<SearchQuery> & { readonly path?: string };

const PLAIN: Omit<SearchQuery, "pattern"> = {
  regex: false,
  ignoreCase: false,
  globs: [],
  hidden: "none",
  ignored: false,
  skipped: [],
  before: 0,
  after: 0,
  maxMatches: 1000,
  maxLineChars: 200,
};

/** A literal is also searched for as a pattern: both must give the same result. */
async function search(workspace: WorkspaceFS, pattern: string, asked: Asked = {}): Promise<SearchResult> {
  const { path = ".", ...rest } = asked;
  const query = { ...PLAIN, pattern, ...rest };
  const result = await workspace.search(path, query);
  if (query.regex) return result;
  const asPattern = pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  assert.deepEqual(await workspace.search(path, { ...query, regex: true, pattern: asPattern }), result);
  return result;
}

/** As `path:line:text`. */
async function found(workspace: WorkspaceFS, pattern: string, asked?: Asked): Promise<string[]> {
  return (await search(workspace, pattern, asked)).matches.map(shown);
}

const shown = ({ path, line, text }: SearchMatch): string => `${path}:${line}:${text}`;

function plant(root: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    fs.mkdirSync(`${root}/${parentOf(path)}`, { recursive: true });
    fs.writeFileSync(`${root}/${path}`, content);
  }
}

/** How many files of the same file system are open; threads that start have other ones. */
function openOn(root: string): number {
  const { dev } = fs.statSync(root);
  const isOn = (fd: string) => fs.statSync(`/proc/self/fd/${fd}`, { throwIfNoEntry: false })?.dev === dev;
  return fs.readdirSync("/proc/self/fd").filter(isOn).length;
}

export const SEARCHING: Checks = {
  async "search finds each line that has a literal once, with its number, and nothing of a pattern in it"({
    workspace,
    root,
  }) {
    plant(root, { f: "one\na.b a.b\nacb\r\nthe a.b\r\n\nlast a.b" });
    assert.deepEqual(await found(workspace, "a.b"), ["f:2:a.b a.b", "f:4:the a.b", "f:6:last a.b"]);
    assert.deepEqual(await found(workspace, "nowhere"), []);
  },

  async "search finds a pattern in JavaScript's syntax, line by line"({ workspace, root }) {
    plant(root, { f: "foo1\nbar\nfoo\n\nxfoo22\r\n" });
    assert.deepEqual(await found(workspace, "^foo\\d*$", { regex: true }), ["f:1:foo1", "f:3:foo"]);
    assert.deepEqual(await found(workspace, "o\\d+$", { regex: true }), ["f:1:foo1", "f:5:xfoo22"]);
    assert.deepEqual(await found(workspace, "^$", { regex: true }), ["f:4:"]);
    assert.deepEqual(await found(workspace, "foo|b[a-c]r", { regex: true, path: "f" }), [
      "f:1:foo1",
      "f:2:bar",
      "f:3:foo",
      "f:5:xfoo22",
    ]);
  },

  async "search with look-around and back-references works, and says so"({ workspace, root }) {
    plant(root, { f: "abab\nabba\nxab\n" });
    const { matches, engine } = await search(workspace, "(?<!x)(ab)\\1", { regex: true });
    assert.deepEqual([matches.map(shown), engine], [["f:1:abab"], "backtracking"]);
    assert.equal((await search(workspace, "ab", { regex: true })).engine, "linear");
  },

  async "search refuses a pattern that is none"({ workspace }) {
    await expectLaterRefusal("INVALID_ARGUMENTS", () => search(workspace, "(", { regex: true }));
    await expectLaterRefusal("INVALID_ARGUMENTS", () => search(workspace, ""));
    await expectLaterRefusal("INVALID_ARGUMENTS", () => search(workspace, "a\nb"));
  },

  async "search ignores case only if requested, for non-ASCII letters too"({ workspace, root }) {
    plant(root, { f: "Straße\nSTRASSE\nÉTÉ\nété\n[X]\n{x}\n" });
    assert.deepEqual(await found(workspace, "stra"), []);
    assert.deepEqual(await found(workspace, "STRA", { ignoreCase: true }), ["f:1:Straße", "f:2:STRASSE"]);
    assert.deepEqual(await found(workspace, "éTé", { ignoreCase: true }), ["f:3:ÉTÉ", "f:4:été"]);
    assert.deepEqual(await found(workspace, "[X", { ignoreCase: true }), ["f:5:[X]"]);
    assert.deepEqual(await found(workspace, "^s.r", { regex: true, ignoreCase: true }), [
      "f:1:Straße",
      "f:2:STRASSE",
    ]);
  },

  async "search goes depth first, names in order of their bytes, files and directories alike"({
    workspace,
    root,
  }) {
    const names = ["B", "a/z", "a.txt", "a/b/c", "é", "z", "\u{1F680}", "\uFF5E"];
    plant(root, Object.fromEntries(names.map((name) => [name, "hit"])));
    const expected = ["B", "a/b/c", "a/z", "a.txt", "z", "é", "\uFF5E", "\u{1F680}"];
    assert.deepEqual(
      await found(workspace, "hit"),
      expected.map((name) => `${name}:1:hit`),
    );
  },

  async "search gives the first matches in that order, and says that there are more"({ workspace, root }) {
    for (let at = 100; at < 400; at++) plant(root, { [`d${at % 7}/f${at}`]: "hit\nno\nhit\n" });
    const all = await search(workspace, "hit");
    assert.deepEqual([all.matches.length, all.filesScanned, all.truncated], [600, 300, false]);
    for (const maxMatches of [1, 7, 599]) {
      const some = await search(workspace, "hit", { maxMatches });
      assert.deepEqual(some.matches, all.matches.slice(0, maxMatches));
      assert.deepEqual([some.filesScanned, some.truncated], [Math.ceil((maxMatches + 1) / 2), true]);
    }
    assert.equal((await search(workspace, "hit", { maxMatches: 600 })).truncated, false);
  },

  async "search begins at the given path: below a directory, in a file, through a link to it"({
    workspace,
    root,
  }) {
    plant(root, { f: "hit", "d/f": "hit", "d/sub/.hidden": "hit" });
    fs.symlinkSync("d", `${root}/l`);
    assert.deepEqual(await found(workspace, "hit", { path: "d" }), ["d/f:1:hit"]);
    assert.deepEqual(await found(workspace, "hit", { path: "l" }), ["d/f:1:hit"]);
    assert.deepEqual(await found(workspace, "hit", { path: "f" }), ["f:1:hit"]);
    assert.deepEqual(await found(workspace, "hit", { path: "d/sub/.hidden" }), ["d/sub/.hidden:1:hit"]);
    await expectLaterRefusal("NOT_FOUND", () => search(workspace, "hit", { path: "missing" }));
    await expectLaterRefusal("PATH_OUTSIDE_WORKSPACE", () => search(workspace, "hit", { path: ".." }));
  },

  async "search takes globs by name at any depth, by path below its beginning, and to leave out"({
    workspace,
    root,
  }) {
    plant(root, { "a.ts": "hit", "b.md": "hit", "d/c.ts": "hit", "d/e/f.ts": "hit", "d/g.test.ts": "hit" });
    const paths = async (...globs: string[]) =>
      (await search(workspace, "hit", { globs })).matches.map(({ path }) => path);
    assert.deepEqual(await paths("*.ts"), ["a.ts", "d/c.ts", "d/e/f.ts", "d/g.test.ts"]);
    assert.deepEqual(await paths("*.ts", "!*.test.ts"), ["a.ts", "d/c.ts", "d/e/f.ts"]);
    assert.deepEqual(await paths("d/*.ts"), ["d/c.ts", "d/g.test.ts"]);
    assert.deepEqual(await paths("!d"), ["a.ts", "b.md"]);
    assert.deepEqual(await paths("d/**", "*.md"), ["b.md", "d/c.ts", "d/e/f.ts", "d/g.test.ts"]);
    assert.deepEqual(await found(workspace, "hit", { path: "d", globs: ["e/*"] }), ["d/e/f.ts:1:hit"]);
  },

  async "search passes over what ignore files leave out, those above its beginning too, unless asked"({
    workspace,
    root,
  }) {
    plant(root, {
      ".gitignore": "*.log\n/out/\n!keep.log\n",
      "d/.gitignore": "local\n",
      "d/.ignore": "!b.log\nnotes\n",
      "d/a.log": "hit",
      "d/b.log": "hit",
      "d/f": "hit",
      "d/keep.log": "hit",
      "d/local": "hit",
      "d/notes": "hit",
      "d/out/f": "hit",
      "out/f": "hit",
    });
    const expected = ["d/b.log:1:hit", "d/f:1:hit", "d/keep.log:1:hit", "d/out/f:1:hit"];
    assert.deepEqual(await found(workspace, "hit"), expected);
    assert.deepEqual(await found(workspace, "hit", { path: "d" }), expected);
    assert.equal((await found(workspace, "hit", { ignored: true })).length, 8);
  },

  async "search skips hidden names by default, .git always, and excluded names"({ workspace, root }) {
    plant(root, {
      ".h/f": "hit",
      ".i": "hit",
      ".git/config": "hit",
      "sub/.git": "hit",
      "skip/f": "hit",
      skip2: "hit",
    });
    assert.deepEqual(await found(workspace, "hit"), ["skip/f:1:hit", "skip2:1:hit"]);
    assert.deepEqual(await found(workspace, "hit", { hidden: "all", skipped: ["skip", "skip2"] }), [
      ".h/f:1:hit",
      ".i:1:hit",
      "skip2:1:hit",
    ]);
  },

  async "search gives the lines around each match, those of its neighbours too"({ workspace, root }) {
    plant(root, { f: "1\n2\nhit a\n4\nhit b\r\n6\n" });
    const { matches } = await search(workspace, "hit", { before: 3, after: 2 });
    assert.deepEqual(matches, [
      { path: "f", line: 3, text: "hit a", clipped: false, before: ["1", "2"], after: ["4", "hit b"] },
      { path: "f", line: 5, text: "hit b", clipped: false, before: ["2", "hit a", "4"], after: ["6"] },
    ]);
  },

  async "search cuts long lines around the hit, between characters"({ workspace, root }) {
    plant(root, { f: `${"é".repeat(500)}hit${"🚀".repeat(500)}\n${"x".repeat(60)}` });
    const { matches } = await search(workspace, "hit", { maxLineChars: 30, after: 1 });
    const [{ text, clipped, after }] = matches as [SearchMatch];
    assert.match(text, /^…é+hit(?:🚀)+…$/u);
    assert.ok(text.length <= 32 && text.length >= 30);
    assert.deepEqual([clipped, after], [true, [`${"x".repeat(30)}…`]]);
  },

  async "search shows bytes that are no UTF-8 as U+FFFD, and finds what stands beside them"({
    workspace,
    root,
  }) {
    plant(root, { f: Buffer.from("a\xffhit\xc3\n", "latin1") });
    assert.deepEqual(await found(workspace, "hit"), ["f:1:a\uFFFDhit\uFFFD"]);
    assert.deepEqual(await found(workspace, "\uFFFD"), []);
  },

  async "search reads UTF-16 by its mark, and a mark of UTF-8 is no part of the first line"({
    workspace,
    root,
  }) {
    const text = "first é\nhit 🚀\r\nlast";
    plant(root, {
      be: Buffer.from(`\uFEFF${text}`, "utf16le").swap16(),
      le: Buffer.from(`\uFEFF${text}`, "utf16le"),
      utf8: `\uFEFFhit\nhit`,
    });
    const expected = ["be:2:hit 🚀", "le:2:hit 🚀", "utf8:1:hit", "utf8:2:hit"];
    assert.deepEqual(await found(workspace, "^hit", { regex: true }), expected);
  },

  async "search passes over binary files, and counts them"({ workspace, root }) {
    plant(root, { f: "hit", nul: "hit\0hit", late: `hit\n${"x\n".repeat(100_000)}\0\nhit\n` });
    const { matches, binaryFiles, filesScanned } = await search(workspace, "hit");
    assert.deepEqual([matches.map(shown), binaryFiles, filesScanned], [["f:1:hit", "late:1:hit"], 2, 3]);
  },

  async "search finds lines wherever they lie in a large file, and lines longer than it reads at once"({
    workspace,
    root,
  }) {
    const filler = `${"x".repeat(79)}\n`.repeat(40_000);
    plant(root, {
      lines: `${filler}hit 1\n${filler}hit 2`,
      long: `first\n${"x".repeat(3_000_000)}hit${"y".repeat(3_000_000)}\nlast\nhit`,
    });
    assert.deepEqual(await found(workspace, "hit", { path: "lines" }), [
      "lines:40001:hit 1",
      "lines:80002:hit 2",
    ]);
    for (const asked of [{}, { regex: true }, { ignoreCase: true }]) {
      const asks = { ...asked, path: "long", before: 1, after: 1, maxLineChars: 12 };
      const [one, two] = (await search(workspace, "xhit", asks)).matches;
      assert.equal(two, undefined);
      assert.match(one!.text, /^…x+hity*…$/);
      assert.deepEqual([one!.line, one!.before, one!.after], [2, ["first"], ["last"]]);
    }
    const [, last] = (await search(workspace, "hit", { path: "long", before: 2, maxLineChars: 5 })).matches;
    assert.deepEqual(last, {
      path: "long",
      line: 4,
      text: "hit",
      clipped: false,
      before: ["xxxxx…", "last"],
      after: [],
    });
  },

  async "search follows no link, opens no FIFO, and reads nothing outside"({ workspace, root, outside }) {
    fs.writeFileSync(`${outside}/secret`, "hit");
    plant(root, { "d/f": "hit" });
    fs.symlinkSync("d", `${root}/inside`);
    fs.symlinkSync("d/f", `${root}/file`);
    fs.symlinkSync("../secret", `${root}/secret`);
    fs.symlinkSync("..", `${root}/up`);
    execFileSync("mkfifo", [`${root.replace("/proc/self/", `/proc/${process.pid}/`)}/fifo`]);
    assert.deepEqual(await found(workspace, "hit"), ["d/f:1:hit"]);
    await expectLaterRefusal("NOT_A_FILE", () => search(workspace, "hit", { path: "fifo" }));
  },

  async "search shows nothing of what tools may not read"({ workspace, root }) {
    plant(root, {
      ".env": "hit",
      ".ssh/config": "hit",
      "key.pem": "hit",
      "credentials.json": "hit",
      f: "hit",
    });
    assert.deepEqual(await found(workspace, "hit", { hidden: "all", maxMatches: 1 }), ["f:1:hit"]);
    for (const path of [".env", ".ssh"])
      await expectLaterRefusal("PROTECTED_PATH", () => search(workspace, "hit", { path }));
  },

  async "search asks the check of guardedBy about each file it shows, and each directory above"({
    workspace,
    root,
  }) {
    plant(root, { "d/e/f": "hit", "d/g": "hit", "no/e/f": "hit", f: "hit" });
    const guarded = workspace.guardedBy((at, access) => {
      if (access === "read" && (at === "no" || at === "d/g")) throw new TypeError("not reached");
    });
    await assert.rejects(search(guarded, "hit"), TypeError);
    const refusing = workspace.guardedBy((at) => {
      if (at === "no" || at === "d/g") workspace.read("missing");
    });
    assert.deepEqual(await found(refusing, "hit"), ["d/e/f:1:hit", "f:1:hit"]);
    await expectLaterRefusal("NOT_FOUND", () => search(refusing, "hit", { path: "no" }));
  },

  async "search sees what was written, renamed and removed just before"({ workspace, root }) {
    plant(root, { "d/a": "hit a", "d/b": "hit b" });
    workspace.write("d/c", "hit c");
    workspace.remove("d/a");
    workspace.rename("d/b", "moved");
    assert.deepEqual(await found(workspace, "hit"), ["d/c:1:hit c", "moved:1:hit b"]);
    workspace.remove("d", { recursive: true });
    assert.deepEqual(await found(workspace, "hit"), ["moved:1:hit b"]);
  },

  async "searches that are begun together each give their own result"({ workspace, root }) {
    for (let at = 0; at < 30; at++) plant(root, { [`f${at}`]: `hit ${at}\n` });
    const numbers = Array.from({ length: 30 }, (_, at) => at);
    const all = await Promise.all(
      numbers.map((at) => found(workspace, `^hit ${at}$`, { regex: at % 2 === 0 })),
    );
    const expected = numbers.map((at) => (at % 2 === 0 ? [`f${at}:1:hit ${at}`] : []));
    assert.deepEqual(all, expected);
  },

  async "search leaves no file open, however it ends"({ workspace, root }) {
    for (let at = 0; at < 100; at++) plant(root, { [`d${at}/e/f`]: "hit" });
    const before = openOn(root);
    const ways: readonly Asked[] = [{}, { maxMatches: 3 }, { path: "d1/e/f" }, { path: "missing" }];
    for (const asked of [...ways, { regex: true }]) await search(workspace, "(hit", asked).catch(() => {});
    for (const asked of ways) await search(workspace, "hit", asked).catch(() => {});
    // A session may check the project at this moment.
    for (let tries = 0; tries < MOST_TRIES && openOn(root) !== before; tries++) await setTimeout(TRY_MS);
    assert.equal(openOn(root), before);
  },

  async "search ends with the signal, before and while it works, and works again after"({ workspace, root }) {
    plant(root, { f: `${"a".repeat(40)}c ab\n` });
    const signal = AbortSignal.abort(new RangeError("before"));
    await assert.rejects(workspace.search(".", { ...PLAIN, pattern: "a" }, { signal }), RangeError);
    const later = new AbortController();
    const forEver = { ...PLAIN, pattern: "^(a+)+(?!a)b", regex: true };
    const running = workspace.search(".", forEver, { signal: later.signal });
    const waiting = workspace.search(".", { ...PLAIN, pattern: "a" }, { signal: later.signal });
    later.abort(new RangeError("while"));
    await Promise.all([assert.rejects(running, RangeError), assert.rejects(waiting, RangeError)]);
    assert.equal((await found(workspace, "aa")).length, 1);
  },

  async "search of a closed workspace is refused, also when it was begun before"({ workspace, root }) {
    plant(root, { f: "hit" });
    const running = search(workspace, "hit");
    workspace.close();
    await expectLaterRefusal("WORKSPACE_UNUSABLE", () => running);
    await expectLaterRefusal("WORKSPACE_UNUSABLE", () => search(workspace, "hit"));
  },
};
