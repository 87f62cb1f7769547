// A link decides which files a path leads to, so a link in the path of files that execute automatically needs separate confirmation.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { directory } from "../../kit/worlds/planted-tree.ts";
import { STRATEGIES, tempSessionWorld } from "../../kit/worlds/session-world.ts";

const LINKS: readonly (readonly [at: string, needsYes: boolean])[] = [
  [".github/workflows", true],
  [".GitHub/Workflows", true],
  [".github", true],
  ["home/.config", true],
  ["home/.config/fish", true],
  [".vscode", true],
  ["docs", false],
  ["home/workflows", false],
];

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  test.each(LINKS)("a link %s to a directory needs confirmation: %s", async (at, needsYes) => {
    const world = tempSessionWorld(new Map([["elsewhere", directory()]]));
    const session = await world.create(strategy);
    await session.change({ id: "c", tool: "test" }, async () => {
      const link = `/proc/self/fd/${session.view.fd}/${at}`;
      fs.mkdirSync(path.dirname(link), { recursive: true });
      fs.symlinkSync("elsewhere", link);
    });
    expect((await session.plan()).protectedPaths.includes(at)).toBe(needsYes);
    await session.commit();
    const isThere = () => fs.lstatSync(path.join(world.project, at), { throwIfNoEntry: false }) !== undefined;
    expect(isThere()).toBe(!needsYes);
    await session.commit({ allowProtected: true });
    expect(isThere()).toBe(true);
  });
});

test("a file is no way to anything", async () => {
  const session = await tempSessionWorld().create("kernel");
  await session.change({ id: "c", tool: "test" }, async () => void session.workspace.write(".config", "y\n"));
  expect(await session.commit()).toMatchObject({ committed: [".config"] });
});
