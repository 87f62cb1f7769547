import { expect, test } from "vitest";
import { disconnectOften } from "../../kit/machine-and-soak/server-disconnects.ts";

test("a client that is disconnected again and again, also by kills of the server, misses and repeats nothing", async () => {
  const { disconnects, kills } = await disconnectOften(40, 10);
  expect(disconnects).toBeGreaterThanOrEqual(40);
  expect(kills).toBeGreaterThan(2);
});
