import { expect, test } from "vitest";
import { createProtection } from "../../policy/protected.ts";
import { judgedPaths } from "./judged-paths.ts";

const deep = (count: number): string => Array.from({ length: count }, (_, name) => `${name}`).join("/");

test.each<[what: string, path: string, isDirectory: boolean, judged: string[]]>([
  ["a file", "a/b", false, ["a/b"]],
  ["a directory", "a", true, ["a/"]],
  ["a file 128 names deep", deep(128), false, [deep(128)]],
  ["a file 129 names deep", deep(129), false, [deep(129).slice(2), `${deep(128)}/`]],
  ["a directory 129 names deep", deep(129), true, [`${deep(129).slice(2)}/`, `${deep(128)}/`]],
])("of %s is judged what protection takes", (_, path, isDirectory, judged) => {
  expect(judgedPaths(path, isDirectory)).toEqual(judged);
});

test.each([
  [`.git/${deep(1000)}`, "self-running"],
  [`${deep(1000)}/.ssh/id`, "secret"],
  [`${deep(1000)}/.env`, "secret"],
  [deep(1000), undefined],
])("a protected name at either end of a very deep path is found: %.12s…", (path, expected) => {
  const protectionOf = createProtection();
  const classes = judgedPaths(path, false).flatMap((part) => protectionOf(part)?.class ?? []);
  expect(classes[0]).toBe(expected);
});
