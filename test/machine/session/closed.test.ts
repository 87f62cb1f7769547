// What an agent closes to its own user, without root's rights, ends nothing: it can be seen, taken and left.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Strategy } from "../../../src/workspace/layers/record.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { file } from "../../kit/worlds/planted-tree.ts";
import { STRATEGIES, tempSessionWorld } from "../../kit/worlds/session-world.ts";

async function begin(strategy: Strategy) {
  const world = tempSessionWorld(
    new Map([
      ["p/q/x", file("x")],
      ["f", file("f")],
    ]),
    os.tmpdir(),
  );
  const session = await world.create(strategy);
  await session.change(
    { id: "good", tool: "test" },
    async () => void session.workspace.write("good", "good"),
  );
  await session.change({ id: "evil", tool: "test" }, async () => {
    const at = (name: string) => `/proc/self/fd/${session.view.fd}/${name}`;
    fs.mkdirSync(at("d/e"), { recursive: true });
    fs.writeFileSync(at("d/e/y"), "y");
    for (const name of ["d/e/y", "d/e", "d", "f", "p/q", "p", ""]) fs.chmodSync(at(name), 0);
  });
  return { session, project: (name: string) => path.join(world.project, name) };
}

const changed = ["d/e/y", "f", "good", "p", "p/q"];

describe.runIf(!IS_ROOT).each(STRATEGIES)("with the strategy %s", (strategy) => {
  test("all is in the diff", async () => {
    const { session } = await begin(strategy);
    expect(await session.diff(({ shown }) => shown.map(({ path: at }) => at))).toEqual(changed);
  });

  test("what is good is committed, alone or with all else", async () => {
    const { session, project } = await begin(strategy);
    const selection = { paths: ["good"], hunks: [] };
    expect(await session.commit({ selection })).toMatchObject({ committed: ["good"] });
    expect(await session.commit()).toMatchObject({ committed: ["d", "d/e", "d/e/y", "f", "p", "p/q"] });
    expect([fs.readFileSync(project("d/e/y"), "utf8"), fs.readdirSync(project("p/q"))]).toEqual(["y", ["x"]]);
  });

  test("it is discarded by path, and the rest stays", async () => {
    const { session } = await begin(strategy);
    await session.discard(["d", "f", "p"]);
    expect(await session.diff(({ shown }) => shown.map(({ path: at }) => at))).toEqual(["good"]);
    expect(session.workspace.read("p/q/x").toString()).toBe("x");
  });

  test("it is rewound, and all of it is discarded", async () => {
    const { session } = await begin(strategy);
    await session.rewind("evil");
    expect(Array.from(session.workspace.walk("."), (entry) => entry.path)).toEqual([
      "f",
      "good",
      "p",
      "p/q",
      "p/q/x",
    ]);
    await session.undoRewind();
    await session.discard();
    expect(await session.diff(({ changes }) => changes)).toEqual([]);
  });

  test("a directory that the user closes after a commit into it keeps no call from the rest", async () => {
    const world = tempSessionWorld(new Map([["d/e/x", file("x")]]), os.tmpdir());
    const { change, commit, read, workspace } = await world.create(strategy);
    await change({ id: "one", tool: "test" }, async () => workspace.remove("d", { recursive: true }));
    await change({ id: "two", tool: "test" }, async () => void workspace.write("d/e/x", "new"));
    await commit();
    fs.chmodSync(path.join(world.project, "d"), 0);
    await change({ id: "three", tool: "test" }, async () => void workspace.write("f", "f"));
    expect(await read(async () => workspace.read("f").toString())).toBe("f");
    fs.chmodSync(path.join(world.project, "d"), 0o755);
  });

  test("a file that the user puts in the place of a committed one, and closes, keeps no call from the rest", async () => {
    const world = tempSessionWorld(new Map([["d/f", file("old")]]), os.tmpdir());
    const session = await world.create(strategy);
    const { change, workspace } = session;
    await change({ id: "a", tool: "test" }, async () => void workspace.write("d/f", "agent"));
    await session.commit();
    const [closed, at] = ["closed", "d/f"].map((name) => path.join(world.project, name));
    fs.writeFileSync(closed!, "user", { mode: 0 });
    fs.renameSync(closed!, at!);
    await change({ id: "b", tool: "test" }, async () => void workspace.write("g", "agent"));
    expect(await session.diff(({ shown }) => shown.map((one) => one.path))).toEqual(["g"]);
    expect(await session.commit()).toMatchObject({ committed: ["g"], conflicts: [] });
    fs.chmodSync(at!, 0o600);
    expect(await session.read(async () => workspace.read("d/f").toString())).toBe("user");
  });

  test("a file that the user closes after the session has changed it can't be shown, and keeps nothing else from it", async () => {
    const files = ["e", "f", "old", "x"].map((at) => [at, file(at)] as const);
    const world = tempSessionWorld(new Map(files), os.tmpdir());
    const session = await world.create(strategy);
    const { change, workspace } = session;
    await change({ id: "a", tool: "test" }, async () => {
      for (const at of ["e", "x"]) workspace.write(at, "agent");
      workspace.remove("old");
      workspace.write("new", "new");
    });
    for (const at of ["e", "old"]) fs.chmodSync(path.join(world.project, at), 0);
    const shown = await session.diff((diff) => diff.shown.map((one) => [one.path, one.kind, one.binary]));
    expect(shown).toEqual([
      ["e", "modified", true],
      ["new", "added", false],
      ["old", "deleted", true],
      ["x", "modified", false],
    ]);
    const { committed, conflicts } = await session.commit({ onConflict: "skip" });
    expect([committed, conflicts.map((one) => one.path)]).toEqual([
      ["new", "x"],
      ["e", "old"],
    ]);
  });
});
