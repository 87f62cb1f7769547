import { expect, test } from "vitest";
import { alternateWork } from "./alternate-work.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("items are worked on in their order, each in a turn of its own", async () => {
  const done: number[] = [];
  const turns = alternateWork((item: number) => done.push(item));
  for (const item of [1, 2, 3]) turns.add(item);
  expect(done).toEqual([]);
  await turn();
  expect(done).toEqual([1]);
  await turn();
  turns.add(4);
  await turn();
  await turn();
  expect(done).toEqual([1, 2, 3, 4]);
});

test("all that is left can be worked on at once, and then not once more", async () => {
  const done: number[] = [];
  const turns = alternateWork((item: number) => done.push(item));
  for (const item of [1, 2, 3]) turns.add(item);
  turns.finish();
  expect(done).toEqual([1, 2, 3]);
  await turn();
  turns.add(4);
  await turn();
  expect(done).toEqual([1, 2, 3, 4]);
});

test("what is left can be forgotten", async () => {
  const done: number[] = [];
  const turns = alternateWork((item: number) => done.push(item));
  for (const item of [1, 2]) turns.add(item);
  turns.clear();
  await turn();
  expect(done).toEqual([]);
});
