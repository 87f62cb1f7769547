import { expect, test } from "vitest";
import { needleSet } from "./needle-set.ts";
import { createScanMemory, WINDOW_START } from "./scan-memory.ts";

test("a text in which one of the literals seems to begin all the time is not stopped in for ever", () => {
  const memory = createScanMemory();
  const needles = ["qzjk", "ZKJQ"].map((literal) => memory.needle(Buffer.from(literal), false)!);
  let stops = 0;
  const findRow: typeof memory.findRow = (...args) => {
    stops++;
    return memory.findRow(...args);
  };
  const filter = needleSet({ ...memory, findRow }, needles);
  const to = WINDOW_START + memory.bytes.write(`${"qKjQ--".repeat(100_000)}ZKJQ`, WINDOW_START);
  filter.begin(to);
  expect(filter.next(WINDOW_START)).toBe(to - 4);
  expect(stops).toBeGreaterThan(0);
  expect(stops).toBeLessThan(2000);
});

test("what is passed over up to the end of each text makes up for a stop in each", () => {
  const memory = createScanMemory();
  const needles = ["qzjk", "ZKJQ"].map((literal) => memory.needle(Buffer.from(literal), false)!);
  let passes = 0;
  const find: typeof memory.find = (...args) => {
    passes++;
    return memory.find(...args);
  };
  const filter = needleSet({ ...memory, find }, needles);
  const to = WINDOW_START + memory.bytes.write(`qKjQ${"-".repeat(1000)}`, WINDOW_START);
  for (let text = 0; text < 2000; text++) {
    filter.begin(to);
    expect(filter.next(WINDOW_START)).toBe(-1);
  }
  expect(passes).toBe(0);
});
