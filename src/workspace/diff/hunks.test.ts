import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import { texts } from "../../../test/kit/models/arbitrary-trees.ts";
import { HotcellError } from "../../core/errors.ts";
import { applyHunks, hunksOf } from "./hunks.ts";

const numbers = (count: number): string[] => Array.from({ length: count }, (_, line) => `${line + 1}\n`);
const without = (text: readonly string[], ...lines: number[]): string =>
  text.filter((_, index) => !lines.includes(index + 1)).join("");

describe("hunks", () => {
  test.each<[what: string, before: string, after: string, hunks: [header: string, ...lines: string[]][]]>([
    [
      "a change with its context",
      numbers(9).join(""),
      without(numbers(9), 5),
      [["@@ -2,7 +2,6 @@", " 2", " 3", " 4", "-5", " 6", " 7", " 8"]],
    ],
    ["a new file", "", "a\nb\n", [["@@ -0,0 +1,2 @@", "+a", "+b"]]],
    ["a file that is empty now", "a\n", "", [["@@ -1 +0,0 @@", "-a"]]],
    [
      "a newline that is missing now",
      "a\n",
      "a",
      [["@@ -1 +1 @@", "-a", "+a", "\\ No newline at end of file"]],
    ],
    [
      "a newline that was missing",
      "a\nb",
      "a\nb\n",
      [["@@ -1,2 +1,2 @@", " a", "-b", "\\ No newline at end of file", "+b"]],
    ],
    [
      "a newline that is missing still",
      "a\nb",
      "c\nb",
      [["@@ -1,2 +1,2 @@", "-a", "+c", " b", "\\ No newline at end of file"]],
    ],
    ["other line ends", "a\r\n", "a\n", [["@@ -1 +1 @@", "-a\r", "+a"]]],
    ["nothing", "a\n", "a\n", []],
  ])("of %s", (_, before, after, expected) => {
    expect(hunksOf("x", before, after).map(({ header, lines }) => [header, ...lines])).toEqual(expected);
  });

  test("are apart when seven lines stayed between changes, and one when it was six", () => {
    const text = numbers(30);
    expect(hunksOf("x", text.join(""), without(text, 10, 18)).length).toBe(2);
    expect(hunksOf("x", text.join(""), without(text, 10, 17)).length).toBe(1);
  });

  test("keep their ids when another hunk or nothing around them changes, and get others with path or lines", () => {
    const text = numbers(40);
    const ids = (path: string, ...removed: number[]) =>
      hunksOf(path, text.join(""), without(text, ...removed)).map(({ id }) => id);
    const [first, second] = ids("x", 5, 30);
    expect(first).toMatch(/^[0-9a-f]{40}$/);
    expect(ids("x", 30)).toEqual([second]);
    expect(ids("x", 5)).toEqual([first]);
    expect(ids("y", 5)).not.toEqual([first]);
    expect(ids("x", 6)).not.toEqual([first]);
    expect(hunksOf("x", `0\n${text.join("")}`, `0\n${without(text, 30)}`).map(({ id }) => id)).toEqual([
      second,
    ]);
  });

  test("that are the same have ids of their own", () => {
    const block = "a\n".repeat(5);
    const hunks = hunksOf("x", `${block}old\n${block}old\n${block}`, `${block}new\n${block}new\n${block}`);
    const apart = hunksOf(
      "x",
      `${block}old\n${block}${block}old\n${block}`,
      `${block}new\n${block}${block}new\n${block}`,
    );
    expect(hunks.length).toBe(1);
    expect(apart.length).toBe(2);
    expect(apart[0]!.lines).toEqual(apart[1]!.lines);
    expect(apart[0]!.id).not.toBe(apart[1]!.id);
  });
});

describe("applying", () => {
  test("all hunks gives the new text, and none the old one", () => {
    assertProperty(
      fc.property(texts, texts, (before, after) => {
        const hunks = hunksOf("x", before, after);
        expect(applyHunks(before, hunks)).toBe(after);
        expect(applyHunks(before, hunks.toReversed())).toBe(after);
        expect(applyHunks(before, [])).toBe(before);
      }),
      { numRuns: 1000 },
    );
  });

  test("some hunks gives the text that the others lead from to the new one", () => {
    const text = numbers(60);
    const after = without(text, 3, 20, 40, 57);
    const hunks = hunksOf("x", text.join(""), after);
    expect(hunks.length).toBe(4);
    expect(applyHunks(text.join(""), [hunks[1]!])).toBe(without(text, 20));
    expect(applyHunks(text.join(""), [hunks[3]!, hunks[0]!])).toBe(without(text, 3, 57));
  });

  test.each<[what: string, text: string]>([
    ["another line in the context", "1\n2\nthree\n4\n5\n6\n7\n8\n9\n"],
    ["the removed line gone already", "1\n2\n3\n4\n6\n7\n8\n9\n"],
    ["too few lines", "1\n"],
    ["no newline at the end", "1\n2\n3\n4\n5\n6\n7\n8"],
  ])("to a text with %s is refused", (_, text) => {
    const [hunk] = hunksOf("x", numbers(9).join(""), without(numbers(9), 5));
    const message = `Could not apply the hunk ${hunk!.id} (@@ -2,7 +2,6 @@): the file is another version. Take the diff again.`;
    expect(() => applyHunks(text, [hunk!])).toThrow(
      new HotcellError("PRECONDITION_FAILED", message, { hunk: hunk!.id }),
    );
  });

  test("a hunk twice is refused", () => {
    const [hunk] = hunksOf("x", numbers(9).join(""), without(numbers(9), 5));
    expect(() => applyHunks(numbers(9).join(""), [hunk!, hunk!])).toThrow("Could not apply the hunk");
  });
});
