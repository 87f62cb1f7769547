import { expect, test } from "vitest";
import { parseUrl } from "./parse-url.ts";

test("a URL with a letter of Latin-1 is one, also when it was parsed many times", () => {
  const hosts = new Set(Array.from({ length: 20_000 }, () => parseUrl("http://münchen.example/")?.hostname));
  expect([...hosts]).toEqual(["xn--mnchen-3ya.example"]);
  expect([parseUrl("http://[x]/"), parseUrl("/p"), parseUrl("/p", "http://a/")?.href]).toEqual([
    null,
    null,
    "http://a/p",
  ]);
});
