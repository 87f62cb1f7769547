import { expect, test } from "vitest";
import { callMany, expectNothingLeft } from "../kit/machine-and-soak/wasm-load.ts";
import { raceCheckThenOpen, raceGuest } from "../kit/machine-and-soak/wasm-race.ts";

test("wasm-074 10,000 calls of wasm tools, 50 at a time, leave nothing behind", async () => {
  const left = await callMany(10_000, 50);
  console.log(JSON.stringify(left));
  expectNothingLeft(left);
});

test.each(["host", "overlay", "clone"] as const)(
  "P6.2 in mode %s, 20,000 rounds of a guest whose directory is swapped for a link never lead outside",
  (mode) => raceGuest(20_000, mode),
);

test("control: in 20,000 rounds, whoever checks a path and then opens it reads outside", async () => {
  const escapes = await raceCheckThenOpen(20_000);
  console.log(JSON.stringify({ escapes }));
  expect(escapes).toBeGreaterThan(0);
});
