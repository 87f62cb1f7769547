import { expect, test } from "vitest";
import { createCaseVariants } from "./case-variants.ts";

test("every character has the variants that V8 finds", () => {
  const cased = /\p{Changes_When_Casemapped}/u;
  const chars = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter((char) =>
    cased.test(char),
  );
  const all = chars.join("");
  const addVariants = createCaseVariants();
  const wrong = chars.filter((char) => {
    const point = char.charCodeAt(0);
    const found = addVariants([[point, point]]).flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, offset) => String.fromCharCode(first + offset)),
    );
    return found.join("") !== all.match(new RegExp(char, "gi"))?.join("");
  });
  expect(chars.length).toBeGreaterThan(2000);
  expect(wrong).toEqual([]);
});
