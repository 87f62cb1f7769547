import { expect, test } from "vitest";
import type { Part, WorkerReport } from "./messages.ts";
import { packRuns } from "./packed-walk.ts";
import { createScheduler } from "./schedule.ts";

const names = ["good", "bad", "good"];
const ask = {
  ...({ kind: "ask", search: 1, unreadable: 0, entered: "", stamps: [] } as const),
  ...packRuns([{ dir: 7, path: "d", names }]),
};
const judgeIn = (directory: string) => (name: string) => directory === "d" && name === "good";

function deal() {
  const told: [Part, WorkerReport["kind"], number | null][] = [];
  const scheduler = createScheduler((part, message) => {
    told.push([part, message.kind, "number" in message ? message.number : null]);
    if (message.kind === "scan" || message.kind === "help") expect(message.refused).toEqual([1]);
  });
  return { scheduler, told, taken: () => told.splice(0) };
}

test("chunks go to both in turn, four for each at a time", () => {
  const { scheduler, taken } = deal();
  scheduler.join(0, "/proc/1/fd");
  scheduler.join(1, "/proc/2/fd");
  for (let chunk = 0; chunk < 10; chunk++) scheduler.add(ask, judgeIn);
  expect(taken()).toEqual(
    [0, 2, 4, 6].flatMap((first) => [
      [0, "scan", first],
      [1, "help", first + 1],
      [0, "given", first + 1],
    ]),
  );
  scheduler.end(1, 1);
  expect(taken()).toEqual([
    [0, "helped", 1],
    [1, "help", 8],
    [0, "given", 8],
  ]);
  scheduler.end(0, 0);
  expect(taken()).toEqual([[0, "scan", 9]]);
});

test("who comes late is given what is left", () => {
  const { scheduler, taken } = deal();
  scheduler.join(0, "/proc/1/fd");
  for (let chunk = 0; chunk < 5; chunk++) scheduler.add(ask, judgeIn);
  expect(taken()).toEqual([0, 1, 2, 3].map((chunk) => [0, "scan", chunk]));
  scheduler.join(1, "/proc/2/fd");
  expect(taken()).toEqual([
    [1, "help", 4],
    [0, "given", 4],
  ]);
});

test("a check that fails leaves the chunk to be dealt otherwise", () => {
  const { scheduler, told } = deal();
  scheduler.join(0, "/proc/1/fd");
  const failing = () => {
    throw new RangeError("broken");
  };
  expect(() => scheduler.add(ask, failing)).toThrow(RangeError);
  scheduler.add(ask, judgeIn);
  expect(told).toEqual([[0, "scan", 0]]);
});

test("when the walking one is gone nobody is given anything more", () => {
  const { scheduler, taken } = deal();
  scheduler.join(0, "/proc/1/fd");
  scheduler.join(1, "/proc/2/fd");
  for (let chunk = 0; chunk < 10; chunk++) scheduler.add(ask, judgeIn);
  taken();
  scheduler.close();
  expect(scheduler.isHelpOver()).toBe(false);
  for (const chunk of [1, 3, 5, 7]) scheduler.end(1, chunk);
  expect(taken().filter(([, kind]) => kind !== "helped")).toEqual([]);
  expect(scheduler.isHelpOver()).toBe(true);
});
