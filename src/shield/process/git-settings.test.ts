import { expect, test } from "vitest";
import { withGitSettings } from "./git-settings.ts";

const OURS = [["a.b", "1"]] as const;

test("settings stand before those that are given, which keep their order", () => {
  const given = {
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: "a.b",
    GIT_CONFIG_VALUE_0: "2",
    GIT_CONFIG_KEY_1: "c.d",
    GIT_CONFIG_VALUE_1: "",
  };
  expect(withGitSettings(OURS, { ...given, HOME: "/h" })).toEqual({
    HOME: "/h",
    GIT_CONFIG_COUNT: "3",
    GIT_CONFIG_KEY_0: "a.b",
    GIT_CONFIG_VALUE_0: "1",
    GIT_CONFIG_KEY_1: "a.b",
    GIT_CONFIG_VALUE_1: "2",
    GIT_CONFIG_KEY_2: "c.d",
    GIT_CONFIG_VALUE_2: "",
  });
});

test("without given ones they are all there are", () => {
  const ours = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "a.b", GIT_CONFIG_VALUE_0: "1" };
  expect(withGitSettings(OURS, {})).toEqual(ours);
  expect(withGitSettings(OURS, { GIT_CONFIG_COUNT: "0" })).toEqual(ours);
});

test.each([
  ["a count that is no number", { GIT_CONFIG_COUNT: "many" }],
  ["a negative count", { GIT_CONFIG_COUNT: "-1" }],
  ["no key", { GIT_CONFIG_COUNT: "1e9", GIT_CONFIG_VALUE_0: "1" }],
  ["no value", { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "a.b" }],
])("given ones with %s are left for git to refuse", (_, env) => {
  expect(withGitSettings(OURS, env)).toEqual(env);
});
