// Sessions under real kills: whatever a process was doing, the next one finds the session as it was before
// or as it was to be, and can go on with it. The other operations are in the soak lane.
import { expect, test } from "vitest";
import { crashEverywhere, makeCrashWorld } from "../kit/session-crash.ts";

test.each(["change", "discard paths", "discard"])(
  "SIGKILL at any change of a file during: %s",
  async (operation) => {
    const faults = await crashEverywhere(await makeCrashWorld("kernel"), operation, ["SIGKILL"]);
    expect(faults.length).toBeGreaterThan(4);
  },
);
