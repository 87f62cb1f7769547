import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { LIMITS } from "../../../core/limits.ts";
import { analyseRegex } from "./compile-regex.ts";
import { createLazyDfa } from "./lazy-dfa.ts";
import { createLineMatcher } from "./line-matcher.ts";

/** Without order: each piece of it is another set of states. */
const TEXT = createHash("shake256", { outputLength: 20_000 })
  .digest()
  .map((byte) => (byte & 1 ? 0x61 : 0x62));

function search(pattern: string, maxWorkPerByte: number): void {
  const tooMuch = () => {
    throw new RangeError("too much");
  };
  const { nfa } = analyseRegex(pattern, { ignoreCase: false });
  const work = { maxWorkPerByte, maxSpareWork: 100_000, tooMuch };
  const matcher = createLineMatcher(createLazyDfa(nfa!, LIMITS, work));
  for (let from = 0; from < TEXT.length; from += 100) matcher.find(TEXT, from, from + 100);
}

test("a pattern that takes more work for each byte than is allowed is ended", () => {
  expect(() => search("[ab]*a[ab]{400}c", 20)).toThrow("too much");
});

test("what is allowed grows with what was read", () => {
  expect(() => search("[ab]*a[ab]{400}c", 2000)).not.toThrow();
});
