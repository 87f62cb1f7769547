import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../test/kit/assert-property.ts";
import { readJson } from "./read-json.ts";

describe("JSON that a person wrote", () => {
  test("is read as JSON.parse reads it", () => {
    assertProperty(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(0, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readJson(text, "c").value).toEqual(JSON.parse(text));
      }),
    );
  });

  test("is refused where JSON.parse refuses it", () => {
    const pieces = fc.constantFrom(
      ..."{}[],:\"'\\ \n\t01-+.eE",
      '"a"',
      '"b":',
      "true",
      "null",
      "nul",
      "\\u00",
      "\u2028",
    );
    assertProperty(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const text = parts.join("");
        expect(succeeds(() => readJson(text, "c"))).toBe(succeeds(() => JSON.parse(text)));
      }),
      { numRuns: 2000 },
    );
  });

  test("knows the line of every value", () => {
    const json = readJson('{\n "a": [\n  1,\r\n\n  {"b":\n   "x"}],\n "c": null }', "c");
    const lines = [[], ["a"], ["a", 0], ["a", 1], ["a", 1, "b"], ["c"], ["d"]].map(json.lineOf);
    expect(lines).toEqual([1, 2, 3, 5, 6, 7, 1]);
  });

  test("keeps a key that is the name of something inherited as a key", () => {
    const { value } = readJson('{"__proto__": {"trust": "autonomous"}, "constructor": 1}', "c");
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("may hold one very long text", () => {
    const long = "x".repeat(1024 * 1024);
    expect(readJson(JSON.stringify(long), "c").value).toBe(long);
  });

  test.each([
    ["", "line 1, column 1 has nothing more where a value should be"],
    ['{\n  "a": 1,\n}', 'line 3, column 1 has "}" where a key in quotes should be'],
    ['{"a": 1 "b": 2}', 'line 1, column 9 has "\\"b\\": 2}" where "," or "}" should be'],
    ['{"a" 1}', 'line 1, column 6 has "1}" where ":" should be'],
    ["{\n // no\n}", 'line 2, column 2 has "// no" where a key in quotes should be'],
    ["[1,\n2", 'line 2, column 2 has nothing more where "," or "]" should be'],
    ['["a\nb"]', 'line 1, column 2 has "\\"a" where text without line ends, ended by a quote should be'],
    ["{'a': 1}", `line 1, column 2 has "'a': 1}" where a key in quotes should be`],
    ["[01]", 'line 1, column 3 has "1]" where "," or "]" should be'],
    ["[undefined]", 'line 1, column 2 has "undefined]" where a value should be'],
    ["{} x", 'line 1, column 4 has "x" where the end of the file should be'],
    ['{"a": 1,\n"a": 2}', 'line 2, column 4 has the key "a" a second time'],
    ["[".repeat(100_000), "line 1, column 34 nests deeper than 32 levels"],
  ])("that is wrong is refused with line and column: %.20j", (text, problem) => {
    expect(() => readJson(text, "c.json")).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: `Could not read "c.json": ${problem}.` }),
    );
  });
});

function succeeds(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}
