import { describe, expect, test } from "vitest";
import { compileRegex } from "./compile-regex.ts";

describe("which bytes matches begin with", () => {
  test.each<[pattern: string, first: string[]]>([
    ["[A-C]{2}-\\d", ["ABC", "ABC", "-", "0123456789"]],
    ["ab?c", ["a", "bc"]],
    ["a*b", ["ab"]],
    ["(?:ab|cde)f", ["ac", "bd", "ef"]],
    ["^ab$", ["a", "b"]],
    ["\\bab\\B", ["a", "b"]],
    ["abcdefghij", ["a", "b", "c", "d", "e", "f", "g", "h"]],
    ["é", ["\xc3", "\xa9"]],
    ["a*", []],
    ["a|$", []],
    ["(?=a)b", []],
  ])("%j: %j", (pattern, first) => {
    const sets = compileRegex(pattern, { ignoreCase: false }).firstBytes(8);
    expect(sets.map(membersOf)).toEqual(first);
  });
});

function membersOf(set: Uint8Array): string {
  return Array.from(set, (belongs, byte) => (belongs === 1 ? String.fromCharCode(byte) : "")).join("");
}
