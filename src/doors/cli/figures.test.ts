import { expect, test } from "vitest";
import { formatAge, formatBytes, parseBytes } from "./figures.ts";

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1.0 KB"],
  [10_240, "10 KB"],
  [5 * 1024 ** 3, "5.0 GB"],
  [1024 ** 5, "1024 TB"],
])("%d bytes are shown as %j", (bytes, shown) => {
  expect(formatBytes(bytes)).toBe(shown);
});

test.each([
  ["0", 0],
  ["1048576", 1024 ** 2],
  ["200m", 200 * 1024 ** 2],
  ["5G", 5 * 1024 ** 3],
  ["1.5 GB", 1.5 * 1024 ** 3],
  ["1TB", 1024 ** 4],
])("the size %j is %d bytes", (given, bytes) => {
  expect(parseBytes(given, "--max-size")).toBe(bytes);
});

test.each(["", "G", "-1", "5X", "5 000", "1e9", "Infinity"])(
  "%j is no size, and what one is like is said",
  (given) => {
    expect(() => parseBytes(given, "--max-size")).toThrow(
      `--max-size is ${JSON.stringify(given)}; give a size such as 500M or 5G.`,
    );
  },
);

test.each([
  [0, "0 s"],
  [-5000, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [7_200_000, "2 h"],
  [30 * 86_400_000, "30 d"],
])("an age of %d ms is shown as %j", (ms, shown) => {
  const since = "2026-01-01T00:00:00.000Z";
  expect(formatAge(since, Date.parse(since) + ms)).toBe(shown);
});
