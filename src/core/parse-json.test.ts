import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../test/kit/assert-property.ts";
import { HotcellError } from "./errors.ts";
import type { Json } from "./json.ts";
import { LIMITS } from "./limits.ts";
import { parseJson } from "./parse-json.ts";

function refusal(text: string, limits?: { maxBytes: number; maxDepth: number }): string {
  try {
    parseJson(text, limits);
  } catch (error) {
    if (error instanceof HotcellError && error.code === "INVALID_ARGUMENTS") return error.message;
    throw error;
  }
  throw new Error("was accepted");
}

test.each([
  '{"a":[1,2.5,-3e2,"x\\n",true,false,null]}',
  ' \t\r\n{ "a" : { "a" : { "a" : [ ] } } } ',
  '[{"a":1},{"a":1}]',
  '{"a":"\\"a\\":","b":"\\\\"}',
  '{"constructor":1,"prototype":{"x":1},"toString":null}',
  '{"constructor":[{"prototype":1}]}',
  '{"x":"__proto__","__proto":1}',
  '"\\ud800"',
  "1.7976931348623157e308",
  `"${"é".repeat(100)}"`,
])("reads what JSON.parse reads: %s", (text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text));
});

describe("P5.5 malformed text is refused, with the place and the reason", () => {
  test.each([
    ['{"a":1,"a":2}', 'the key "a" comes twice, again at line 1, column 8. Send each key once.'],
    [
      '{"command":1,\n "\\u0063ommand":2}',
      'the key "command" comes twice, again at line 2, column 2. Send each key once.',
    ],
    ['[{"b":{"a":1 , "a" :2}}]', 'the key "a" comes twice, again at line 1, column 16. Send each key once.'],
    ['{"__proto__":1}', 'the key "__proto__" at line 1, column 2 is not allowed. Leave it out.'],
    ['{"\\u005f_proto__":1}', 'the key "__proto__" at line 1, column 2 is not allowed. Leave it out.'],
    [
      '{"constructor":{"a":1,"prototype":2}}',
      'the key "prototype" at line 1, column 23 is not allowed. Leave it out.',
    ],
    ["[1,-1e999]", 'the number "-1e999" at line 1, column 4 is too large.'],
    ['{"a":1,}', "Expected double-quoted property name at line 1, column 8."],
    ['{"a":1}\0', "Unexpected non-whitespace character after JSON at line 1, column 8."],
    ["", "Unexpected end of JSON input."],
    ["\u001b[2J", "Unexpected token '\\u{1b}', \"\\u{1b}[2J\" is not valid JSON."],
  ])("%j", (text, reason) => {
    expect(refusal(text)).toBe(`Could not read the JSON: ${reason}`);
  });
});

describe("limits", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

  test("nesting is allowed to the limit and no further", () => {
    expect(parseJson(nested(LIMITS.maxCallDepth))).toEqual(JSON.parse(nested(LIMITS.maxCallDepth)));
    expect(refusal(nested(LIMITS.maxCallDepth + 1))).toContain(
      "it nests deeper than 64 levels at line 1, column 65",
    );
  });

  test.each([nested(100_000), '{"a":'.repeat(100_000), "[".repeat(5_000_000)])(
    "100,000 levels are refused without overflowing the stack",
    (text) => {
      expect(refusal(text)).toContain("it nests deeper than 64 levels");
    },
  );

  test("size is counted in bytes, not in characters", () => {
    expect(parseJson('"éé"', { maxBytes: 6, maxDepth: 1 })).toBe("éé");
    expect(refusal('"ééé"', { maxBytes: 7, maxDepth: 1 })).toBe(
      "Could not read the JSON: it is larger than 7 bytes. Send less.",
    );
  });

  test("a small text with very many entries is refused", () => {
    expect(parseJson(`[${"1,".repeat(99_998)}1]`)).toHaveLength(99_999);
    expect(refusal(`[${"1,".repeat(100_000)}1]`)).toBe(
      "Could not read the JSON: it has more than 100000 entries.",
    );
  });

  test("strings full of quotes and backslashes take linear time", () => {
    const text = JSON.stringify({ content: '\\"'.repeat(2_000_000), more: "\\".repeat(1_000_000) });
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });
});

describe("against JSON.parse", () => {
  const key = fc.constantFrom(
    "a",
    "b",
    "\\u0061",
    "__proto__",
    "constructor",
    "prototype",
    "\\ud800",
    "x\\\\",
  );
  const space = fc.constantFrom("", "", " ", "\n\t");
  const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom("1", "-0.5e3", "1e999", "true", "null", '"a\\":\\\\"', '""', "[]", "{}"),
      fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
      fc.array(fc.tuple(space, key, space, tie("value")), { maxLength: 3 }).map((members) => {
        return `{${members.map(([a, name, b, inner]) => `${a}"${name}"${b}:${b}${inner}${a}`).join(",")}}`;
      }),
    ),
  }));
  const brokenText = fc
    .tuple(jsonText, fc.nat(), fc.constantFrom('"', "\\", ",", "}", "]", ":", "1", "\0", "x"))
    .map(
      ([text, at, char]) =>
        text.slice(0, at % (text.length + 1)) + char + text.slice((at % (text.length + 1)) + 1),
    );

  test("accepts exactly what JSON.parse accepts, minus what is refused by name", () => {
    const texts = fc.oneof(jsonText, brokenText, fc.json(), fc.string());
    assertProperty(
      fc.property(texts, (text) => {
        const expected = parsedByEngine(text);
        if (expected === undefined || isRefusedClass(text, expected))
          expect(() => parseJson(text)).toThrow(HotcellError);
        else expect(parseJson(text)).toEqual(expected);
      }),
      { numRuns: 3000 },
    );
  });
});

function parsedByEngine(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Another way to find duplicates than the scanner's: in valid JSON each key has one colon outside of strings.
function isRefusedClass(text: string, value: Json): boolean {
  const colons = text.replace(/"(?:[^"\\]|\\.)*"/g, "").split(":").length - 1;
  return colons !== countKeys(value) || isHostile(value);
}

function countKeys(value: Json): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value).reduce((sum: number, item) => sum + countKeys(item), 0);
  return inner + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

function isHostile(value: Json): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value !== "object" || value === null) return false;
  const made = Object.getOwnPropertyDescriptor(value, "constructor")?.value;
  const reaches = typeof made === "object" && made !== null && Object.hasOwn(made, "prototype");
  return Object.hasOwn(value, "__proto__") || reaches || Object.values(value).some(isHostile);
}
