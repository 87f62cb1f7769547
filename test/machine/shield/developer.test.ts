// What a developer does all day works in a cell, and none of it is in the project before it is committed.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Cell, openCell } from "../../../src/cell.ts";
import type { Json } from "../../../src/core/json.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

/** npm takes its time on a busy machine. */
const TIMEOUT_MS = 120_000;

const FILES = {
  "tool/Makefile": "hello: hello.c\n\tgcc -O2 -Wall -o $@ $<\n\nrun: hello\n\t./hello\n",
  "tool/hello.c": '#include <stdio.h>\nint main(void) { puts("hello from C"); return 0; }\n',
  "count.py":
    "import json, pathlib\npathlib.Path('count.json').write_text(json.dumps(sum(range(10))))\nprint('counted')\n",
  "count.mjs": "import fs from 'node:fs';\nfs.writeFileSync('count.txt', '45');\nconsole.log('counted');\n",
};

const SOMEBODY = 1000;
const AS_ME = "-c user.name=me -c user.email=me@example.org";

interface Developer {
  /** Whom the project belongs to; else to whoever runs the test. */
  readonly owner?: number;
  readonly strategy?: "clone";
}

async function open({ owner, ...strategy }: Developer, plant: (root: string) => void = () => {}) {
  const top = tempDir();
  fs.chmodSync(top, 0o755);
  const root = path.join(top, "ws");
  for (const [name, content] of Object.entries(FILES)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), content);
  }
  plant(root);
  if (owner !== undefined) execFileSync("chown", ["-R", `${owner}:${owner}`, root]);
  const before = contentsOf(root);
  const stateDir = path.join(top, "state");
  const options = { workspace: root, stateDir, trust: "autonomous", timeoutMs: TIMEOUT_MS } as const;
  const cell = await openCell({ ...options, ...strategy });
  onTestFinished(() => cell.close());
  return { cell, root, untouched: () => expect(contentsOf(root)).toEqual(before) };
}

async function run(cell: Cell, command: string): Promise<string> {
  const { output, error } = await cell.call({ name: "run_command", arguments: { command } });
  expect([error, output?.exit_code, output]).toEqual([null, 0, output]);
  return output?.stdout as string;
}

const changesOf = async (cell: Cell) =>
  (await cell.diff()).changes.map(({ kind, path: at }) => `${kind} ${at}`);

describe("in a project of one's own", () => testDeveloper({}));
describe.runIf(IS_ROOT)("in somebody else's project, as root", () => testDeveloper({ owner: SOMEBODY }));

