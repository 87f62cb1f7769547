import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import { texts } from "../../../test/kit/models/arbitrary-trees.ts";
import { threeWayMerge } from "./hunks.ts";

const CONFLICT = { conflict: true };

describe("a three-way merge", () => {
  test.each<[what: string, base: string, ours: string, theirs: string, text: string | null]>([
    ["edits of different lines", "1\n2\n3\n", "one\n2\n3\n", "1\n2\nthree\n", "one\n2\nthree\n"],
    ["an insertion and a removal", "1\n2\n3\n4\n", "1\nnew\n2\n3\n4\n", "1\n2\n3\n", "1\nnew\n2\n3\n"],
    [
      "the same edit on both sides",
      "1\n2\n3\n4\n5\n",
      "1\nx\n3\n4\n5\n",
      "1\nx\n3\n4\ny\n",
      "1\nx\n3\n4\ny\n",
    ],
    ["a last newline that one side took", "1\n2\n3", "one\n2\n3", "1\n2\n3\n", "one\n2\n3\n"],
    ["different edits of one line", "1\n2\n3\n", "1\na\n3\n", "1\nb\n3\n", null],
    ["edits of neighbouring lines", "1\n2\n3\n", "one\n2\n3\n", "1\ntwo\n3\n", null],
    ["different insertions in one place", "1\n2\n", "1\na\n2\n", "1\nb\n2\n", null],
    ["an edit of what the other side removed", "1\n2\n3\n", "1\n3\n", "1\ntwo\n3\n", null],
    ["two new texts", "", "a\n", "b\n", null],
    ["binary contents", "1\n2\n3\n\0", "one\n2\n3\n\0", "1\n2\nthree\n\0", null],
  ])("of %s", (_, base, ours, theirs, text) => {
    const expected = text === null ? CONFLICT : { text };
    expect(threeWayMerge(base, ours, theirs)).toEqual(expected);
    expect(threeWayMerge(base, theirs, ours)).toEqual(expected);
  });

  test("with one side unchanged, or both the same, equals the other side", () => {
    assertProperty(
      fc.property(texts, texts, (base, other) => {
        expect(threeWayMerge(base, base, other)).toEqual({ text: other });
        expect(threeWayMerge(base, other, base)).toEqual({ text: other });
        expect(threeWayMerge(base, other, other)).toEqual({ text: other });
      }),
    );
  });

  test("is clean for edits that are two lines apart, and has all of them", () => {
    const kinds = fc.array(fc.constantFrom("kept", "ours", "theirs", "both"), {
      minLength: 1,
      maxLength: 30,
    });
    assertProperty(
      fc.property(kinds, (fates) => {
        const version = (...edited: string[]): string =>
          fates
            .map((fate, line) => `${line}${edited.includes(fate) ? " edited" : ""}\n--- ${line}\n`)
            .join("");
        const merged = threeWayMerge(version(), version("ours", "both"), version("theirs", "both"));
        expect(merged).toEqual({ text: version("ours", "theirs", "both") });
      }),
    );
  });
});
