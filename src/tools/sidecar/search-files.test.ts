import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openTempCell } from "../../../test/kit/worlds/temp-cell.ts";
import type { JsonObject } from "../../core/json.ts";

const openSidecar = (
  options: Parameters<typeof openTempCell>[0] = {},
  files: Readonly<Record<string, string>> = {},
) => openTempCell({ toolsets: ["sidecar"], ...options }, files);

const FILES = {
  "a.ts": "one\nTwo two\nthree\n",
  "src/b.ts": "two\r\nfour\n",
  "src/c.md": "two\n",
  "ignored/d.ts": "two\n",
  ".gitignore": "ignored/\n",
  ".hidden/e.ts": "two\n",
  ".env": "two\n",
};

async function search(args: JsonObject, files: Readonly<Record<string, string>> = FILES) {
  const world = await openSidecar({}, files);
  const { output, error } = await world.cell.call({ name: "search_files", arguments: args });
  return { ...world, output: output as JsonObject, error };
}
const places = (output: JsonObject) =>
  (output.matches as { path: string; line: number }[]).map(({ path: at, line }) => `${at}:${line}`);

describe("search_files", () => {
  test("finds plain text line by line, in the order of paths, without what is ignored, hidden or secret", async () => {
    const { output } = await search({ pattern: "two" });
    expect(output).toEqual({
      matches: [
        { path: "a.ts", line: 2, text: "Two two" },
        { path: "src/b.ts", line: 1, text: "two" },
        { path: "src/c.md", line: 1, text: "two" },
      ],
      files_scanned: 3,
      truncated: false,
    });
  });

  test.each([
    [{ pattern: "^t(wo|hree)$", regex: true }, ["a.ts:3", "src/b.ts:1", "src/c.md:1"]],
    [{ pattern: "TWO", case_sensitive: false }, ["a.ts:2", "src/b.ts:1", "src/c.md:1"]],
    [{ pattern: "TWO" }, []],
    [{ pattern: "t.o" }, []],
    [{ pattern: "two", glob: "*.md" }, ["src/c.md:1"]],
    [{ pattern: "two", glob: "src/**" }, ["src/b.ts:1", "src/c.md:1"]],
    [{ pattern: "two", path: "src" }, ["src/b.ts:1", "src/c.md:1"]],
    [{ pattern: "two", path: "src/c.md" }, ["src/c.md:1"]],
    [{ pattern: "(?<!T)wo$", regex: true }, ["a.ts:2", "src/b.ts:1", "src/c.md:1"]],
  ])("with %j finds %j", async (args, found) => {
    const { output } = await search(args);
    expect(places(output)).toEqual(found);
  });

  test("stops at max_results, and says that there is more", async () => {
    const { output } = await search({ pattern: "two", max_results: 2 });
    expect(places(output)).toEqual(["a.ts:2", "src/b.ts:1"]);
    expect(output).toMatchObject({
      truncated: true,
      note: "Only the first 2 matches are shown. Give a narrower pattern, path or glob.",
    });
  });

  test("000's pitfall 5: a pattern that hangs a backtracking engine does not hang it", async () => {
    const hard = { "hard.txt": `${"a".repeat(50_000)}!\n` };
    const { output } = await search({ pattern: "(a+)+$", regex: true }, hard);
    expect(output).toMatchObject({ matches: [], truncated: false });
  });

  test("says that a pattern with look-around has a deadline of its own", async () => {
    const { output } = await search({ pattern: "two(?= two)|t(?=wo)", regex: true });
    expect(output.note).toContain("deadline");
  });

  const LONG = { "long.txt": `${"x".repeat(3_000_000)}needle end\nxneedle\n` };
  const PARTLY =
    "Lines of which only the first 1 MiB was searched: 1. A pattern without look-around and back-references searches whole lines.";

  test("says of how many long lines a pattern with look-around has seen only the beginning", async () => {
    const { output } = await search({ pattern: "(?<=x)needle", regex: true }, LONG);
    expect(places(output)).toEqual(["long.txt:2"]);
    expect(output.note).toContain(PARTLY);
  });

  test.each([
    ["has no look-around", "xneedle.", ["long.txt:1"]],
    ["matches in the beginning", "^x(?=x)", ["long.txt:1"]],
  ])("says nothing of long lines where a pattern %s", async (_, pattern, found) => {
    const { output } = await search({ pattern, regex: true }, LONG);
    expect(places(output)).toEqual(found);
    expect(String(output.note)).not.toContain("1 MiB");
  });

  const BINARY = { "a.bin": "two\0\n", "b.txt": "two\n" };
  const binaryOf = (some: number, all: number) =>
    `Binary files, which were not searched completely: ${some} of ${all}.`;

  test.each([
    ["the file that it was told to search is binary", { pattern: "two", path: "a.bin" }, binaryOf(1, 1)],
    ["nothing was found, and a file is binary", { pattern: "three" }, binaryOf(1, 2)],
    ["what it finds is elsewhere", { pattern: "two" }, undefined],
  ])("where %s, %j gives the note %j", async (_, args, note) => {
    const { output } = await search(args, BINARY);
    expect(output.note).toBe(note);
  });

  test.each([
    ["\\p{Lu}+", ["f:1"]],
    ["\\u{1F600}", ["f:2"]],
  ])("knows %s", async (pattern, found) => {
    const { output } = await search({ pattern, regex: true }, { f: "É\n😀\n" });
    expect(places(output)).toEqual(found);
  });

  test.each([
    [{ pattern: "two\\nfour", regex: true }],
    [{ pattern: "two\nfour", regex: true }],
    [{ pattern: "two\nfour" }],
  ])("refuses %j, which no line can match", async (args) => {
    const { error } = await search(args);
    expect(error).toMatchObject({
      code: "INVALID_ARGUMENTS",
      message:
        "Could not search: the pattern has a line break, but the search works line by line; give text of one line.",
    });
  });

  test.each(["[a-z.ts", "src/[a/b].ts", "!x[", "[]"])("refuses the glob %j, and says why", async (glob) => {
    const { error } = await search({ pattern: "two", glob });
    expect(error).toMatchObject({
      code: "INVALID_ARGUMENTS",
      message: `The glob "${glob}" has a [ without a ] in the same name. Close it, or write \\[ for the character itself.`,
    });
  });

  test.each([
    ["[a-c].ts", ["a.ts:2", "src/b.ts:1"]],
    ["[]b].ts", ["src/b.ts:1"]],
    ["[!b].ts", ["a.ts:2"]],
    ["\\[*", []],
  ])("takes the glob %j", async (glob, found) => {
    const { output } = await search({ pattern: "two", glob });
    expect(places(output)).toEqual(found);
  });

  test.each([
    [{ pattern: "(", regex: true }, "pattern"],
    [{ pattern: "(?i)two", regex: true }, "case_sensitive: false"],
    [{ pattern: "\\Atwo", regex: true }, "\\A, which JavaScript does not have"],
    [{ pattern: "" }, "pattern"],
    [{ pattern: "x".repeat(5000), regex: true }, "pattern"],
  ])("refuses %j and names the field", async (args, word) => {
    const { error } = await search(args as JsonObject);
    expect(error).toMatchObject({ code: "INVALID_ARGUMENTS", message: expect.stringContaining(word) });
  });

  test("cuts a long line around the hit", async () => {
    const { output } = await search(
      { pattern: "needle" },
      { long: `${"x".repeat(9999)}needle${"y".repeat(9999)}` },
    );
    const [{ text }] = output.matches as { text: string }[] as [{ text: string }];
    expect(text).toContain("needle");
    expect(text.length).toBeLessThanOrEqual(502);
  });

  test("does not follow links, and is refused where it begins outside", async () => {
    const { cell, root } = await search({ pattern: "x" });
    fs.symlinkSync("/etc", path.join(root, "etc"));
    const found = await cell.call({ name: "search_files", arguments: { pattern: "root" } });
    expect(found.output).toMatchObject({ matches: [] });
    const beyond = await cell.call({ name: "search_files", arguments: { pattern: "root", path: "etc" } });
    expect(beyond.error?.code).toBe("SYMLINK_OUTSIDE_WORKSPACE");
  });

  test("a rule that denies a directory leaves out what is below it", async () => {
    const { cell } = await openSidecar({ rules: ["deny search_files(src/**)"] }, FILES);
    const { output } = await cell.call({ name: "search_files", arguments: { pattern: "two" } });
    expect(places(output as JsonObject)).toEqual(["a.ts:2"]);
  });

  test("an abort ends it", async () => {
    const { cell } = await openSidecar({}, FILES);
    const { error } = await cell.call(
      { name: "search_files", arguments: { pattern: "two" } },
      { signal: AbortSignal.abort() },
    );
    expect(error?.code).toBe("CANCELLED");
  });
});
