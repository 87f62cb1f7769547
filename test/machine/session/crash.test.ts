// Sessions under real kills: whatever a process was doing, the next one finds the session as it was before
// or as it was to be, and can go on with it. The other operations are in the soak lane.
import { expect, test } from "vitest";
import { crashCreating, crashEverywhere, makeCrashWorld } from "../../kit/machine-and-soak/session-crash.ts";

test.each([
  ["a checkpoint and a call", "change"],
  ["crash-013: discarding all", "discard"],
])("%s: SIGKILL at any change of a file leaves the session usable", async (_, operation) => {
  const faults = await crashEverywhere(await makeCrashWorld("kernel"), operation, ["SIGKILL"]);
  expect(faults.length).toBeGreaterThan(4);
});

test("crash-006: SIGKILL at any change of a file while a session is made leaves none, or one that can be used", async () => {
  const faults = await crashCreating(await makeCrashWorld("kernel"), ["SIGKILL"]);
  expect(faults.length).toBeGreaterThan(4);
});
