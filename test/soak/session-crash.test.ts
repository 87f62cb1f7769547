// As in the machine lane, with every operation, every fault and both strategies.
import { describe, expect, test } from "vitest";
import { crashEverywhere, ENDINGS, makeCrashWorld } from "../kit/session-crash.ts";

describe.each(["kernel", "clone"] as const)("the strategy %s", (strategy) => {
  test.each(Object.keys(ENDINGS))("a fault at any change of a file during: %s", async (operation) => {
    const world = await makeCrashWorld(strategy);
    const faults = await crashEverywhere(world, operation, ["SIGKILL", "ENOSPC", "EIO"]);
    expect(faults.length).toBeGreaterThan(12);
  });
});
