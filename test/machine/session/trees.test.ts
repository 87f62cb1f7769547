// Sessions on trees that are easily got wrong, for each strategy.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { digDown } from "../../kit/dig-down.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { MEMORY_DIR } from "../../kit/memory-dir.ts";
import { plainly } from "../../kit/worlds/diff-world.ts";
import { directory, file, type PlantedTree, survey, symlink } from "../../kit/worlds/planted-tree.ts";
import { type SessionWorld, STRATEGIES, tempSessionWorld } from "../../kit/worlds/session-world.ts";

interface Scene extends SessionWorld {
  readonly session: Session;
  readonly workspace: WorkspaceFS;
}

type Begin = (files: PlantedTree, fill?: (project: string) => void) => Promise<Scene>;

const dir = IS_ROOT ? MEMORY_DIR : os.tmpdir();

describe.each(STRATEGIES)("a session by the strategy %s", (strategy) => {
  const begin: Begin = async (files, fill) => {
    const world = tempSessionWorld(files, dir, fill);
    const session = await world.create(strategy);
    return { ...world, session, workspace: session.workspace };
  };
  directoryTests(begin);
  fileTests(begin);
  sizeTests(begin);
});

const viewPath = ({ view }: Session): string => `/proc/self/fd/${view.fd}`;
const differences = (session: Session) => session.diff(({ changes }) => plainly(changes));

async function commitAll({ session, project }: Scene): Promise<void> {
  const seen = survey(viewPath(session));
  expect(await session.commit()).toMatchObject({ conflicts: [], skipped: [] });
  expect(survey(project)).toEqual(seen);
  expect(await differences(session)).toEqual([]);
}

