import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import { decodeName } from "../fs/names.ts";
import { bytesOf, splitLines, textOf } from "./text.ts";

/** Bytes of which many are no UTF-8, or nearly are. */
const someBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom("é", "😀", "\uFFFD", "a\n").map((text) => Buffer.from(text)),
      fc
        .constantFrom(
          "eda080",
          "c080",
          "e08080",
          "f0808080",
          "f4908080",
          "f5808080",
          "e282",
          "f09f98",
          "efbfbd",
        )
        .map((hex) => Buffer.from(hex, "hex")),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => Buffer.concat(pieces));

describe("bytes", () => {
  test("go to text and back unchanged", () => {
    assertProperty(
      fc.property(someBytes, (bytes) => {
        expect(bytesOf(textOf(bytes))).toEqual(bytes);
      }),
      { numRuns: 2000 },
    );
  });

  test("are spelled as in names", () => {
    assertProperty(
      fc.property(someBytes, (bytes) => {
        expect(textOf(bytes)).toBe(decodeName(bytes));
      }),
      { numRuns: 2000 },
    );
  });
});

test.each<[text: string, lines: string[]]>([
  ["", []],
  ["\n", ["\n"]],
  ["a", ["a"]],
  ["a\n", ["a\n"]],
  ["a\r\n\nb", ["a\r\n", "\n", "b"]],
  ["\r\u2028\n", ["\r\u2028\n"]],
])("the lines of %j are %j", (text, lines) => expect(splitLines(text)).toEqual(lines));
