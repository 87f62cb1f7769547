import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { commandScript } from "./sandbox-command-line.ts";

const textOf = (...argv: string[]) =>
  commandScript({ cwd: "/", limits: "true", env: {}, hasPwd: true, argv });

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

test.each(["sh", "bash"])("%s joins both streams of a command where that is asked for", (shell) => {
  const argv = ["/bin/sh", "-c", "echo 1; echo 2 >&2; echo 3"];
  const command = { cwd: "/", limits: "true", env: {}, hasPwd: true, argv };
  const streams = (stderrToStdout: boolean) => {
    const { stdout, stderr } = spawnSync(shell, { input: commandScript({ ...command, stderrToStdout }) });
    return [stdout.toString(), stderr.toString()];
  };
  expect(streams(true)).toEqual(["1\n2\n3\n", ""]);
  expect(streams(false)).toEqual(["1\n3\n", "2\n"]);
});

test("half a character is none, as in any command line", () => {
  const input = textOf("printf", "%s", "\udcff");
  expect(spawnSync("sh", { input }).stdout.toString()).toBe("\ufffd");
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

interface Given {
  readonly cwd?: string;
  readonly limits?: string;
  readonly env?: Record<string, string>;
  readonly hasPwd?: boolean;
}

/** By a shell that has itself no variables but PWD, as it is in a sandbox. */
function run(shell: string, script: string, given: Given = {}) {
  const argv = ["/bin/sh", "-c", script];
  const input = commandScript({ cwd: "/usr/share", limits: "true", env: {}, hasPwd: true, argv, ...given });
  const { stdout, status } = spawnSync(shell, { input, env: { PWD: "/" } });
  return { said: stdout.toString(), status };
}

describe.each(["/bin/sh", "/bin/bash"])("by %s, a command", (shell) => {
  test("begins in its directory, whatever the name of that is", () => {
    const cwd = fs.mkdtempSync(path.join(os.tmpdir(), "-it's a\n$HOME \\ "));
    onTestFinished(() => fs.rmdirSync(cwd));
    expect(run(shell, "pwd", { cwd }).said).toBe(`${cwd}\n`);
  });
  test("has the variables that it is given, and PWD if it may", () => {
    const env = {
      A: "it's\n$B `c`",
      PATH: "/nowhere:/usr/bin:/bin",
      IFS: "x",
      LC_ALL: "C",
      "not a.name": "x",
    };
    const names = (hasPwd: boolean) =>
      run(shell, "env -0 | cut -z -d= -f1 | tr '\\0' '\\n'", { env, hasPwd })
        .said.trim()
        .split("\n")
        .filter((name) => !["_", "SHLVL"].includes(name))
        .sort();
    expect(run(shell, 'printf %s "$A$PATH"', { env }).said).toBe(env.A + env.PATH);
    expect(names(true)).toEqual(["A", "IFS", "LC_ALL", "PATH", "PWD"]);
  });
  test.each(["UID", "PPID", "SHELLOPTS", "OPTIND"])("begins also when it is given %s", (name) => {
    expect(run(shell, "echo begun", { env: { [name]: "odd", A: "1" } }).said).toBe("begun\n");
  });
  test.each([{ cwd: "/nowhere" }, { limits: "false" }])("does not begin where it can't: %o", (given) => {
    expect(run(shell, "echo begun", given)).toEqual({ said: "", status: 1 });
  });
});

test("without PWD a program that is no shell has none", () => {
  const input = commandScript({ cwd: "/", limits: "true", env: {}, hasPwd: false, argv: ["env"] });
  expect(spawnSync("/bin/sh", { input, env: { PWD: "/" } }).stdout.toString()).toBe("");
});