function directoryTests(begin: Begin): void {
  test("hides the children of a directory that was removed and recreated, after a checkpoint and a new open too", async () => {
    const scene = await begin(
      new Map([
        ["d/sub/y", file("y")],
        ["d/x", file("x")],
      ]),
    );
    const { session, workspace } = scene;
    workspace.remove("d", { recursive: true });
    workspace.mkdir("d/sub");
    const shown = new Map([
      ["d", directory()],
      ["d/sub", directory()],
    ]);
    expect(survey(viewPath(session))).toEqual(shown);
    await session.checkpoint();
    workspace.write("d/new", "new");
    expect(survey(viewPath(session))).toEqual(new Map([...shown, ["d/new", file("new")]]));
    session.close();
    const again = await scene.open(session.record.id);
    expect(survey(viewPath(again))).toEqual(new Map([...shown, ["d/new", file("new")]]));
    expect(await differences(again)).toEqual(["added d/new", "deleted d/sub/y", "deleted d/x"]);
    await commitAll({ ...scene, session: again });
  });

  test("renames a directory of the project with all that is in it: modes, times and links", async () => {
    const tree = new Map([
      ["d", directory(0o750)],
      ["d/empty", directory()],
      ["d/f", file("f", 0o600)],
      ["d/l", symlink("f")],
      ["d/sub", directory(0o700)],
      ["d/sub/g", file("g")],
    ]);
    const aged = ["d/f", "d/sub", "d/empty", "d"];
    const scene = await begin(tree, (project) => {
      for (const [index, at] of aged.entries()) fs.utimesSync(`${project}/${at}`, index, index);
    });
    const { session, workspace } = scene;
    workspace.rename("d", "new/e");
    const moved = [...tree].map(([at, planted]) => [at.replace("d", "new/e"), planted] as const);
    expect(survey(viewPath(session))).toEqual(new Map([["new", directory()], ...moved]));
    const times = aged.map((at) => workspace.stat(at.replace("d", "new/e")).modifiedMs);
    expect(times).toEqual([0, 1000, 2000, 3000]);
    await commitAll(scene);
  });

  test("renames a directory of the project over an empty one, not over a full one, and back", async () => {
    const tree = new Map([
      ["d", directory()],
      ["d/x", file("x")],
      ["empty", directory()],
      ["full", directory()],
      ["full/y", file("y")],
    ]);
    const { session, workspace } = await begin(tree);
    expect(() => workspace.rename("d", "full")).toThrow("the directory is not empty");
    expect(survey(viewPath(session))).toEqual(tree);
    workspace.rename("d", "empty");
    expect([...survey(viewPath(session)).keys()]).toEqual(["empty", "empty/x", "full", "full/y"]);
    await session.checkpoint();
    workspace.rename("empty", "d");
    expect(await differences(session)).toEqual(["deleted empty"]);
  });

  test("restores a path that is discarded below a directory that was removed and recreated", async () => {
    const { session, workspace } = await begin(new Map([["d/x", file("x")]]));
    const change = (id: string, work: () => void) => session.change({ id, tool: "test" }, async () => work());
    await change("c1", () => workspace.remove("d", { recursive: true }));
    await change("c2", () => workspace.mkdir("d/x"));
    await session.discard(["d/x"]);
    expect([workspace.read("d/x").toString(), await differences(session)]).toEqual(["x", []]);
    await expect(session.discard(["d/x"])).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("keeps a read-only directory as it is, with what it hides, when other paths leave its layer", async () => {
    const scene = await begin(
      new Map([
        ["a", file("a")],
        ["d/x", file("x")],
        ["d/y", file("y")],
      ]),
    );
    const { session, workspace } = scene;
    await session.change({ id: "c1", tool: "test" }, async () => {
      for (const at of ["a", "d/y"]) workspace.write(at, "new");
      workspace.remove("d/x");
      workspace.chmod("d", 0o555);
    });
    await session.discard(["a"]);
    expect(await differences(session)).toEqual(["mode d", "deleted d/x", "modified d/y"]);
    await session.commit({ selection: { paths: ["d/y"], hunks: [] } });
    expect(await differences(session)).toEqual(["mode d", "deleted d/x"]);
    expect(survey(viewPath(session)).get("d")).toEqual(directory(0o555));
  });

  test("adds to a directory that it has removed, recreated and committed", async () => {
    const scene = await begin(new Map([["d/x", file("x")]]));
    const { session, workspace } = scene;
    const change = (id: string, work: () => void) => session.change({ id, tool: "test" }, async () => work());
    await change("c1", () => workspace.remove("d", { recursive: true }));
    await change("c2", () => workspace.write("d/x", "made anew"));
    await commitAll(scene);
    await change("c3", () => workspace.write("d/new", "new"));
    await commitAll(scene);
  });

  test("keeps what a commit noted when the next call is rewound", async () => {
    const scene = await begin(new Map());
    const { session, workspace } = scene;
    await session.change({ id: "c1", tool: "test" }, async () => void workspace.write("a", "a"));
    await session.checkpoint();
    await commitAll(scene);
    await session.change({ id: "c2", tool: "test" }, async () => {});
    await session.rewind("c2");
    workspace.rename("a", "b");
    await commitAll(scene);
  });

  test("puts a file in the place of a directory of the project, and a directory in the place of a file", async () => {
    const scene = await begin(
      new Map([
        ["d/sub/y", file("y")],
        ["f", file("f")],
      ]),
    );
    const { session, workspace } = scene;
    workspace.remove("d", { recursive: true });
    workspace.rename("f", "d");
    workspace.write("f/new", "new");
    expect(await differences(session)).toEqual([
      "type d",
      "deleted d/sub",
      "deleted d/sub/y",
      "type f",
      "added f/new",
    ]);
    await commitAll(scene);
  });

  test("changes what it has committed in every way, and nothing of it is a conflict", async () => {
    const scene = await begin(
      new Map([
        ["a", file("a")],
        ["d/d/f", file("f")],
      ]),
    );
    const steps: ((workspace: WorkspaceFS) => void)[] = [
      (workspace) => workspace.write("d/d/new", "new"),
      (workspace) => workspace.rename("d", "g"),
      (workspace) => workspace.rename("a", "b"),
      (workspace) => workspace.rename("b", "a/a"),
      (workspace) => workspace.rename("g/d", "a/d"),
      (workspace) => workspace.remove("a", { recursive: true }),
      (workspace) => workspace.write("a", "a file again"),
      (workspace) => workspace.copy("a", "g/d/f"),
    ];
    for (const [index, step] of steps.entries()) {
      await scene.session.change({ id: `c${index}`, tool: "test" }, async () => step(scene.workspace));
      await commitAll(scene);
    }
  });
}

const SLASH = 0x2f;
const DOT = 0x2e;

/** Names of one byte, UTF-8 or not. All together are as long as a name can be. */
const NAMES: readonly string[] = Array.from({ length: 255 }, (_, index) => index + 1)
  .filter((byte) => byte !== SLASH && byte !== DOT)
  .map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : String.fromCharCode(0xdc00 + byte)));

