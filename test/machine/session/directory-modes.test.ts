// A directory's mode in the project is its owner's: a session changes it only where it has changed it itself.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Strategy } from "../../../src/workspace/layers/record.ts";
import { file } from "../../kit/worlds/planted-tree.ts";
import { STRATEGIES, tempSessionWorld } from "../../kit/worlds/session-world.ts";

async function begin(strategy: Strategy) {
  const world = tempSessionWorld(new Map([["d/f", file("1\n")]]));
  const session = await world.create(strategy);
  const project = path.join(world.project, "d");
  return {
    session,
    chmod: (mode: number) => fs.chmodSync(project, mode),
    mode: () => fs.statSync(project).mode & 0o777,
    change: (work: (view: string) => void) =>
      session.change({ id: "c", tool: "test" }, async () => work(`/proc/self/fd/${session.view.fd}`)),
  };
}

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  test("a mode that somebody gives a directory while a call works in it is not put back", async () => {
    const { session, chmod, mode, change } = await begin(strategy);
    await change(() => {
      session.workspace.write("d/f", "2\n");
      chmod(0o700);
    });
    expect(await session.commit()).toMatchObject({ conflicts: [{ path: "d" }] });
    expect(await session.commit({ onConflict: "theirs" })).toMatchObject({ committed: ["d/f"] });
    expect(mode()).toBe(0o700);
  });

  test("what the session gave it is committed", async () => {
    const { session, mode, change } = await begin(strategy);
    await change((view) => fs.chmodSync(`${view}/d`, 0o750));
    expect(await session.commit()).toMatchObject({ committed: ["d"] });
    expect(mode()).toBe(0o750);
  });

  test("what both gave it is a conflict", async () => {
    const { session, chmod, mode, change } = await begin(strategy);
    await change((view) => fs.chmodSync(`${view}/d`, 0o750));
    chmod(0o700);
    expect(await session.commit()).toMatchObject({ committed: [], conflicts: [{ path: "d" }] });
    expect(mode()).toBe(0o700);
  });
});
