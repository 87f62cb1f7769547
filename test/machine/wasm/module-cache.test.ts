// hotcell and its guest process each know which modules the process keeps, without telling one another.
import { expect, test } from "vitest";
import { LIMITS } from "../../../src/core/limits.ts";
import { openTestGuests } from "../../kit/worlds/test-guests.ts";
import { command } from "../../kit/worlds/wasm-tool-folder.ts";

test("one process runs more modules than it keeps, in any order, and always the one that is meant", async () => {
  const guests = openTestGuests();
  const count = LIMITS.guestModules + 1;
  const programs = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      guests.program(command(`(call $exit (i32.const ${n}))`), `module ${n}`),
    ),
  );
  const numbers = [...programs.keys()];
  // The first is used again before the last comes, so that the second makes room for it.
  const order = [...numbers.slice(0, -1), 0, count - 1, 0, 1, ...numbers.toReversed(), ...numbers];
  const ended: number[] = [];
  for (const n of order) ended.push((await guests.run({ program: programs[n]! })).exitCode);
  expect(ended).toEqual(order);
});
