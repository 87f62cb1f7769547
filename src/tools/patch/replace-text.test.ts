import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import { HotcellError } from "../../core/errors.ts";
import { findAll } from "./find-all.ts";
import { replaceText } from "./replace-text.ts";

const chars = fc.string({ unit: fc.constantFrom("a", "b", "\n", " ", "😀") });

describe("replacing a text", () => {
  test("changes only the one place where it stands", () => {
    assertProperty(
      fc.property(chars, chars, fc.string(), (before, after, newText) => {
        expect(replaceText(`${before}[old]${after}`, "[old]", newText)).toBe(before + newText + after);
      }),
    );
  });

  test.each(["$&", "$1", "$$", "$`", "$'", "$<name>", "\\1"])("takes %s as it is", (newText) => {
    expect(replaceText("a\nb\nc", "b", newText)).toBe(`a\n${newText}\nc`);
  });

  test.each<[what: string, text: string, oldText: string, reason: string, details: object]>([
    [
      "is not there",
      "a\nb\n",
      "c",
      "the file does not have the old text. Read the file again and copy the old text exactly",
      {},
    ],
    [
      "is white space that is not there",
      "a",
      " ",
      "the file does not have the old text. Read the file again and copy the old text exactly",
      {},
    ],
    [
      "occurs twice",
      "a\nb\na\n",
      "a",
      "the file has the old text 2 times, at lines 1, 3. Give more context, so that the text occurs once",
      { count: 2, lines: [1, 3] },
    ],
    [
      "is there often",
      "a\n".repeat(7),
      "a",
      "the file has the old text 7 times, at lines 1, 2, 3, 4, 5 and later. Give more context, so that the text occurs once",
      { count: 7, lines: [1, 2, 3, 4, 5] },
    ],
    [
      "overlaps itself",
      "aaa",
      "aa",
      "the file has the old text 2 times, at lines 1, 1. Give more context, so that the text occurs once",
      { count: 2, lines: [1, 1] },
    ],
  ])("that %s is refused", (_, text, oldText, reason, details) => {
    expect(() => replaceText(text, oldText, "x")).toThrow(
      new HotcellError(
        "PATCH_FAILED",
        `Could not replace the text: ${reason}.`,
        details as Record<string, unknown>,
      ),
    );
  });

  test.each<[what: string, text: string, oldText: string, where: string]>([
    [
      "the indentation of a later line",
      "0\nif (a) {\n    b();\n}\n",
      "if (a) {\n  b();\n}",
      "white space at line 3",
    ],
    ["the indentation of the first line", "0\n    a();\n", "  \ta();\n", "white space at line 2"],
    ["blanks within a line", "a  =  b\n", "a = b", "white space at line 1"],
    ["a tab for blanks", "\n\n\ta\tb\n", "a b", "white space at line 3"],
    ["a last newline that the file lacks", "a\nb", "b\n", "white space at line 2"],
    ["line endings of the file", "a\r\nb\r\nc\r\n", "b\nc\n", "the line ending at line 2"],
    ["line endings of the old text", "a\nb\nc\n", "b\r\nc\r\n", "the line ending at line 2"],
  ])("that differs in %s is refused, and the refusal says where", (_, text, oldText, where) => {
    const next = "Read the file again and copy the old text exactly.";
    const message = `Could not replace the text: the file differs from the old text in ${where}. ${next}`;
    expect(() => replaceText(text, oldText, "x")).toThrow(
      new HotcellError("PATCH_FAILED", message, { line: Number(/\d+$/.exec(where)![0]) }),
    );
  });

  test("that is empty is refused", () => {
    expect(() => replaceText("a", "", "x")).toThrow(
      new HotcellError(
        "INVALID_ARGUMENTS",
        "Could not replace the text: the old text is empty. Give the text to replace.",
      ),
    );
  });

  // With indexOf this takes minutes.
  test("takes no longer for a text that is like itself everywhere", () => {
    const run = "a".repeat(500_000);
    expect(() => replaceText(run + run, `${run}b${run}`, "x")).toThrow("the file does not have the old text");
    expect(() => replaceText(run + run, run, "x")).toThrow("the file has the old text 500001 times");
  });
});

test("all places are found, also those that overlap", () => {
  assertProperty(
    fc.property(chars, chars, (text, wanted) => {
      fc.pre(wanted !== "");
      const places = Array.from({ length: text.length }, (_, at) => at).filter((at) =>
        text.startsWith(wanted, at),
      );
      expect([...findAll(text, wanted)]).toEqual(places);
    }),
    { numRuns: 1000 },
  );
});
