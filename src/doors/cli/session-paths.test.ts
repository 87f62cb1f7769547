import { expect, test } from "vitest";
import { readPaths } from "./session-paths.ts";

test.each([
  [["a"], ["a"]],
  [
    ["./src//x/../y/", "b"],
    ["src/y", "b"],
  ],
  [["/home/me/project/src/x"], ["src/x"]],
  [["..a"], ["..a"]],
  [["caf\\xe9"], ["caf\udce9"]],
  [[], undefined],
  [["."], undefined],
  [["a", "/home/me/project"], undefined],
])("the paths %j are those of the diff: %j", (given, paths) => {
  expect(readPaths(given, "/home/me/project")).toEqual(paths);
});

test.each(["..", "../x", "a/../../b", "/etc/passwd", "/home/me/project2", "/home/me"])(
  "the path %j is not in the project, and is refused",
  (given) => {
    expect(() => readPaths(["a", given], "/home/me/project")).toThrow(
      `The path ${JSON.stringify(given)} is not in the project "/home/me/project".`,
    );
  },
);
