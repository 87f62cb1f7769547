import { expect, test } from "vitest";
import type { Session } from "../../../workspace/session/session-types.ts";
import { readPaths } from "./session-paths.ts";

/** A session that has changed these paths. */
const changing = (...paths: string[]) =>
  ({
    record: { workspace: "/home/me/project" },
    diff: async (work: (diff: unknown) => unknown) => work({ changes: paths.map((path) => ({ path })) }),
  }) as unknown as Session;

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
])("the paths %j are those of the diff: %j", async (given, paths) => {
  expect(await readPaths(given, changing())).toEqual(paths);
});

test.each(["..", "../x", "a/../../b", "/etc/passwd", "/home/me/project2", "/home/me"])(
  "the path %j is not in the project, and is refused",
  async (given) => {
    await expect(readPaths(["a", given], changing())).rejects.toThrow(
      `The path ${JSON.stringify(given)} is not in the project "/home/me/project".`,
    );
  },
);

test.each([
  ["", "it is empty"],
  ["a\0b", "it contains a NUL character"],
])("the path %j is none, and is refused", async (given, problem) => {
  await expect(readPaths(["a", given], changing())).rejects.toMatchObject({
    code: "USAGE",
    message: expect.stringContaining(problem),
  });
});

test.each([
  ["n\\xff", ["n\\xff"], "n\\xff"],
  ["n\\xff", ["n\udcff"], "n\udcff"],
  ["n\\xff", ["n\udcff", "n\\xff"], "n\\xff"],
  ["n\\xFF", ["n\udcff", "n\\xff"], "n\udcff"],
  ["n\\xFF", ["n\udcff", "n\\xFF"], "n\\xFF"],
  ["n\\xff", ["n\\xff/below"], "n\\xff"],
  ["n\\xff/a", ["n\udcff/a"], "n\udcff/a"],
])("the path %j, where %j are changed, is %j", async (given, changed, path) => {
  expect(await readPaths([given], changing(...changed))).toEqual([path]);
});