function fileTests(begin: Begin): void {
  test("splits hard links of the project at the first write, its own or a command's", async () => {
    const scene = await begin(new Map([["f", file("old")]]), (at) => {
      for (const name of ["g", "h"]) fs.linkSync(`${at}/f`, `${at}/${name}`);
    });
    const { session, workspace, project } = scene;
    await session.change({ id: "c1", tool: "test" }, async () => {
      workspace.append("f", "+new");
      fs.appendFileSync(`${viewPath(session)}/g`, "+raw");
    });
    const read = (dir: string) => ["f", "g", "h"].map((name) => fs.readFileSync(`${dir}/${name}`, "utf8"));
    expect(read(viewPath(session))).toEqual(["old+new", "old+raw", "old"]);
    expect([read(project), fs.statSync(`${project}/f`).nlink]).toEqual([["old", "old", "old"], 3]);
    await commitAll(scene);
  });

  test("takes names of every legal byte from write to diff, patch and commit", async () => {
    const old = NAMES.filter((_, index) => index % 2 === 0);
    const scene = await begin(new Map(old.map((name) => [`d/${name}`, file(`old ${name.charCodeAt(0)}\n`)])));
    const { session, workspace, project, top } = scene;
    await session.change({ id: "c1", tool: "test" }, async () => {
      for (const name of NAMES) workspace.write(`d/${name}`, `new ${name.charCodeAt(0)}\n`);
      workspace.write(NAMES.join(""), "all\n");
    });
    const isOld = new Set(old);
    const expected = NAMES.map((name) => `${isOld.has(name) ? "modified" : "added"} d/${name}`);
    expect((await differences(session)).sort()).toEqual([...expected, `added ${NAMES.join("")}`].sort());
    const patched = `${top}/patched`;
    execFileSync("cp", ["-a", project, patched]);
    const patch = await session.diff((diff) => Buffer.concat([...diff.patch()]));
    const env = { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
    execFileSync("git", ["apply", "-p1"], { cwd: patched, input: patch, env });
    expect(survey(patched)).toEqual(survey(viewPath(session)));
    await commitAll(scene);
  });
}

const DEEP = 12_000;

function sizeTests(begin: Begin): void {
  test(`works beside and in a tree ${DEEP} directories deep`, async () => {
    const scene = await begin(new Map(), (project) => digDown(project, DEEP, ["f"]));
    const { session, workspace, project } = scene;
    await session.change({ id: "c1", tool: "test" }, async () => {
      for (const at of ["new", "d/d/new"]) workspace.write(at, "new");
    });
    session.close();
    const again = await scene.open(session.record.id);
    const refused: string[] = [];
    const walked = [...again.workspace.walk(".", { refused: (at) => refused.push(at) })];
    expect(refused).toEqual([expect.stringMatching(/^d(\/d){1000,4096}$/)]);
    expect(walked.length).toBe(refused[0]!.split("/").length + 2);
    expect(await differences(again)).toEqual(["added d/d/new", "added new"]);
    expect(await again.commit()).toMatchObject({ committed: ["d/d/new", "new"], conflicts: [] });
    expect(fs.readdirSync(`${project}/d/d`)).toEqual(["d", "new"]);
  });

  test("makes, renames and removes a path as deep as can be named", async () => {
    const { session, workspace } = await begin(new Map());
    const path = `${"d/".repeat(2000)}f`;
    await session.change({ id: "c1", tool: "test" }, async () => void workspace.write(path, "deep"));
    await session.change({ id: "c2", tool: "test" }, async () => workspace.rename("d", "e"));
    expect(workspace.read(path.replace("d", "e")).toString()).toBe("deep");
    await session.change({ id: "c3", tool: "test" }, async () => workspace.remove("e", { recursive: true }));
    expect(await differences(session)).toEqual([]);
    await session.rewind("c2");
    expect(workspace.read(path).toString()).toBe("deep");
  });

  test.each([5_000, 43_000])(
    "lists, changes, compares and commits in a directory with %i entries",
    async (count) => {
      const names = Array.from({ length: count }, (_, index) => `f${index}`);
      const { session, workspace, project } = await begin(new Map(), (at) => {
        fs.mkdirSync(`${at}/d`);
        for (const name of names) fs.writeFileSync(`${at}/d/${name}`, "");
      });
      await session.change({ id: "c1", tool: "test" }, async () => {
        workspace.write("d/f1", "1");
        workspace.remove("d/f2");
        workspace.rename("d/f3", "d/g3");
        workspace.write("d/new", "n");
      });
      const left = [...names.filter((name) => !["f2", "f3"].includes(name)), "g3", "new"].sort();
      const { entries, total } = workspace.list("d");
      expect([entries.map(({ name }) => name), total]).toEqual([left, left.length]);
      const changes = ["modified d/f1", "deleted d/f2", "deleted d/f3", "added d/g3", "added d/new"];
      expect(await differences(session)).toEqual(changes);
      expect(await session.commit()).toMatchObject({ conflicts: [] });
      expect(fs.readdirSync(path.join(project, "d")).sort()).toEqual(left);
    },
  );
}
