import { expect, test } from "vitest";
import { seededSurroundings } from "./surroundings.ts";

const look = (random: string) => {
  const { now, monotonic, random: fill, sleep } = seededSurroundings({ startMs: 1000, random });
  const bytes = new Uint8Array(40);
  fill(bytes);
  sleep(5);
  return { now: now(), monotonic: monotonic(), bytes: Buffer.from(bytes).toString("hex") };
};

test("a seed gives the same time and the same random bytes again; another seed gives other bytes", () => {
  expect(look("a")).toEqual(look("a"));
  expect(look("a")).toMatchObject({ now: 1_005_001_000n, monotonic: 5_002_000n });
  expect(look("b").bytes).not.toBe(look("a").bytes);
});
