import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../test/kit/assert-property.ts";
import { canonicalJson, digest } from "./canonical-json.ts";
import type { Json, JsonObject } from "./json.ts";

// JSON text has no negative zero that everyone reads back.
const json = fc
  .jsonValue({ noUnicodeString: false, maxDepth: 4 })
  .map((value) => withoutNegativeZero(value as Json));

test.each([
  [{ b: 1, a: [true, null, "x"] }, '{"a":[true,null,"x"],"b":1}'],
  [
    { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 },
    '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
  ],
  [[1e21, 1e-7, 0.1 + 0.2, 4.5, -0], "[1e+21,1e-7,0.30000000000000004,4.5,0]"],
  ["\ud800 \u2028 \u001f", '"\\ud800 \u2028 \\u001f"'],
  [{}, "{}"],
])("RFC 8785: %j", (value, text) => {
  expect(canonicalJson(value as Json)).toBe(text);
});

test("reading the canonical text gives the value again", () => {
  assertProperty(fc.property(json, (value) => void expect(JSON.parse(canonicalJson(value))).toEqual(value)));
});

test("the order of keys makes no difference, at any depth", () => {
  assertProperty(
    fc.property(json, (value) => void expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))),
  );
});

describe("digest", () => {
  test("is the SHA-256 of the canonical text", () => {
    expect(digest({})).toBe("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  });

  test("is equal exactly when the values are", () => {
    assertProperty(
      fc.property(json, json, (a, b) => {
        expect(digest(a) === digest(b)).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)));
      }),
    );
  });

  test.each([
    [{ path: "a" }, { path: "b" }],
    [{ a: 1 }, { a: "1" }],
    [{ a: [] }, { a: {} }],
    [{ a: "b,c" }, { a: "b", c: "" }],
    ["\ud800", "\ufffd"],
  ])("differs for %j and %j", (a, b) => {
    expect(digest(a as Json)).not.toBe(digest(b as Json));
  });
});

function rebuilt(value: Json, order: (entries: [string, Json][]) => [string, Json][]): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => rebuilt(item, order));
  return Object.fromEntries(
    order(Object.entries(value as JsonObject)).map(([key, inner]) => [key, rebuilt(inner, order)]),
  );
}

function reversed(value: Json): Json {
  return rebuilt(value, (entries) => entries.reverse());
}

function sorted(value: Json): Json {
  return rebuilt(value, (entries) => entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function withoutNegativeZero(value: Json): Json {
  if (value === 0) return 0;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutNegativeZero);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutNegativeZero(inner)]));
}
