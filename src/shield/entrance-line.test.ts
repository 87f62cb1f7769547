import { expect, test } from "vitest";
import { enclosureText, entranceLine } from "./entrance-line.ts";

const lineOf = (...argv: string[]) =>
  entranceLine({ entry: ["nsenter", "--"], limits: "ulimit -c 0", argv, mark: "hotcell:1" });
const toldOf = (...argv: string[]) =>
  Buffer.from(enclosureText(() => ["--clearenv"], argv))
    .toString()
    .split("\0");

test("the line is the same for all commands of as many words, and has none of them", () => {
  expect(lineOf("bash", "-c", "secret")).toEqual(lineOf("sh", "-e", "other"));
  expect(lineOf("bash", "-c", "secret").join(" ")).not.toContain("secret");
  expect(lineOf("bash", "-c", "secret")).not.toEqual(lineOf("bash"));
});

test("bubblewrap is told a command's words after everything else", () => {
  expect(toldOf("echo", "a\n$b 'c'")).toEqual([
    "--clearenv",
    ...["--setenv", "HOTCELL_WORD_0", "echo"],
    ...["--setenv", "HOTCELL_WORD_1", "a\n$b 'c'"],
    "",
  ]);
});

test("of many words the later ones are in the line", () => {
  const argv = Array.from({ length: 5000 }, (_, at) => `w${at}`);
  expect(lineOf(...argv).slice(-4992)).toEqual(argv.slice(8));
  expect(toldOf(...argv).slice(-3)).toEqual(["HOTCELL_WORD_7", "w7", ""]);
});

test("a word that is too long for a variable is in the line, with all after it", () => {
  const long = "x".repeat(128 * 1024 - 1);
  expect(lineOf("bash", "-c", long, "more").slice(-2)).toEqual([long, "more"]);
  expect(toldOf("bash", "-c", long, "more").slice(-3)).toEqual(["HOTCELL_WORD_1", "-c", ""]);
});

test("a word with a NUL is refused: what follows it would be told to bubblewrap", () => {
  expect(() => enclosureText(() => [], ["echo", "a\0--bind\0/\0/"])).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENTS" }),
  );
});

test("half a character is none, as in any command line", () => {
  expect(toldOf("\udcff").at(-2)).toBe("\ufffd");
});
