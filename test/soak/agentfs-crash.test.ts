// Sessions in mode agentfs: every fault at each step of every operation, and many kills at random moments.
import { describe, expect, test } from "vitest";
import {
  crashEverywhere,
  crashExporting,
  crashImporting,
  crashTaking,
  ENDINGS,
  editByOthers,
  killInside,
  makeCalls,
  makeCallsAndExport,
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

  test("a fault at any change of a file during an export", async () => {
    const faults = await crashExporting(await makeCrashWorld(strategy), KINDS);
    expect(faults.filter(({ call }) => call.includes("exported.db")).length).toBeGreaterThan(12);
  });

  test("a fault at any change of a file during an import", async () => {
    const faults = await crashImporting(await makeCrashWorld(strategy, makeCallsAndExport), KINDS);
    expect(faults.filter(({ call }) => call.includes("hotcell-import-")).length).toBeGreaterThan(6);
  });

  test.each(["change", "rewind", "open"] as const)("100 kills that hit inside: %s", async (operation) => {
    const edit = operation === "open" ? editByOthers : undefined;
    await killInside(await makeCrashWorld(strategy, makeCalls, "agentfs", edit), operation, 100);
  });
});
