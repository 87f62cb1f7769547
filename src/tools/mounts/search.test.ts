import { describe, expect, test } from "vitest";
import { openMounts } from "../../../test/kit/worlds/mounts-world.ts";
import { readCorpus } from "../../../test/kit/worlds/path-fixture.ts";
import { readSearchPattern } from "./search-pattern.ts";

const FILES = {
  "a.ts": "1\n2\nneedle 3\n4\n5\n",
  ".eslintrc": "needle\n",
  ".hidden/b": "needle\n",
  "node_modules/c": "needle\n",
  ".git/d": "needle\n",
};

describe("fs.search", () => {
  test("002 acceptance: gives structured matches with context, by mount paths", async () => {
    const { call } = await openMounts({}, FILES);
    expect(await call("fs.search", { path: "@project", pattern: "needle" })).toEqual({
      ok: true,
      path: "@project",
      matches: [
        { path: "@project/.eslintrc", line: 1, text: "needle", before: [], after: [] },
        { path: "@project/a.ts", line: 3, text: "needle 3", before: ["2"], after: ["4"] },
      ],
      truncated: false,
      stats: { filesScanned: 2, matches: 2 },
    });
  });

  test("with before and after gives as many lines as asked for", async () => {
    const { call } = await openMounts({}, FILES);
    const { matches } = await call("fs.search", {
      path: "@project/a.ts",
      pattern: "needle",
      before: 0,
      after: 9,
    });
    expect(matches).toEqual([
      { path: "@project/a.ts", line: 3, text: "needle 3", before: [], after: ["4", "5"] },
    ]);
  });

  test.each(["^l1", "l2|l3", "needle.*a", "l\\d", "[ab]c", "end$"])(
    "of %s, which is plain text and found nowhere, says how to write a regular expression",
    async (pattern) => {
      const { call } = await openMounts({}, FILES);
      expect(await call("fs.search", { path: "@project", pattern })).toMatchObject({
        matches: [],
        hint: expect.stringContaining("For a regular expression, write /…/"),
      });
    },
  );

  test.each(["nowhere", "no.where()", "/^l1/", "needle 3"])("of %s says nothing of it", async (pattern) => {
    const { call } = await openMounts({}, FILES);
    expect(await call("fs.search", { path: "@project", pattern })).not.toHaveProperty("hint");
  });

  test("stops after maxMatches, and says so", async () => {
    const { call } = await openMounts({}, { f: "x\n".repeat(60) });
    const found = await call("fs.search", { path: "@project", pattern: "x" });
    expect(found).toMatchObject({
      truncated: true,
      stats: { matches: 50 },
      hint: expect.stringContaining("50"),
    });
    expect(await call("fs.search", { path: "@project", pattern: "x", maxMatches: 2 })).toMatchObject({
      truncated: true,
      stats: { matches: 2 },
    });
  });

  test.each([
    ["is binary", { pattern: "needle" }, "two\0needle\n", "Binary files, which were not searched"],
    [
      "has a long line",
      { pattern: "/(?<=x)needle/" },
      `${"x".repeat(3_000_000)}needle`,
      "first 1 MiB was searched: 1.",
    ],
  ])("says when the file that it was told to search %s", async (_, args, content, said) => {
    const { call } = await openMounts({}, { f: content });
    expect(await call("fs.search", { path: "@project/f", ...args })).toMatchObject({
      matches: [],
      truncated: false,
      hint: expect.stringContaining(said),
    });
  });

  test.each([
    ["/(?i)needle/", "in fs.search /…/i"],
    ["/[[:upper:]]/", "[:upper:], which JavaScript does not have"],
    ["/needle\\n/", "the pattern has a line break"],
  ])("refuses %s, and says why", async (pattern, said) => {
    const { call } = await openMounts({}, FILES);
    expect(await call("fs.search", { path: "@project", pattern })).toMatchObject({
      ok: false,
      error: { code: "E_INVALID_ARGUMENTS", message: expect.stringContaining(said) },
    });
  });

  test("searches the other mounts, and never the log", async () => {
    const { call } = await openMounts();
    await call("fs.write", { path: "@state/n.md", content: "needle\n" });
    expect(await call("fs.search", { path: "@state", pattern: "needle" })).toMatchObject({
      matches: [{ path: "@state/n.md" }],
      stats: { filesScanned: 1 },
    });
    expect(await call("fs.search", { path: "@pkg", pattern: "package" })).toMatchObject({
      matches: [{ path: "@pkg/pkg.txt" }],
    });
    expect(await call("fs.search", { path: "@state/logs", pattern: "tool" })).toMatchObject({ ok: false });
  });
});

interface Row {
  readonly id: string;
  readonly cat: string;
  readonly pattern: string;
  readonly subject: string;
  readonly literal_expected: boolean;
  readonly reason: string;
}
const rows = readCorpus<Row>("regex").filter(({ cat }) => cat === "mode");

describe("regex.jsonl: what of a pattern is plain text, and what a regex", () => {
  test.each(rows)(
    "$id: $pattern in $subject is $literal_expected ($reason)",
    async ({ pattern, subject, ...row }) => {
      const { call } = await openMounts({}, { f: `first\n${subject}\nlast\n` });
      const { matches } = await call("fs.search", { path: "@project/f", pattern, before: 0, after: 0 });
      expect((matches as { line: number }[]).map(({ line }) => line)).toEqual(
        row.literal_expected ? [2] : [],
      );
    },
  );

  test.each([
    ["/foo/", { pattern: "foo", regex: true, ignoreCase: false }],
    ["/foo/i", { pattern: "foo", regex: true, ignoreCase: true }],
    ["/a\\/b/", { pattern: "a\\/b", regex: true, ignoreCase: false }],
    ["/[/]/", { pattern: "[/]", regex: true, ignoreCase: false }],
    ["/usr/lib/g", { pattern: "/usr/lib/g", regex: false, ignoreCase: false }],
    ["/foo/ii", { pattern: "/foo/ii", regex: false, ignoreCase: false }],
    ["//", { pattern: "//", regex: false, ignoreCase: false }],
  ])("%s is read as %j", (text, read) => expect(readSearchPattern(text)).toEqual(read));
});
