import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { assertProperty, repeatably } from "../kit/assert-property.ts";

afterEach(() => vi.unstubAllEnvs());

/** The values that a property gets. */
function valuesOf(): number[] {
  const values: number[] = [];
  assertProperty(
    fc.property(fc.nat(), (value) => void values.push(value)),
    { numRuns: 10 },
  );
  return values;
}

test("half of the runs are the same each time, and a seed repeats the others", () => {
  const [first, second] = [valuesOf(), valuesOf()];
  expect(second.slice(0, 5)).toEqual(first.slice(0, 5));
  vi.stubEnv("HOTCELL_TEST_SEED", "7");
  const [third, fourth] = [valuesOf(), valuesOf()];
  expect([third, third.slice(0, 5)]).toEqual([fourth, first.slice(0, 5)]);
});

test("a failure says how to repeat it", async () => {
  vi.stubEnv("HOTCELL_TEST_SEED", "7");
  let runs = 0;
  const property = fc.asyncProperty(fc.nat(), async () => ++runs <= 5);
  await expect(assertProperty(property, { numRuns: 10 })).rejects.toThrow(
    /\nRepeat with: HOTCELL_TEST_SEED=7 npx vitest run \S+assert-property\.test\.ts -t "a failure says how to repeat it"$/,
  );
});

test("a failure of a check by a seed says how to repeat it, with a name that is a regular expression (seed 7)", async () => {
  const check = () => expect(1).toBe(2);
  await expect(repeatably(7, check)).rejects.toThrow(
    /^expected 1 to be 2 [\s\S]*\nRepeat with: HOTCELL_TEST_SEED=7 npx vitest run \S+assert-property\.test\.ts -t "[^"]* expression \.seed 7\."$/,
  );
  await repeatably(7, () => {});
});
