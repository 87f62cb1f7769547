import { expect, test } from "vitest";
import { createReadWriteLock } from "./read-write-lock.ts";

/** Work that reports its start, and ends on request. */
function makeWork(seen: string[]) {
  const ends = new Map<string, (value: string) => void>();
  const work = (name: string) => () => {
    seen.push(name);
    return new Promise<string>((resolve) => ends.set(name, resolve));
  };
  return { work, end: (name: string) => ends.get(name)!(name) };
}

/** Until everything that can go on has gone on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("readers run in parallel, and an exclusive holder waits for them and blocks them", async () => {
  const seen: string[] = [];
  const { work, end } = makeWork(seen);
  const turns = createReadWriteLock();
  const all = [turns.together(work("r1")), turns.together(work("r2")), turns.alone(work("w1"))];
  all.push(turns.together(work("r3")), turns.alone(work("w2")));
  await settle();
  expect(seen).toEqual(["r1", "r2"]);
  end("r2");
  await settle();
  expect(seen).toEqual(["r1", "r2"]);
  end("r1");
  await settle();
  expect(seen).toEqual(["r1", "r2", "w1"]);
  end("w1");
  await settle();
  expect(seen).toEqual(["r1", "r2", "w1", "r3"]);
  end("r3");
  await settle();
  end("w2");
  expect(await Promise.all(all)).toEqual(["r1", "r2", "w1", "r3", "w2"]);
});

test("what fails does not keep the next from its turn", async () => {
  const turns = createReadWriteLock();
  const failing = turns.alone(() => Promise.reject(new Error("failed")));
  const next = turns.alone(async () => "next");
  await expect(failing).rejects.toThrow("failed");
  expect(await next).toBe("next");
});
