import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { openSessionCliWorld } from "../../kit/worlds/session-cli-world.ts";

test("a file that git tracks is not ignored, whatever the rules say", async () => {
  const world = await openSessionCliWorld({ ".gitignore": "*.log\n", "kept.log": "old\n", "b.log": "old\n" });
  const git = (...args: string[]) => execFileSync("git", args, { cwd: world.root, stdio: "ignore" });
  git("init");
  git("add", "--force", "kept.log");
  await world.change({
    c1(workspace) {
      workspace.write("kept.log", "new\n");
      workspace.write("b.log", "new\n");
    },
  });
  const { changes, ignored } = JSON.parse((await world.run(["diff", "--json"])).out);
  expect([changes.map((change: { path: string }) => change.path), ignored]).toEqual([["kept.log"], 1]);
});
