import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openCliWorld } from "../../../../test/kit/worlds/cli-world.ts";
import { openSessionCliWorld } from "../../../../test/kit/worlds/session-cli-world.ts";
import type { WorkspaceFS } from "../../../workspace/files/workspace-fs.ts";

test("hotcell session list is a table for people and an array for programs", async () => {
  const { run, root, id, open } = await openSessionCliWorld({ a: "a\n" }, { c1: (w) => w.write("b", "b\n") });
  const { out } = await run(["session", "list"]);
  const [head, row, ...more] = out.split("\n");
  expect(head).toMatch(/^SESSION +NAME +AGE +CHANGES +SIZE +STATE$/);
  expect(row!.split(/ {2,}/)).toEqual([
    id,
    "-",
    expect.stringMatching(/^\d+ (s|min)$/),
    "1",
    expect.stringMatching(/^[\d.]+ [KM]?B$/),
    "idle",
  ]);
  expect(more).toEqual([""]);
  const session = await open();
  const listed = JSON.parse((await run(["session", "list", "--json"])).out);
  session.close();
  expect(listed).toEqual([
    {
      id,
      name: null,
      workspace: root,
      created: expect.stringMatching(/^\d{4}-.*Z$/),
      strategy: "clone",
      state: "open",
      changes: 1,
      gitData: 0,
      ignored: 0,
      bytes: expect.any(Number),
      artifactBytes: 0,
    },
  ]);
});

test("hotcell session list says how to begin when there is none", async () => {
  expect(await openCliWorld().run(["session", "list"])).toEqual({
    code: 0,
    out: "There is no session yet. Create one with hotcell session create. See those of other projects with --all.\n",
    err: "",
  });
});

test("hotcell session list is of this project; with --all of every project", async () => {
  const { run, root, id } = await openSessionCliWorld({ a: "a\n" });
  const other = path.join(path.dirname(root), "other");
  fs.mkdirSync(other);
  const there = (await run(["session", "create", "--strategy", "clone", "--workspace", other])).out.trim();
  const rows = async (...args: string[]) => {
    const { out } = await run(["session", "list", ...args]);
    return out
      .split("\n")
      .slice(1, -1)
      .map((row) => [row.split(" ")[0], row.split(" ").at(-1)]);
  };
  expect([await rows(), await rows("--workspace", other)]).toEqual([[[id, "idle"]], [[there, "idle"]]]);
  expect(await rows("--all")).toEqual([
    [id, root],
    [there, other],
  ]);
});

test("a session whose project is gone is listed, and its changes are unknown", async () => {
  const { run, root, id } = await openSessionCliWorld({ a: "a\n" }, { c1: (w) => w.write("b", "b\n") });
  fs.renameSync(root, `${root}.moved`);
  const cwd = path.dirname(root);
  expect((await run(["session", "list", "--all"], { cwd })).out).toMatch(
    new RegExp(`^SESSION.*\n${id}  .*  \\?  .*\n$`),
  );
  expect((await run(["session", "show", id], { cwd })).out).toContain(
    "changes   unknown, because the project cannot be read\n",
  );
  const { code, err } = await run(["session", "commit", id, "--yes"], { cwd });
  expect([code, err]).toEqual([2, expect.stringContaining("there is no such directory")]);
});

test("hotcell session show has the calls that can be rewound to, and the commits", async () => {
  const { run, root, id } = await openSessionCliWorld(
    { a: "a\n" },
    {
      c1: (w) => w.write("b", "b\n"),
      c2: () => {},
      c3: (w) => {
        w.write("a", "c\n");
        w.write("c", "");
      },
    },
  );
  await run(["session", "commit", id, "b", "--yes"]);
  const { out, err } = await run(["session", "show", id]);
  expect([out.replace(/\d{4}-[\d:.T-]+Z/g, "TIME"), err]).toEqual([
    expect.stringMatching(
      new RegExp(
        `^session   ${id}
project   ${root}
created   TIME, \\d+ \\w+ ago
state     idle
strategy  clone
changes   2
size      [\\d.]+ KB, \\d+ layers?
calls that wrote something:
  #1  write_file  2 paths  TIME  c3
commits:
  1  1 path
$`,
      ),
    ),
    "",
  ]);
  const shown = JSON.parse((await run(["session", "show", id, "--json"])).out);
  expect(shown).toMatchObject({ id, workspace: root, strategy: "clone", changes: 2 });
  expect(shown.calls).toEqual([
    { id: "c3", tool: "write_file", at: expect.any(String), paths: 2, gitData: 0 },
  ]);
  expect(shown.commits).toEqual([{ tx: "1", paths: ["b"] }]);
});

test("hotcell session show says of a commit that it was taken back", async () => {
  const { run, id } = await openSessionCliWorld({ a: "a\n" }, { c1: (w) => w.write("b", "b\n") });
  await run(["session", "commit", id, "--yes"]);
  await run(["session", "revert", id]);
  await run(["session", "commit", id, "--yes"]);
  expect((await run(["session", "show", id])).out).toMatch(
    /\ncommits:\n {2}1 {2}taken back\n {2}2 {2}1 path\n$/,
  );
});

test("a call that changed nothing is not listed, and the others keep their numbers", async () => {
  const calls = { c1: (w: WorkspaceFS) => w.write("a", "new\n"), c2: () => {} };
  const { id, run } = await openSessionCliWorld({ a: "a\n" }, calls);
  const { out } = await run(["session", "show", id]);
  expect(out.match(/#\d .* c\d/g)?.map((line) => line.replace(/ .* /, " "))).toEqual(["#1 c1"]);
});
