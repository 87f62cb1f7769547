import fc from "fast-check";
import { expect, test } from "vitest";
import { assertProperty } from "../../test/kit/assert-property.ts";
import { readCorpus } from "../../test/kit/worlds/path-fixture.ts";
import { inertJson } from "./inert-json.ts";

interface Row {
  readonly id: string;
  readonly cat: string;
  readonly input: string;
  readonly reason: string;
}

const rows = readCorpus<Row>("output").filter(({ cat }) => cat === "terminal");

test.each(rows)("$id $reason keeps its bytes and is inert on a terminal", ({ input }) => {
  const text = inertJson({ content: input });
  expect(JSON.parse(text)).toEqual({ content: input });
  expect(text).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
});

test.each([
  ["a variation selector", "\ufe00", "\\ufe00"],
  ["a grapheme joiner", "\u034f", "\\u034f"],
  ["a Hangul filler", "\u3164", "\\u3164"],
  ["a Khmer vowel without a glyph", "\u17b4", "\\u17b4"],
  ["a selector beyond 16 bits", "\u{e0100}", "\\udb40\\udd00"],
])("%s is shown as its escape", (_, char, escaped) => {
  expect(inertJson(`in${char}dex.ts`)).toBe(`"in${escaped}dex.ts"`);
});

test("indented text has newlines of its own and none of the value's", () => {
  expect(inertJson({ a: "x\ny" }, 2)).toBe('{\n  "a": "x\\ny"\n}');
});

test("any text comes back the same, and nothing in it reaches the terminal", () => {
  assertProperty(
    fc.property(fc.string({ unit: "binary" }), (input) => {
      const text = inertJson(input);
      expect(JSON.parse(text)).toBe(input);
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    }),
  );
});
