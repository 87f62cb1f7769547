// Sessions in mode agentfs: every fault at each step of every operation, and many kills at random moments.
import { describe, expect, test } from "vitest";
import {
  crashEverywhere,
  crashTaking,
  ENDINGS,
  editByOthers,
  killAtMoments,
  makeCalls,
  makeCrashWorld,
} from "../kit/machine-and-soak/session-crash.ts";

const KINDS = ["SIGKILL", "ENOSPC", "EIO"] as const;

describe.each(["kernel", "clone"] as const)("P3.7: mode agentfs, by the strategy %s", (strategy) => {
  test.each(Object.keys(ENDINGS))("a fault at any change of a file during: %s", async (operation) => {
    const world = await makeCrashWorld(strategy, makeCalls, "agentfs");
    const faults = await crashEverywhere(world, operation, KINDS);
    expect(faults.filter(({ call }) => call.includes("agentfs.db")).length).toBeGreaterThan(12);
  });

  test("a fault at any change of a file while others' changes are taken from the file", async () => {
    const world = await makeCrashWorld(strategy, makeCalls, "agentfs", editByOthers);
    const faults = await crashTaking(world, KINDS);
    expect(faults.filter(({ call }) => call.includes("/merged/")).length).toBeGreaterThan(12);
  });

  test.each(["change", "rewind"] as const)("100 kills during a %s", async (operation) => {
    const world = await makeCrashWorld(strategy, makeCalls, "agentfs");
    expect(await killAtMoments(world, operation, 100)).toBeGreaterThan(5);
  });
});
