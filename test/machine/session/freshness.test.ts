// What changes in the project is seen by the next call, also where a path leads there by links, and in directories
// that the session has changed itself.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";
import { clockStep } from "../../../src/workspace/fs/file-clock.ts";
import { queryFor } from "../../kit/search-query.ts";
import { file, symlink } from "../../kit/worlds/planted-tree.ts";
import { tempSessionWorld } from "../../kit/worlds/session-world.ts";

const FILES = new Map([
  ["d/e/f", file("old")],
  ["d/e/l", symlink("old target")],
  ["d/g/f", file("g")],
  ["x/dir", symlink("../d/e")],
  ["x/file", symlink("../d/e/f")],
  ["x/chain", symlink("../y/next")],
  ["y/next", symlink("../d/e")],
]);

interface Edit {
  readonly title: string;
  look(workspace: WorkspaceFS): unknown;
  edit(project: string): void;
  readonly before: unknown;
  readonly after: unknown;
}

const replace = (project: string, at: string, content: string): void => {
  fs.writeFileSync(path.join(project, `${at}.new`), content);
  fs.renameSync(path.join(project, `${at}.new`), path.join(project, at));
};
const relink = (project: string, at: string, target: string): void => {
  fs.rmSync(path.join(project, at));
  fs.symlinkSync(target, path.join(project, at));
};
const replaceFile = (project: string) => replace(project, "d/e/f", "newer");
const sizesIn = (workspace: WorkspaceFS) =>
  Array.from(workspace.walk("d"), ({ path: at, kind, stat }) =>
    kind === "file" ? `${at} ${stat().size}` : at,
  );

const linesWith = (pattern: string) => async (workspace: WorkspaceFS) => {
  const { matches } = await workspace.search("d", queryFor(pattern, { regex: true }));
  return matches.map(({ path: at, text }) => `${at} ${text}`);
};

const EDITS: readonly Edit[] = [
  {
    title: "stat of a link to a file",
    look: (on) => on.stat("x/file").size,
    edit: replaceFile,
    before: 3,
    after: 5,
  },
  {
    title: "stat below a link",
    look: (on) => on.stat("x/dir/f").size,
    edit: replaceFile,
    before: 3,
    after: 5,
  },
  {
    title: "read below a link",
    look: (on) => String(on.read("x/dir/f")),
    edit: replaceFile,
    before: "old",
    after: "newer",
  },
  {
    title: "stat by a path as it is",
    look: (on) => on.stat("d/e/f").size,
    edit: replaceFile,
    before: 3,
    after: 5,
  },
  {
    title: "resolve below a link",
    look: (on) => on.resolve("x/dir/n"),
    edit: (project) => fs.writeFileSync(path.join(project, "d/e/n"), ""),
    before: { path: "d/e/n", kind: null },
    after: { path: "d/e/n", kind: "file" },
  },
  {
    title: "readlink below a link",
    look: (on) => on.readlink("x/dir/l"),
    edit: (project) => relink(project, "d/e/l", "new target"),
    before: "old target",
    after: "new target",
  },
  {
    title: "a link in the middle of a chain that leads elsewhere",
    look: (on) => String(on.read("x/chain/f")),
    edit: (project) => relink(project, "y/next", "../d/g"),
    before: "old",
    after: "g",
  },
  {
    title: "walk",
    look: sizesIn,
    edit: replaceFile,
    before: ["d/e", "d/e/f 3", "d/e/l", "d/g", "d/g/f 1"],
    after: ["d/e", "d/e/f 5", "d/e/l", "d/g", "d/g/f 1"],
  },
  {
    title: "search",
    look: linesWith("^"),
    edit: replaceFile,
    before: ["d/e/f old", "d/g/f g"],
    after: ["d/e/f newer", "d/g/f g"],
  },
  {
    title: "search, where it found nothing before",
    look: linesWith("new"),
    edit: (project) => fs.writeFileSync(path.join(project, "d/g/a"), "new"),
    before: [],
    after: ["d/g/a new"],
  },
];

test.each(EDITS.map((edit) => [edit.title, edit] as const))(
  "an edit is seen by %s",
  async (_, { look, edit, before, after }) => {
    const world = tempSessionWorld(FILES);
    const session = await world.create("kernel");
    expect(await session.read(async () => look(session.workspace))).toEqual(before);
    edit(world.project);
    expect(await session.read(async () => look(session.workspace))).toEqual(after);
  },
);

test("a walk sees edits in a directory that an earlier call has changed too", async () => {
  const world = tempSessionWorld(FILES);
  const session = await world.create("kernel");
  await session.change({ id: "c", tool: "test" }, async () => session.workspace.write("d/e/mine", "mine"));
  await clockStep(world.stateDir);
  await session.checkpoint();
  const look = () => session.read(async () => sizesIn(session.workspace));
  expect(await look()).toEqual(["d/e", "d/e/f 3", "d/e/l", "d/e/mine 4", "d/g", "d/g/f 1"]);
  replaceFile(world.project);
  expect(await look()).toEqual(["d/e", "d/e/f 5", "d/e/l", "d/e/mine 4", "d/g", "d/g/f 1"]);
});

test("a walk of what the session has made itself is not taken for a change of the project", async () => {
  const world = tempSessionWorld(FILES);
  const session = await world.create("kernel");
  await session.change({ id: "c", tool: "test" }, async () => session.workspace.write("own/deep/f", "mine"));
  const { fd } = session.view;
  const paths = await session.read(async () =>
    Array.from(session.workspace.walk("own"), (entry) => entry.path),
  );
  expect(paths).toEqual(["own/deep", "own/deep/f"]);
  expect(session.view.fd).toBe(fd);
});

const IN_PLACE = [
  ["the mode of a file", (view: string) => fs.chmodSync(`${view}/d/e/f`, 0o755)],
  ["the end of a file", (view: string) => fs.appendFileSync(`${view}/d/e/f`, " and mine")],
] as const;
const MOVES = [
  ["file", "d/e/f", "d/f", "d/f"],
  ["directory", "d/e", "d/n", "d/n/f"],
] as const;

describe.each(IN_PLACE)("after a call that changed %s in place", (_, change) => {
  test.each(MOVES.flatMap((move) => [false, true].map((isReopened) => [...move, isReopened] as const)))(
    "a %s that the user renames is as it is in the project (%s to %s, session opened again: %s)",
    async (_, from, to, at, isReopened) => {
      const world = tempSessionWorld(FILES);
      let session = await world.create("kernel");
      await session.change({ id: "c", tool: "test" }, async () => change(`/proc/self/fd/${session.view.fd}`));
      await clockStep(world.stateDir);
      fs.renameSync(path.join(world.project, from), path.join(world.project, to));
      if (isReopened) {
        session.close();
        session = await world.open(session.record.id);
      }
      const look = (at: string) => [
        session.workspace.stat(at).mode & 0o777,
        String(session.workspace.read(at)),
      ];
      const [own, users] = await session.read(async () => [look("d/e/f"), look(at)]);
      expect(users).toEqual([0o644, "old"]);
      expect(own).not.toEqual(users);
      expect(await session.read(async () => look(at))).toEqual([0o644, "old"]);
    },
  );
});
