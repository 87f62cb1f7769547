import { expect, test } from "vitest";
import { createDfaRows, FIRST_ROW } from "./dfa-rows.ts";

const STRIDE = 4;
const LIMITS = { maxTableEntries: 400, maxSetEntries: 2000 };
const keysOf = (count: number, length = 1) =>
  Array.from({ length: count }, (_, number) => String(number).padStart(length, "-"));

test("the table does not grow beyond its limit, and the fixed rows stay where they are", () => {
  const rows = createDfaRows(STRIDE, LIMITS, ["start", "home"]);
  const largest = Math.max(...keysOf(10_000).map((key) => rows.rowOf(key)));
  expect(rows.table().length).toBe(LIMITS.maxTableEntries);
  expect(largest).toBe(LIMITS.maxTableEntries - STRIDE);
  expect([rows.rowOf("start"), rows.rowOf("home")]).toEqual([FIRST_ROW * STRIDE, (FIRST_ROW + 1) * STRIDE]);
});

test("long keys fill it as well", () => {
  const rows = createDfaRows(STRIDE, LIMITS, ["start", "home"]);
  const largest = Math.max(...keysOf(1000, 500).map((key) => rows.rowOf(key)));
  expect(largest).toBe((FIRST_ROW + 2 + 2) * STRIDE);
});

test("what a row led to is forgotten when it becomes another's", () => {
  const rows = createDfaRows(STRIDE, LIMITS, ["start", "home"]);
  const row = rows.rowOf("0");
  const to = rows.lead(row, 1, "1");
  expect(rows.table()[row + 1]).toBe(to);
  for (const key of keysOf(200)) rows.rowOf(key);
  expect(rows.table()[row + 1]).toBe(0);
});

test("a row that is forgotten while it finds its way is not written to", () => {
  const rows = createDfaRows(STRIDE, LIMITS, ["start", "home"]);
  const full = keysOf(LIMITS.maxTableEntries / STRIDE - FIRST_ROW - 2).map((key) => rows.rowOf(key));
  const to = rows.lead(full.at(-1)!, 1, "one more");
  expect(rows.keyOf(to)).toBe("one more");
  expect(rows.table().every((entry) => entry === 0)).toBe(true);
});
