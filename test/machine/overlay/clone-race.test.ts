// A real attacker exchanges a directory of the working copy with a link that leads outside, as fast as it
// can, while the copy is captured and other stacks are shown in it. The naive way reaches outside in the same
// world; ours must never.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HotcellError } from "../../../src/core/errors.ts";
import type { SessionView } from "../../../src/workspace/overlay/session-view.ts";
import { compile } from "../../kit/native/compile.ts";
import { type CloneWorld, makeCloneWorld, stackOf } from "../../kit/worlds/clone-world.ts";
import { file, survey, symlink } from "../../kit/worlds/planted-tree.ts";

const ROUNDS = 400;
const MOST_CONTROL_ROUNDS = 1_000_000;
const SECRET = /CANARY-OUTSIDE|secret-name/;

test(`${ROUNDS} captures and shows while a directory is exchanged with a link touch nothing outside`, async () => {
  const world = makeCloneWorld(
    new Map([
      ["d/f", file("project")],
      ["d/g/h", file("project")],
      ["e", symlink("../../../../outside")],
    ]),
  );
  onTestFinished(() => world.remove());
  const outside = path.join(world.project, "../outside");
  fs.mkdirSync(path.join(outside, "g"), { recursive: true });
  for (const name of ["f", "secret-name", "g/h"])
    fs.writeFileSync(path.join(outside, name), "CANARY-OUTSIDE");
  const view = await world.open(stackOf(1));
  fs.writeFileSync(path.join(world.merged, "d/f"), "layer");
  await view.capture();
  const attacker = await startAttacker(world);
  try {
    expect(controlLeaks(world)).toBe(true);
    const before = [...survey(outside)];
    const { leaks, done } = await runRounds(world, view);
    expect(leaks).toBe(0);
    expect([...survey(outside)]).toEqual(before);
    expect(done).toBeGreaterThan(ROUNDS / 10);
    expect(attacker.exitCode).toBeNull();
  } finally {
    attacker.kill("SIGKILL");
    await once(attacker, "close");
    view.close();
  }
});

async function startAttacker({ merged, dir }: CloneWorld): Promise<ChildProcess> {
  const names = ["d", "e"].map((name) => path.join(merged, name));
  const child = spawn(compile("swap", dir), names, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout!, "data");
  return child;
}

/** Each round shows the project alone or with the first layer, and captures what it finds into a layer of its own. */
async function runRounds(world: CloneWorld, view: SessionView) {
  const count = { leaks: 0, done: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const live = round + 2;
    try {
      await view.show(round % 2 === 0 ? stackOf(live) : stackOf(1, live));
      await view.capture();
      count.done++;
    } catch (error) {
      if (!(error instanceof HotcellError)) throw error;
    }
    if (SECRET.test(JSON.stringify([...world.layer(live)]))) count.leaks++;
  }
  return count;
}

/** Look, then read: until it leaks for the first time. */
function controlLeaks({ merged }: CloneWorld): boolean {
  for (let round = 0; round < MOST_CONTROL_ROUNDS; round++) {
    try {
      if (fs.lstatSync(`${merged}/d`).isSymbolicLink()) continue;
      if (SECRET.test(fs.readFileSync(`${merged}/d/f`, "utf8"))) return true;
    } catch {}
  }
  return false;
}
