import { expect, test } from "vitest";
import { openConnections } from "../kit/machine-and-soak/network-memory.ts";

const MiB = 1024 * 1024;

test("1,000 connections of a command to a granted host, 50 at once, take hotcell no more memory than 50", async () => {
  const { done, peakGrowth } = await openConnections(1_000, 32 * MiB);
  expect(done).toEqual({ opened: 1_000, read: 20 * 32 * MiB });
  expect(peakGrowth).toBeLessThan(256 * MiB);
});
