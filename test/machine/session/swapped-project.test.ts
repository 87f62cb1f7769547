// Whoever can write the directory above a project can put a link to another directory in its place.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { file } from "../../kit/worlds/planted-tree.ts";
import { STRATEGIES, tempSessionWorld } from "../../kit/worlds/session-world.ts";

const REFUSED = {
  code: "WORKSPACE_UNUSABLE",
  message: expect.stringContaining("now leads to another directory"),
};

async function begin(strategy: (typeof STRATEGIES)[number]) {
  const world = tempSessionWorld(new Map([["a", file("a")]]));
  const outside = path.join(world.top, "outside");
  fs.mkdirSync(outside);
  fs.writeFileSync(path.join(outside, "private"), "private");
  const session = await world.create(strategy);
  await session.change({ id: "c1", tool: "test" }, async () => session.workspace.write("new", "n"));
  const parked = `${world.project}.parked`;
  const swap = () => {
    fs.renameSync(world.project, parked);
    fs.symlinkSync("outside", world.project);
  };
  const swapBack = () => {
    fs.unlinkSync(world.project);
    fs.renameSync(parked, world.project);
  };
  return { ...world, session, outside, swap, swapBack };
}

describe.each(STRATEGIES)("with the strategy %s, a project whose path has become a link", (strategy) => {
  test("is neither changed nor committed to", async () => {
    const { session, outside, swap, swapBack } = await begin(strategy);
    swap();
    const change = session.change({ id: "c2", tool: "test" }, async () =>
      session.workspace.write("two", "2"),
    );
    await expect(change).rejects.toMatchObject(REFUSED);
    await expect(session.commit()).rejects.toMatchObject(REFUSED);
    await expect(session.diff(() => {})).rejects.toMatchObject(REFUSED);
    expect(fs.readdirSync(outside)).toEqual(["private"]);
    swapBack();
    expect((await session.commit()).committed).toEqual(["new"]);
  });

  test("does not show what the link leads to", async () => {
    const { session, swap } = await begin(strategy);
    swap();
    const read = session.read(async () => session.workspace.read("private"));
    await expect(read).rejects.toMatchObject({
      code: expect.stringMatching(/^(WORKSPACE_UNUSABLE|NOT_FOUND)$/),
    });
  });

  test("can't be opened until it is back", async () => {
    const { session, open, swap, swapBack } = await begin(strategy);
    session.close();
    swap();
    await expect(open(session.record.id)).rejects.toMatchObject(REFUSED);
    swapBack();
    const again = await open(session.record.id);
    expect(String(again.workspace.read("new"))).toBe("n");
  });
});
