// Commits that are killed, by a real SIGKILL, at each of their steps, and recoveries that are killed at theirs.
// Afterwards the project is exactly as before or exactly as committed. Every step, and pairs: test/soak.
import fs from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { Recovery } from "../../../src/workspace/commit/recover.ts";
import { makeScene, type Scene } from "../../kit/children/commit-child.ts";
import {
  checkRecovered,
  findCommitPoint,
  killAndRecover,
  killAtMoments,
  stepsOf,
  upTo,
} from "../../kit/machine-and-soak/commit-crash.ts";
import { layOutHundred, layOutScene } from "../../kit/worlds/commit-scene.ts";

let scene: Scene;
afterEach(() => scene.world.remove());

describe("crash-007: killed", () => {
  test.each([
    { who: "this user", at: "any step", isOrdinary: false, stride: 1 },
    { who: "an ordinary user", at: "steps", isOrdinary: true, stride: 6 },
  ])("at $at of a commit by $who, it is made whole or taken back", async ({ isOrdinary, stride }) => {
    scene = makeScene({ layOut: layOutScene, isOrdinary });
    const recoveries: Recovery[] = [];
    for (const killAt of upTo(stepsOf(scene, "commit"), stride)) {
      const recovered = await killAndRecover(scene, "commit", killAt);
      await checkRecovered(scene, recovered);
      recoveries.push(recovered);
    }
    for (const way of ["rolled back", "finished"]) expect(recoveries).toContain(way);
  });

  test("at steps of a commit of 100 files, renames, deletes and links, it is made whole or taken back", async () => {
    scene = makeScene({ layOut: layOutHundred });
    for (const killAt of upTo(stepsOf(scene, "commit"), 53)) {
      await checkRecovered(scene, await killAndRecover(scene, "commit", killAt));
    }
  });

  test.each([
    { which: "takes a commit back", stepsAfter: -1 },
    { which: "finishes a commit", stepsAfter: 0 },
  ])("at steps of a recovery that $which, the next one goes on", async ({ stepsAfter }) => {
    scene = makeScene({ layOut: layOutScene });
    const point = await findCommitPoint(scene);
    scene.reset();
    scene.run("commit", point + stepsAfter);
    scene.save();
    for (const killAt of upTo(stepsOf(scene, "recover"), 2)) {
      await checkRecovered(scene, await killAndRecover(scene, "recover", killAt));
    }
  });

  test("at steps of a revert, recovery brings it to its end", async () => {
    scene = makeScene({ layOut: layOutScene });
    scene.run("commit");
    scene.save();
    for (const killAt of upTo(stepsOf(scene, "revert"), 3)) {
      await killAndRecover(scene, "revert", killAt);
      expect(scene.world.tree("project")).toEqual(scene.before);
      expect(await scene.recover()).toBe("none");
    }
  });
});

test("crash-008: killed at 20 moments, a commit of 100 files is made whole or taken back", async () => {
  scene = makeScene({ layOut: layOutHundred });
  const found = await killAtMoments(scene, 20, 1);
  expect(found["rolled back"] + found.finished).toBeGreaterThan(0);
});

test("crash-009: killed at steps of taking back a commit that met an edit, the edit stays and the rest is as before", async () => {
  scene = makeScene({ layOut: layOutScene });
  const point = await findCommitPoint(scene);
  scene.reset();
  scene.run("commit", point);
  fs.writeFileSync(`${scene.world.project.path}/new link`, "made meanwhile\n");
  scene.save();
  const expected = { ...scene.before, "new link": "file 644 made meanwhile\n" };
  for (const killAt of upTo(stepsOf(scene, "recover"), 5)) {
    scene.reset();
    expect(scene.run("recover", killAt).killed).toBe(true);
    expect(["rolled back", "none"]).toContain(await scene.recover());
    expect(scene.world.tree("project")).toEqual(expected);
    expect(await scene.recover()).toBe("none");
  }
});
