import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { commandText } from "./entrance-line.ts";

const textOf = (...argv: string[]) => commandText({ cwd: "/", limits: "true", argv, without: [] });

test.each(["sh", "bash"])("%s runs exactly these words", (shell) => {
  const words = [
    "a\n$b `c` \"d\" 'e' \\f",
    "",
    "--",
    "-n",
    "*",
    "é日本\u0081\u0088\u00ff",
    "#",
    "{",
    "}",
    "\\",
  ];
  const text = textOf("printf", "%s\\0", ...words);
  expect(spawnSync(shell, { input: text }).stdout.toString().split("\0")).toEqual([...words, ""]);
});

test("of half a text nothing is run", () => {
  const text = textOf("echo", "whole");
  const said = Array.from({ length: text.length - 1 }, (_, length) =>
    spawnSync("sh", { input: text.slice(0, length) }).stdout.toString(),
  );
  expect(said.join("")).toBe("");
  expect(spawnSync("sh", { input: text }).stdout.toString()).toBe("whole\n");
});

test("a word with a NUL is refused: no argument can hold one", () => {
  expect(() => textOf("echo", "a\0b")).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENTS" }));
});

test("it begins in its directory, and has no variable of it that it was not given", () => {
  const cwd = "/usr/share";
  const run = (...without: string[]) =>
    spawnSync("sh", {
      input: commandText({ cwd, limits: "true", argv: ["sh", "-c", "pwd; env"], without }),
      env: { PATH: process.env.PATH, PWD: "/" },
    })
      .stdout.toString()
      .split("\n");
  expect(run()).toEqual(expect.arrayContaining([cwd, `PWD=${cwd}`]));
  expect(run().join()).not.toContain("OLDPWD");
});
