// The same with ten times as many and more, with both strategies: test/soak.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { checkGrowth } from "../../kit/machine-and-soak/session-growth.ts";
import { MEMORY_DIR } from "../../kit/memory-dir.ts";
import { tempSessionWorld } from "../../kit/worlds/session-world.ts";

const BIN = path.resolve(import.meta.dirname, "../../../bin/hotcell.js");

test.each([
  ["levels", 10_000],
  ["levels in chains of 500", 5000],
  ["empty files", 20_000],
  ["names of 255 bytes", 10_000],
  ["symbolic links in a chain", 1000],
  ["hard links of one file", 1000],
])("%s: every step on %d of them is proportional", (shape, count) => checkGrowth("kernel", shape, count));

/** Chains whose paths together are longer than the memory of a small process. */
const MAKE_CHAINS = `python3 -c '
import os
top = os.open(".", 0)
for chain in range(20):
  os.mkdir("c%d" % chain); os.chdir("c%d" % chain)
  for _ in range(1900): os.mkdir("d"); os.chdir("d")
  os.fchdir(top)'`;

test("a command that creates more than fits in memory does not end the process, and its session can be discarded", async () => {
  const world = tempSessionWorld(new Map(), MEMORY_DIR);
  const session = await world.create("kernel");
  session.close();
  const { id } = session.record;
  const hotcell = (...args: string[]) => {
    const env = {
      ...process.env,
      HOTCELL_STATE_DIR: world.stateDir,
      NODE_OPTIONS: "--max-old-space-size=64",
    };
    return spawnSync(process.execPath, [BIN, ...args], { cwd: world.project, env, encoding: "utf8" });
  };
  const command = JSON.stringify({ command: MAKE_CHAINS });
  const called = hotcell("call", "run_command", command, "--session", id, "--trust", "autonomous", "--json");
  const { success, meta } = JSON.parse(called.stdout);
  const problem =
    /^Could not read the changes of the session: more files and directories were created than fit/;
  expect([success, meta.changes]).toEqual([
    true,
    { count: 1, paths: ["."], unlisted: ["."], warning: expect.stringMatching(problem) },
  ]);
  const shown = hotcell("session", "show", id);
  expect([shown.status, shown.stderr.replace("hotcell: ", "")]).toEqual([1, expect.stringMatching(problem)]);
  expect(hotcell("session", "discard", id, "--yes").status).toBe(0);
  expect(JSON.parse(hotcell("session", "show", id, "--json").stdout)).toMatchObject({ changes: 0 });
});

test("a commit of more changes than fit in memory is refused, not the end of the process; a part of them is committed", async () => {
  const world = tempSessionWorld(new Map(), MEMORY_DIR);
  const session = await world.create("kernel");
  await session.change({ id: "c1", tool: "test" }, async () => {
    for (const dir of ["a", "b"]) {
      fs.mkdirSync(`/proc/self/fd/${session.view.fd}/${dir}`);
      const count = dir === "a" ? 10 : 30_000;
      for (let file = 0; file < count; file++)
        fs.writeFileSync(`/proc/self/fd/${session.view.fd}/${dir}/${file}`, "");
    }
  });
  session.close();
  const commit = (...paths: string[]) => {
    const args = [BIN, "session", "commit", session.record.id, ...paths, "--yes"];
    const env = {
      ...process.env,
      HOTCELL_STATE_DIR: world.stateDir,
      NODE_OPTIONS: "--max-old-space-size=64",
    };
    return spawnSync(process.execPath, args, { cwd: world.project, env, encoding: "utf8" });
  };
  const all = commit();
  expect([all.status, all.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^hotcell: Could not plan a commit of 30012 changes: .* is enough for about \d+\. /,
    ),
  ]);
  expect(commit("a").status).toBe(0);
  expect(fs.readdirSync(world.project)).toEqual(["a"]);
});
