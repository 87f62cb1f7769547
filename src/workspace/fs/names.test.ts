import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import { decodeName, hasHalfCharacter, osPath, respell, showName, unshowName } from "./names.ts";

/** Bytes of a file's name: mostly odd ones, backslashes and what makes `\x` sequences. */
const nameBytes = fc
  .array(
    fc.oneof(
      fc.integer({ min: 1, max: 255 }).map((byte) => Buffer.from([byte === 0x2f ? 0x30 : byte])),
      fc.constantFrom("\\", "x", "\\xff", "\\x5c", "é", "😀", "\uFFFD").map((text) => Buffer.from(text)),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((pieces) => Buffer.concat(pieces));

const oddBytes = nameBytes.filter((bytes) => !bytes.equals(Buffer.from(bytes.toString())));

describe("a name", () => {
  test("goes to a string and back to the same bytes", () => {
    assertProperty(
      fc.property(nameBytes, (bytes) => {
        expect(Buffer.from(osPath(decodeName(bytes)) as string)).toEqual(bytes);
      }),
    );
  });

  test("has one spelling", () => {
    assertProperty(
      fc.property(nameBytes, (bytes) => {
        const byteByByte = Array.from(bytes, (byte) =>
          String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte),
        ).join("");
        expect(respell(byteByByte)).toBe(decodeName(bytes));
        expect(hasHalfCharacter(decodeName(bytes))).toBe(false);
      }),
    );
  });

  test("with odd bytes is shown as well-formed text and found again by it", () => {
    assertProperty(
      fc.property(oddBytes, (bytes) => {
        const shown = showName(decodeName(bytes));
        expect(Buffer.from(shown).toString()).toBe(shown);
        expect(unshowName(shown)).toBe(decodeName(bytes));
      }),
    );
  });

  test("without odd bytes is shown as it is", () => {
    assertProperty(fc.property(fc.string({ unit: "binary" }), (name) => showName(name) === name));
  });
});

test.each([
  ["plain", "plain"],
  ["a\uDCFFb", "a\\xffb"],
  ["\\\uDC80", "\\x5c\\x80"],
  ["a\\b/c\uDCC3", "a\\b/c\\xc3"],
  ["😀\uDC80", "😀\\x80"],
])("%j is shown as %j", (name, shown) => expect(showName(name)).toBe(shown));

test.each([
  ["nothing", "plain"],
  ["a literal backslash", "a\\b"],
  ["bytes that are UTF-8", "\\xc3\\xa9"],
  ["capital digits, which are never shown", "\\xFF"],
  ["an escaped backslash without an odd byte", "\\x5c"],
])("%s is not taken for a shown odd name", (_, shown) => expect(unshowName(shown)).toBeNull());

test.each([
  ["\uD800", true],
  ["a\uDC7F", true],
  ["\uDD00", true],
  ["\uDC80\uDCFF", false],
  ["😀é", false],
])("%j has half a character that stands for no byte: %s", (name, expected) => {
  expect(hasHalfCharacter(name)).toBe(expected);
});
