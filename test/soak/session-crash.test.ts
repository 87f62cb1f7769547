// As in the machine lane, with every operation, every fault and both strategies.
import { describe, expect, test } from "vitest";
import {
  commitAndEdit,
  commitRemoval,
  crashCollecting,
  crashCommitting,
  crashEverywhere,
  crashFollowing,
  crashRestoring,
  cutOffCommit,
  ENDINGS,
  killInside,
  leaveGarbage,
  makeCalls,
  makeCrashWorld,
  makeRebuiltWorld,
  removeDirectory,
} from "../kit/machine-and-soak/session-crash.ts";

const ALL_KINDS = ["SIGKILL", "ENOSPC", "EIO"] as const;

describe.each(["kernel", "clone"] as const)("the strategy %s", (strategy) => {
  test.each(Object.keys(ENDINGS))("a fault at any change of a file during: %s", async (operation) => {
    const world = await makeCrashWorld(strategy);
    const faults = await crashEverywhere(world, operation, ALL_KINDS);
    expect(faults.length).toBeGreaterThan(12);
  });

  test("after a fault at any change of a file during a commit that removes a directory the next commit meets no conflict", async () => {
    const world = makeRebuiltWorld(strategy, removeDirectory);
    const faults = await crashCommitting(world, "commit", ALL_KINDS);
    expect(faults.length).toBeGreaterThan(100);
  });

  test("after a fault at any change of a file during the recovery of such a commit the next one meets no conflict", async () => {
    const faults = await crashCommitting(makeRebuiltWorld(strategy, cutOffCommit), "recover", ALL_KINDS);
    expect(faults.length).toBeGreaterThan(20);
  });

  test("after a fault at any change of a file during the revert of such a commit the session shows the removal, and the next commit meets no conflict", async () => {
    const faults = await crashCommitting(makeRebuiltWorld(strategy, commitRemoval), "revert", ALL_KINDS);
    expect(faults.length).toBeGreaterThan(20);
  });

  test.each([
    ["commit", removeDirectory],
    ["recover", cutOffCommit],
    ["revert", commitRemoval],
    ["rewind", makeCalls],
    ["gc", leaveGarbage],
  ] as const)(
    "%s, killed 100 times inside, is done or not, and the next operation succeeds",
    async (operation, prepare) => {
      await killInside(makeRebuiltWorld(strategy, prepare), operation, 100);
    },
  );

  test("a fault at any change of a file during gc loses no session that has changes", async () => {
    const faults = await crashCollecting(makeRebuiltWorld(strategy, leaveGarbage), ALL_KINDS);
    expect(faults.length).toBeGreaterThan(12);
  });

  test("SIGKILL at any change of a file while a session follows the user leaves it to follow him", async () => {
    const faults = await crashFollowing(makeRebuiltWorld(strategy, commitAndEdit), ["SIGKILL"]);
    expect(faults.length).toBeGreaterThan(4);
  });

  test("SIGKILL at any change of a file while a part of what was removed is put back leaves nothing of it, or all", async () => {
    const faults = await crashRestoring(makeRebuiltWorld(strategy, removeDirectory), ["SIGKILL"]);
    expect(faults.length).toBeGreaterThan(4);
  });
});
