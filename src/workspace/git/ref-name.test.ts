import { expect, test } from "vitest";
import { isBranchName } from "./ref-name.ts";

test.each(["work", "agent/work", "a.b", "a@b", "ä", "x-", "refs/heads/x"])("%j is a branch name", (name) => {
  expect(isBranchName(name)).toBe(true);
});

const BAD = [
  ..."~^:?*[\\ \n\0\x7f".split("").map((character) => `a${character}b`),
  ...["", "HEAD", "-a", ".a", "a/.b", "a..b", "../a", "a/../../config", "a.lock", "a.lock/b", "a."],
  ...["/a", "a/", "a//b", "a@{b", "\ud800", "x".repeat(241)],
];

test.each(BAD)("%j is no branch name", (name) => {
  expect(isBranchName(name)).toBe(false);
});
