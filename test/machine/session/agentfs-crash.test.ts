// Sessions in mode agentfs under real kills: the database has the state before or after the operation, SQLite and
// agentfs-sdk read it, and the next open makes it equal to the session. The soak lane has kills and failing disks at each
// step.
import { expect, test } from "vitest";
import {
  crashSyncing,
  killInside,
  makeCalls,
  makeCrashWorld,
} from "../../kit/machine-and-soak/session-crash.ts";

test("P3.7: a kill during a call leaves session and database whole, and the next open catches up", async () => {
  const world = await makeCrashWorld("kernel", makeCalls, "agentfs");
  await killInside(world, "change", 5);
}, 60_000);

test("P3.7: a full or failing disk, or a kill, when the database is synced or cut leaves it whole, for SQLite and for agentfs-sdk", async () => {
  const world = await makeCrashWorld("kernel", makeCalls, "agentfs");
  const faults = await crashSyncing(world, "change", ["SIGKILL", "ENOSPC", "EIO"]);
  expect(faults.length).toBeGreaterThan(8);
}, 180_000);
