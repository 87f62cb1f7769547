import { expect, test } from "vitest";
import { argumentPath } from "./argument-path.ts";
import { quote } from "./quote.ts";

test.each<[unknown, string]>([
  ["plain", '"plain"'],
  ['with "quotes" and \\', '"with \\"quotes\\" and \\\\"'],
  ["a\nb\u001b[2J\u0000", '"a\\nb\\u001b[2J\\u0000"'],
  ["\u202egnp.exe\u2028\u007f", '"\\u{202e}gnp.exe\\u{2028}\\u{7f}"'],
  ["\ud800", '"\\ud800"'],
  ["x".repeat(61), `"${"x".repeat(60)}"…`],
  [12, "12"],
  [1n, "1n"],
  [null, "null"],
  [undefined, "undefined"],
  [[1, 2], "an array of 2"],
  [{ a: 1 }, "an object"],
  [() => 1, "a function"],
  [Symbol("x"), "a symbol"],
])("a value stands in a message on one short, harmless line: %#", (value, text) => {
  expect(quote(value)).toBe(text);
});

test.each<[(string | number)[], string]>([
  [[], "arguments"],
  [["patch", "update", 3, "$x_1"], "arguments.patch.update[3].$x_1"],
  [["a b", "", "é"], 'arguments["a b"][""]["é"]'],
  [["x\ny"], 'arguments["x\\ny"]'],
])("a place in the arguments is named as in code: %j", (keys, text) => {
  expect(argumentPath(keys)).toBe(text);
});
