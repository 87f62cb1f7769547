// As in the machine lane, with every operation, every fault and both strategies.
import { describe, expect, test } from "vitest";
import {
  crashEverywhere,
  crashFollowing,
  crashRestoring,
  ENDINGS,
  makeCrashWorld,
  makeFollowingWorld,
  removeDirectory,
} from "../kit/session-crash.ts";

describe.each(["kernel", "clone"] as const)("the strategy %s", (strategy) => {
  test.each(Object.keys(ENDINGS))("a fault at any change of a file during: %s", async (operation) => {
    const world = await makeCrashWorld(strategy);
    const faults = await crashEverywhere(world, operation, ["SIGKILL", "ENOSPC", "EIO"]);
    expect(faults.length).toBeGreaterThan(12);
  });

  test("SIGKILL at any change of a file while a session follows the user leaves it to follow him", async () => {
    const faults = await crashFollowing(await makeFollowingWorld(strategy), ["SIGKILL"]);
    expect(faults.length).toBeGreaterThan(4);
  });

  test("SIGKILL at any change of a file while a part of what was removed is put back leaves nothing of it, or all", async () => {
    const faults = await crashRestoring(await makeCrashWorld(strategy, removeDirectory), ["SIGKILL"]);
    expect(faults.length).toBeGreaterThan(4);
  });
});
