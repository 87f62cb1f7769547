import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { expect, test } from "vitest";
import { IS_ROOT } from "../../kit/is-root.ts";
import { MEMORY_DIR } from "../../kit/memory-dir.ts";
import { file, symlink } from "../../kit/worlds/planted-tree.ts";
import { STRATEGIES, tempSessionWorld } from "../../kit/worlds/session-world.ts";

function ownersIn(top: string, paths: readonly string[]): string[] {
  return paths.map((at) => {
    const { uid, gid } = fs.lstatSync(`${top}/${at}`);
    return `${uid}:${gid}`;
  });
}

test.runIf(IS_ROOT).each(STRATEGIES)(
  "as root, a session by the strategy %s gives what is new to the project's owner, and leaves to others what is theirs",
  async (strategy) => {
    const files = new Map([
      ["theirs/f", file("f")],
      ["theirs/l", symlink("f")],
      ["theirs/moved/g", file("g")],
      ["theirs/moved/h", file("h")],
    ]);
    const world = tempSessionWorld(files, MEMORY_DIR, (project) => {
      fs.chownSync(project, 1234, 1235);
      execFileSync("chown", ["-Rh", "2345:2346", `${project}/theirs`]);
    });
    const session = await world.create(strategy);
    await session.change({ id: "c1", tool: "test" }, async () => {
      const { workspace } = session;
      workspace.write("theirs/f", "changed");
      workspace.rename("theirs/moved", "moved");
      workspace.append("moved/g", "+more");
      workspace.write("theirs/new", "new");
      workspace.symlink("new", "theirs/new-link");
      workspace.copy("theirs/f", "d/copy");
    });
    const [their, own] = ["2345:2346", "1234:1235"];
    const theirs = ["theirs", "theirs/f", "theirs/l"];
    const moved = ["moved", "moved/g", "moved/h"];
    const made = ["theirs/new", "theirs/new-link", "d", "d/copy"];
    const view = `/proc/self/fd/${session.view.fd}`;
    expect(ownersIn(view, [...theirs, ...moved])).toEqual(Array(6).fill(their));
    expect(ownersIn(view, [".", ...made])).toEqual(Array(5).fill(own));
    expect(await session.commit()).toMatchObject({ conflicts: [] });
    expect(ownersIn(world.project, theirs)).toEqual(Array(3).fill(their));
    expect(ownersIn(world.project, [".", ...moved, ...made])).toEqual(Array(8).fill(own));
  },
);

test.runIf(IS_ROOT).each(STRATEGIES)(
  "as root, a session by the strategy %s changes a read-only file, and a commit of it is refused before anything is written",
  async (strategy) => {
    const world = tempSessionWorld(
      new Map([
        ["a", file("old")],
        ["locked", file("old", 0o444)],
      ]),
      MEMORY_DIR,
    );
    const session = await world.create(strategy);
    for (const at of ["a", "locked"]) session.workspace.write(at, "new");
    await expect(session.commit()).rejects.toThrow(
      'Could not commit "locked": it is read-only for its owner. Change that first. Nothing was written.',
    );
    const read = (at: string) => fs.readFileSync(`${world.project}/${at}`, "utf8");
    expect([read("a"), read("locked")]).toEqual(["old", "old"]);
    expect(await session.commit({ selection: { paths: ["a"], hunks: [] } })).toMatchObject({
      committed: ["a"],
    });
  },
);
