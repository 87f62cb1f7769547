import { expect, onTestFinished, test, vi } from "vitest";
import { LIMITS } from "../../../core/limits.ts";
import { createGuestPool } from "./guest-pool.ts";
import type { GuestProcess } from "./guest-process.ts";

interface TestGuest extends GuestProcess {
  readonly number: number;
  isUsable: boolean;
}

function makePool(size: number) {
  const ended: number[] = [];
  let started = 0;
  const start = (): TestGuest => {
    const number = ++started;
    return {
      number,
      isUsable: true,
      hasStarted: true,
      run: async () => {
        throw new Error("not used");
      },
      keepAlive() {},
      kill: async () => void ended.push(number),
    };
  };
  const pool = createGuestPool({ size, start });
  const signal = () => new AbortController().signal;
  return { pool, ended, take: async (tool: string) => (await pool.take(tool, signal())) as TestGuest };
}

test("a process is used again by the same tool, and by no other", async () => {
  const { pool, take } = makePool(2);
  const first = await take("a");
  pool.give(first);
  expect((await take("b")).number).toBe(2);
  expect(await take("a")).toBe(first);
  await pool.close();
});

test("with all places taken, the process that is unused for longest is ended for another tool", async () => {
  const { pool, ended, take } = makePool(2);
  const [a, b] = [await take("a"), await take("b")];
  pool.give(a);
  pool.give(b);
  expect((await take("c")).number).toBe(3);
  expect(ended).toEqual([1]);
  expect(await take("b")).toBe(b);
  await pool.close();
  expect(ended.sort()).toEqual([1, 2, 3]);
});

test("a process that ended while it was unused is not given out", async () => {
  const { pool, take } = makePool(1);
  const first = await take("a");
  pool.give(first);
  first.isUsable = false;
  expect((await take("a")).number).toBe(2);
  await pool.close();
});

test("a process that is unused for long enough is ended, and no other", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { pool, ended, take } = makePool(3);
  const [idle, again, busy] = [await take("a"), await take("b"), await take("c")];
  pool.give(idle);
  pool.give(again);
  vi.advanceTimersByTime(LIMITS.guestIdleMs - 1);
  expect(await take("b")).toBe(again);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual([1]);
  pool.give(again);
  vi.advanceTimersByTime(LIMITS.guestIdleMs - 1);
  expect(ended).toEqual([1]);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual([1, 2]);
  expect((await take("a")).number).toBe(4);
  pool.give(busy);
  await pool.close();
  expect([vi.getTimerCount(), ended.sort()]).toEqual([0, [1, 2, 3, 4]]);
});

test("a place goes to one who waits for the same tool, but nobody is passed over without end", async () => {
  const { pool, take } = makePool(1);
  const order: string[] = [];
  const first = await take("a");
  const others = ["b", ...Array(30).fill("a")].map(async (tool: string) => {
    const guest = await take(tool);
    order.push(tool);
    pool.give(guest);
  });
  pool.give(first);
  await Promise.all(others);
  expect(order).toEqual([...Array(16).fill("a"), "b", ...Array(14).fill("a")]);
  await pool.close();
});

test("those who wait get places in their order, and one who leaves takes none", async () => {
  const { pool, take } = makePool(1);
  const first = await take("a");
  const leaving = new AbortController();
  const left = pool.take("a", leaving.signal);
  const order: string[] = [];
  const [second, third] = ["second", "third"].map((name) =>
    take("a").then((guest) => {
      order.push(name);
      return guest;
    }),
  );
  leaving.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  pool.give(first);
  pool.give(await second!);
  await third;
  expect(order).toEqual(["second", "third"]);
  await pool.close();
});
