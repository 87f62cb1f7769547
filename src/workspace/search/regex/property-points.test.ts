import { expect, test } from "vitest";
import { createPropertyPoints } from "./property-points.ts";

const pointsOf = createPropertyPoints((points) => points);

test.each([
  "\\p{L}",
  "\\P{Lu}",
  "\\p{Script=Han}",
  "\\p{Emoji}",
  "\\p{ASCII}",
  "\\p{Any}",
  "\\P{Any}",
  "\\p{Co}",
])("the characters of %s are those that V8 finds", (property) => {
  const points = pointsOf(property);
  const expected: number[] = [];
  const found: number[] = [];
  const asked = new RegExp(property, "u");
  for (let point = 0, range = 0; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point < 0xe000) continue;
    while (range < points.length && points[range]![1] < point) range++;
    if (range < points.length && points[range]![0] <= point) found.push(point);
    if (asked.test(String.fromCodePoint(point))) expected.push(point);
  }
  expect(found).toEqual(expected);
});