function testDeveloper(who: Developer): void {
  test("git clones a repository of the project, and an edit in the clone is committed there", async () => {
    const { cell, untouched } = await open(who, (at) => makeRepository(path.join(at, "upstream")));
    await run(cell, `git clone upstream work`);
    await run(
      cell,
      `cd work && git checkout -b more && echo two >> list && git ${AS_ME} commit -am 'Add two' && git push origin more`,
    );
    expect(
      await run(cell, "git -C work log --format=%s; git -C work status --porcelain; cat work/list"),
    ).toBe("Add two\nAdd one\none\ntwo\n");
    expect(await run(cell, "git -C upstream log --format=%s more")).toBe("Add two\nAdd one\n");
    const changes = await changesOf(cell);
    expect(changes).toContain("added work/list");
    expect(changes).toContain("added upstream/.git/refs/heads/more");
    untouched();
  });

  test("git status changes nothing of a session, also where git's index is out of date", async () => {
    const { cell, root, untouched } = await open(who, (at) => makeRepository(path.join(at, "upstream")));
    fs.utimesSync(path.join(root, "upstream/list"), 0, 0);
    expect(await run(cell, "cd upstream && git status --porcelain")).toBe("");
    expect(await changesOf(cell)).toEqual([]);
    // With its own way git notes the new time in the index.
    await run(cell, "cd upstream && env -u GIT_OPTIONAL_LOCKS git status");
    expect(await changesOf(cell)).toEqual(["modified upstream/.git/index"]);
    untouched();
  });

  test("git diff in a copy of the project changes nothing of a session, and says what changed", async () => {
    const { cell, untouched } = await open({ ...who, strategy: "clone" }, (at) =>
      makeRepository(path.join(at, "upstream")),
    );
    expect(await run(cell, "cd upstream && git diff --name-only && git diff --quiet")).toBe("");
    expect(await changesOf(cell)).toEqual([]);
    // With its own way git takes every file for maybe changed, finds that none is, and notes their times.
    await run(cell, "cd upstream && env -u GIT_CONFIG_COUNT git diff --quiet");
    expect(await changesOf(cell)).toEqual(["modified upstream/.git/index"]);
    expect(
      await run(
        cell,
        "cd upstream && touch list && git diff --quiet && echo two > list && git diff --name-only",
      ),
    ).toBe("list\n");
    untouched();
  });

  test("git diff notes a new modification time in git's index, and git status does not", async () => {
    const { cell, untouched } = await open(who, (at) => makeRepository(path.join(at, "upstream")));
    await run(cell, "cd upstream && touch -d 2001-01-01 list && git status --porcelain");
    expect(await changesOf(cell)).toEqual([]);
    expect(await run(cell, "cd upstream && git diff --quiet && git diff")).toBe("");
    expect(await changesOf(cell)).toEqual(["modified upstream/.git/index"]);
    untouched();
  });

  test("npm installs a packed dependency and runs the tests of a package", async () => {
    const { cell, untouched } = await open(who, (at) => makePackage(path.join(at, "app")));
    await run(cell, "cd app && npm ci");
    expect(await run(cell, "cd app && npm test")).toContain("tiny says hi");
    expect(await changesOf(cell)).toContain("added app/node_modules/tiny/index.js");
    untouched();
  });

  test.each([
    ["python3 count.py", "counted\n", ["added count.json"]],
    ["node count.mjs", "counted\n", ["added count.txt"]],
  ])("%s runs, and what it wrote is in the diff", async (command, said, changes) => {
    const { cell, untouched } = await open(who);
    expect(await run(cell, command)).toBe(said);
    expect(await changesOf(cell)).toEqual(changes);
    untouched();
  });

  test("make builds a C program with gcc and runs it, and the commit of it runs outside", async () => {
    const { cell, root, untouched } = await open(who);
    expect(await run(cell, "make -C tool run")).toContain("hello from C\n");
    expect(await changesOf(cell)).toEqual(["added tool/hello"]);
    untouched();
    expect(await cell.commit({ paths: ["tool/hello"] })).toMatchObject({
      committed: ["tool/hello"],
    });
    expect(spawnSync(path.join(root, "tool/hello")).stdout.toString()).toBe("hello from C\n");
    expect(await changesOf(cell)).toEqual([]);
  });
}

function makeRepository(dir: string): void {
  fs.mkdirSync(dir);
  git(dir, "init", "--quiet", "--initial-branch=main");
  fs.writeFileSync(path.join(dir, "list"), "one\n");
  git(dir, "add", "list");
  git(dir, "-c", "user.name=me", "-c", "user.email=me@example.org", "commit", "--quiet", "-m", "Add one");
}

function git(dir: string, ...args: string[]): void {
  const env = { PATH: process.env.PATH, HOME: dir, GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", args, { cwd: dir, env });
}

/** Its one dependency is an archive beside it. */
function makePackage(dir: string): void {
  fs.mkdirSync(dir);
  const packed = pack("tiny-1.0.0.tgz", dir);
  const tiny = "file:tiny-1.0.0.tgz";
  const app = { name: "app", version: "1.0.0", dependencies: { tiny } };
  writeJson(dir, "package.json", { ...app, scripts: { test: "node --test --test-reporter=tap test.cjs" } });
  writeJson(dir, "package-lock.json", {
    ...{ name: app.name, version: app.version, lockfileVersion: 3, requires: true },
    packages: {
      "": app,
      "node_modules/tiny": { version: "1.0.0", resolved: tiny, integrity: integrityOf(packed) },
    },
  });
  const test = 'require("node:test").test(require("tiny").says(), () => {});\n';
  fs.writeFileSync(path.join(dir, "test.cjs"), test);
}

function pack(name: string, into: string): string {
  const from = path.join(tempDir(), "package");
  fs.mkdirSync(from);
  writeJson(from, "package.json", { name: "tiny", version: "1.0.0" });
  fs.writeFileSync(path.join(from, "index.js"), 'exports.says = () => "tiny says hi";\n');
  const file = path.join(into, name);
  execFileSync("tar", ["-czf", file, "-C", path.dirname(from), "package"]);
  return file;
}

function writeJson(dir: string, name: string, value: Json): void {
  fs.writeFileSync(path.join(dir, name), JSON.stringify(value));
}

function integrityOf(file: string): string {
  return `sha512-${createHash("sha512").update(fs.readFileSync(file)).digest("base64")}`;
}

/** Every file of a tree with a hash of what is in it. */
function contentsOf(dir: string): string {
  return execFileSync("bash", ["--norc", "-c", "find . -type f -exec sha256sum {} + | sort"], {
    cwd: dir,
    encoding: "utf8",
  });
}
