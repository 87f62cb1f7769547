// The same as in test/machine, at every step, and for pairs of kills.
import fs from "node:fs";
import { afterEach, expect, test } from "vitest";
import { makeScene, type Scene } from "../kit/children/commit-child.ts";
import {
  checkRecovered,
  checkWhole,
  findCommitPoint,
  killAndRecover,
  killAtMoments,
  stepsOf,
  upTo,
} from "../kit/machine-and-soak/commit-crash.ts";
import { layOutHundred, layOutScene } from "../kit/worlds/commit-scene.ts";

let scene: Scene;
afterEach(() => scene.world.remove());

test("crash-007: a commit of 100 files, killed at every step", async () => {
  scene = makeScene({ layOut: layOutHundred });
  for (const killAt of upTo(stepsOf(scene, "commit"))) {
    await checkRecovered(scene, await killAndRecover(scene, "commit", killAt));
  }
});

test("crash-007: a commit killed at every step, and its recovery at every step", async () => {
  scene = makeScene({ layOut: layOutScene });
  for (const killedAt of upTo(stepsOf(scene, "commit"))) {
    for (let killAt = 1, killed = true; killed; killAt++) {
      scene.reset();
      expect(scene.run("commit", killedAt).killed).toBe(true);
      killed = scene.run("recover", killAt).killed;
      checkWhole(scene);
      await checkRecovered(scene, await scene.recover());
    }
  }
});

test("crash-007: a recovery killed after each step that it gets ahead still comes to its end", async () => {
  scene = makeScene({ layOut: layOutScene });
  const point = await findCommitPoint(scene);
  scene.reset();
  scene.run("commit", point);
  let kills = 0;
  while (scene.run("recover", 1).killed && kills < 1000) kills++;
  expect(kills).toBeGreaterThan(20);
  await checkRecovered(scene, "finished");
});

test("crash-007: a revert killed at every step, and its recovery at every third", async () => {
  scene = makeScene({ layOut: layOutScene });
  scene.run("commit");
  scene.save();
  for (const killedAt of upTo(stepsOf(scene, "revert"))) {
    for (let killAt = 1, killed = true; killed; killAt += 3) {
      scene.reset();
      expect(scene.run("revert", killedAt).killed).toBe(true);
      killed = scene.run("recover", killAt).killed;
      await scene.recover();
      expect(scene.world.tree("project")).toEqual(scene.before);
      expect(await scene.recover()).toBe("none");
    }
  }
});

test("crash-009: taking back a commit that met an edit, killed at every step", async () => {
  scene = makeScene({ layOut: layOutScene });
  const point = await findCommitPoint(scene);
  scene.reset();
  scene.run("commit", point);
  fs.writeFileSync(`${scene.world.project.path}/new link`, "made meanwhile\n");
  scene.save();
  const expected = { ...scene.before, "new link": "file 644 made meanwhile\n" };
  for (const killAt of upTo(stepsOf(scene, "recover"))) {
    scene.reset();
    expect(scene.run("recover", killAt).killed).toBe(true);
    await scene.recover();
    expect(scene.world.tree("project")).toEqual(expected);
    expect(await scene.recover()).toBe("none");
  }
});

test("crash-008: a commit of 100 files, killed at 200 moments, 50 times each", async () => {
  scene = makeScene({ layOut: layOutHundred });
  const found = await killAtMoments(scene, 200, 50);
  expect(Math.min(found.none, found["rolled back"], found.finished)).toBeGreaterThan(0);
});
