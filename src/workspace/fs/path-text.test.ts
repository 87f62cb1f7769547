import { expect, test } from "vitest";
import { isNamesOnly } from "./path-text.ts";

test.each(["f", "a/b/c.ts", ".hidden/..x/x..", "with blank/ü/\n", "a\\x80b", "..."])(
  "%j is names only",
  (path) => {
    expect(isNamesOnly(path)).toBe(true);
  },
);

test.each([
  "",
  ".",
  "..",
  "/",
  "/a",
  "a/",
  "a//b",
  "./a",
  "a/./b",
  "a/.",
  "../a",
  "a/../b",
  "a/..",
  "a\0b",
  "a/\uDC80",
  "a/\u{1F600}",
])("%j needs the full check", (path) => {
  expect(isNamesOnly(path)).toBe(false);
});
