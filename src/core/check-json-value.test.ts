import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../test/kit/assert-property.ts";
import { checkJsonValue, measureJsonValue } from "./check-json-value.ts";
import { HotcellError } from "./errors.ts";
import type { JsonObject } from "./json.ts";

function refusal(value: unknown): string {
  try {
    checkJsonValue(value);
  } catch (error) {
    if (error instanceof HotcellError && error.code === "INVALID_ARGUMENTS") return error.message;
    throw error;
  }
  throw new Error("was accepted");
}

describe("the copy", () => {
  const shared = { x: 1 };
  const given = { path: "a", list: [1, [null, true]], one: shared, two: shared };

  test("equals what was given and shares nothing with it", () => {
    const copy = checkJsonValue(given);
    expect(copy).toEqual(given);
    expect(copy.one).not.toBe(shared);
  });

  test("is frozen to the bottom", () => {
    const copy = checkJsonValue(given) as { list: [number, unknown[]]; one: object };
    expect([copy, copy.list, copy.list[1], copy.one].every(Object.isFrozen)).toBe(true);
  });

  test("is plain, also when the given object has no prototype", () => {
    const copy = checkJsonValue(Object.assign(Object.create(null), { toString: "x" }));
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(Object.entries(copy)).toEqual([["toString", "x"]]);
  });

  test("is given for every JSON object within the limits", () => {
    assertProperty(
      fc.property(
        fc
          .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
          .filter((value) => !/"(__proto__|constructor)"/.test(JSON.stringify(value))),
        (value) => {
          expect(checkJsonValue(value)).toEqual(value);
        },
      ),
    );
  });
});

test("the measure of a value is never below the length of its JSON text", () => {
  const texts = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant("\u001f\ud800"));
  const values = fc.oneof(texts, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.array(texts));
  assertProperty(
    fc.property(
      fc.dictionary(
        texts.filter((key) => key !== "__proto__"),
        values,
      ),
      (value) => {
        expect(measureJsonValue(value)).toBeGreaterThanOrEqual(JSON.stringify(value).length);
      },
    ),
  );
});

const cyclic: Record<string, unknown> = { a: [] };
(cyclic.a as unknown[]).push(cyclic);
const trap = () => {
  throw new Error("code of the caller was run");
};

describe("P5.5 what JSON can't carry is refused by its path", () => {
  test.each<[string, unknown, string]>([
    ["an array", [], "arguments: expected an object, got an array of 0"],
    ["text", "x", 'arguments: expected an object, got "x"'],
    ["undefined", undefined, "arguments: undefined can't be written as JSON"],
    ["an undefined property", { a: undefined }, "arguments.a: undefined can't be written as JSON"],
    ["undefined in an array", { a: [1, undefined] }, "arguments.a[1]: undefined can't be written as JSON"],
    ["a BigInt", { a: { "b c": 1n } }, 'arguments.a["b c"]: 1n can\'t be written as JSON'],
    ["a function", { toJSON: trap }, "arguments.toJSON: a function can't be written as JSON"],
    ["a symbol", { a: Symbol("x") }, "arguments.a: a symbol can't be written as JSON"],
    ["NaN", { a: Number.NaN }, "arguments.a: NaN can't be written as JSON"],
    ["Infinity", { a: [Infinity] }, "arguments.a[0]: Infinity can't be written as JSON"],
    ["a cycle", cyclic, "arguments.a[0]: it contains itself"],
    ["a symbol as key", { [Symbol("x")]: 1 }, "arguments: a symbol as key can't be written as JSON"],
    [
      "a getter",
      {
        get a() {
          return trap();
        },
      },
      "arguments.a: a getter or hidden property can't be written as JSON",
    ],
    [
      "a hidden property",
      Object.defineProperty({}, "a", { value: 1 }),
      "arguments.a: a getter or hidden property can't be written as JSON",
    ],
    [
      "an array's getter",
      { a: Object.defineProperty([0], 0, { get: trap }) },
      "arguments.a[0]: a getter or hidden property can't be written as JSON",
    ],
    [
      "a sparse array",
      { a: new Array(3) },
      "arguments.a: an array with holes or named properties can't be written as JSON",
    ],
    [
      "a huge sparse array",
      { a: new Array(4e9) },
      "arguments.a: an array with holes or named properties can't be written as JSON",
    ],
    [
      "named properties on an array",
      { a: Object.assign([1], { b: 1 }) },
      "arguments.a: an array with holes or named properties can't be written as JSON",
    ],
    ["a Date", { a: new Date(0) }, "arguments.a: only plain objects and arrays can be written as JSON"],
    ["a Map", { a: new Map() }, "arguments.a: only plain objects and arrays can be written as JSON"],
    [
      "a boxed string",
      { a: Object("x") },
      "arguments.a: only plain objects and arrays can be written as JSON",
    ],
    [
      "a subclass of Array",
      { a: new (class extends Array {})() },
      "arguments.a: only plain objects and arrays can be written as JSON",
    ],
    [
      "an inherited property",
      Object.create({ path: "a" }),
      "arguments: only plain objects and arrays can be written as JSON",
    ],
    [
      "a proxy",
      new Proxy({}, { ownKeys: trap, getPrototypeOf: trap }),
      "arguments: only plain objects and arrays can be written as JSON",
    ],
    ["__proto__", JSON.parse('{"a":{"__proto__":{}}}'), "arguments.a.__proto__: this key is not allowed"],
    [
      "constructor.prototype",
      { constructor: { prototype: {} } },
      "arguments.constructor.prototype: this key is not allowed",
    ],
  ])("%s", (_, value, reason) => {
    expect(refusal(value)).toBe(`Could not take ${reason}.`);
  });
});

describe("limits", () => {
  const nested = (levels: number): JsonObject => (levels === 1 ? {} : { a: nested(levels - 1) });

  test("nesting is allowed to 64 levels and no further", () => {
    expect(checkJsonValue(nested(64))).toEqual(nested(64));
    expect(refusal(nested(65))).toBe("Could not take arguments: nested deeper than 64 levels.");
  });

  test("a small object that unfolds into very many is refused", () => {
    let bomb: unknown = "x";
    for (let level = 0; level < 60; level++) bomb = { a: bomb, b: bomb };
    expect(refusal(bomb)).toContain("more than 16777216 bytes or 100000 entries");
  });

  test("bytes of text are counted, also those of keys", () => {
    expect(refusal({ a: "é".repeat(9_000_000) })).toContain("more than 16777216 bytes");
    expect(refusal({ ["é".repeat(9_000_000)]: 1 })).toContain("more than 16777216 bytes");
  });
});
