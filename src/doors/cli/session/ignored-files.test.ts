import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openSessionCliWorld } from "../../../../test/kit/worlds/session-cli-world.ts";
import type { WorkspaceFS } from "../../../workspace/files/workspace-fs.ts";

const FILES = {
  ".gitignore": "dist/\n*.log\n.env.example\n",
  a: "a\n",
  "src/.gitignore": "*.o\n",
  "src/x": "",
};

async function open(more: (workspace: WorkspaceFS) => void = () => {}) {
  const world = await openSessionCliWorld(FILES, {
    c1(workspace) {
      for (const name of ["a", "dist/1", "dist/2", "src/x.o", "b.log"]) workspace.write(name, "new\n");
      more(workspace);
    },
  });
  const shown = async (...args: string[]) => {
    const { changes, ignored } = JSON.parse((await world.run(["diff", "--json", ...args])).out);
    return [changes.map((change: { path: string }) => change.path), ignored];
  };
  return { ...world, shown, has: (name: string) => fs.existsSync(path.join(world.root, name)) };
}

test("files that git ignores are one line in a diff; --all or their path shows them", async () => {
  const { run, shown } = await open();
  expect((await run(["diff", "--stat"])).out).toBe(
    " a | 2 +-\n 1 changed, 1 line added, 1 line removed\n4 ignored files; for a full diff add --all\n",
  );
  expect((await run(["diff"])).err).toBe("4 ignored files; for a full diff add --all\n");
  expect(await shown()).toEqual([["a"], 4]);
  expect(await shown("--all")).toEqual([["a", "b.log", "dist/1", "dist/2", "src/x.o"], 0]);
  expect(await shown("dist/1", "src")).toEqual([["dist/1"], 1]);
  expect((await run(["session", "show", "last"])).out).toMatch(/^changes +1, and 4 ignored files$/m);
});

test("a diff of a path without changes says that there are none", async () => {
  const { run, id } = await open();
  expect(await run(["diff", "src"])).toMatchObject({
    code: 0,
    out: "",
    err: `1 ignored file; for a full diff add --all\nSession ${id} changed nothing at src.\n`,
  });
});

test("a commit leaves ignored files in the session, and takes them when they are named", async () => {
  const { run, has, shown } = await open();
  const { out, err } = await run(["commit", "--yes"]);
  expect([out, err]).toEqual([
    expect.stringMatching(/^Committed 1 change /),
    "not committed: 4 ignored files; name what you want to commit\n",
  ]);
  expect([has("dist"), has("b.log"), await shown()]).toEqual([false, false, [[], 4]]);
  await run(["commit", "src", "--yes"]);
  expect(has("src/x.o")).toBe(false);
  await run(["commit", "dist/1", "src/x.o", "b.log", "--yes"]);
  expect(["dist/1", "dist/2", "src/x.o", "b.log"].map(has)).toEqual([true, false, true, true]);
  expect(await shown("--all")).toEqual([["dist/2"], 0]);
});

test("a session with nothing but ignored files is kept by gc, and is the last with changes", async () => {
  const { run, id } = await open();
  await run(["commit", "--yes"]);
  await run(["session", "create", "--strategy", "clone"]);
  await run(["session", "gc"]);
  expect(JSON.parse((await run(["session", "show", "last", "--json"])).out)).toMatchObject({
    id,
    changes: 0,
    ignored: 4,
  });
});

test("rules that the session made or changed ignore nothing: a command can't hide what it changed", async () => {
  const { shown } = await open((workspace) => {
    workspace.write(".gitignore", "*\n");
    workspace.write("lib/.gitignore", "*\n");
    workspace.write("lib/evil.js", "");
  });
  expect(await shown()).toEqual([[".gitignore", "a", "lib/.gitignore", "lib/evil.js"], 4]);
});

test("what the session made of the rules counts once it is committed", async () => {
  const { run, shown } = await open((workspace) => {
    workspace.write(".gitignore", "dist/\n*.log\n/gen\n");
    workspace.write("gen", "");
  });
  await run(["commit", ".gitignore", "--yes"]);
  expect(await shown()).toEqual([["a"], 5]);
});
