import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import { HotcellError } from "../../core/errors.ts";
import { hunksOf } from "../../workspace/diff/hunks.ts";
import { applyUnifiedDiff } from "./apply-unified-diff.ts";

const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join("");
const NO_NEWLINE = "\\ No newline at end of file";

function diffOf(before: string, after: string): string {
  return lines(...hunksOf("x", before, after).flatMap(({ header, lines }) => [header, ...lines]));
}

describe("a unified diff", () => {
  const text = fc
    .tuple(
      fc.array(fc.constantFrom("a", "b", "", "-- c", "++ d", "\\ e", "f\r", "@@ -1 +1 @@", " ", "é\udcff")),
      fc.boolean(),
    )
    .map(([all, ends]) => all.join("\n") + (ends ? "\n" : ""));

  test("of any two texts leads from one to the other", () => {
    assertProperty(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        expect(applyUnifiedDiff(before, diffOf(before, after))).toBe(after);
      }),
      { numRuns: 1000 },
    );
  });

  test("of any two texts fits no third text that differs in a line of it", () => {
    assertProperty(
      fc.property(text, text, fc.nat(), (before, after, at) => {
        const [hunk] = hunksOf("x", before, after);
        fc.pre(hunk !== undefined && hunk.oldLines > 0);
        const all = before.split("\n");
        all[hunk!.oldStart - 1 + (at % hunk!.oldLines)] += "!";
        expect(() => applyUnifiedDiff(all.join("\n"), diffOf(before, after))).toThrow(
          "Could not apply hunk 1",
        );
      }),
      { numRuns: 500 },
    );
  });

  test("of any lines is applied or refused, and nothing else is thrown", () => {
    const line = fc.constantFrom(
      "@@ -1 +1 @@",
      "@@ -1,2 +0,0 @@",
      "@@ -0,0 +1 @@",
      "-a",
      "+b",
      " a",
      "",
      NO_NEWLINE,
      "--- x",
      "?",
    );
    assertProperty(
      fc.property(fc.array(line), (diff) => {
        try {
          expect(applyUnifiedDiff("a\na\n", diff.join("\n"))).toMatch(/^[ab+\n -]*$/);
        } catch (error) {
          expect((error as HotcellError).code, String(error)).toBe("PATCH_FAILED");
        }
      }),
      { numRuns: 1000 },
    );
  });

  test.each<[what: string, before: string, diff: string[], after: string]>([
    [
      "without lines of context",
      "1\n2\n3\n",
      ["@@ -1,0 +2 @@", "+new", "@@ -3 +3,0 @@", "-3"],
      "1\nnew\n2\n",
    ],
    ["that adds to an empty file", "", ["--- /dev/null", "+++ b/x", "@@ -0,0 +1,2 @@", "+1", "+2"], "1\n2\n"],
    ["that adds at the top", "1\n", ["@@ -0,0 +1 @@", "+0"], "0\n1\n"],
    ["that removes everything", "1\n2\n", ["@@ -1,2 +0,0 @@", "-1", "-2"], ""],
    ["with a hunk of nothing", "1\n", ["@@ -1,0 +1,0 @@"], "1\n"],
    [
      "from git",
      "1\n",
      [
        "diff --git a/x b/x",
        "index 1234567..89abcde 100644",
        "--- a/x",
        "+++ b/x",
        "@@ -1 +1 @@ section",
        "-1",
        "+2",
      ],
      "2\n",
    ],
    ["that takes the last newline", "1\n", ["@@ -1 +1 @@", "-1", "+1", NO_NEWLINE], "1"],
    ["that gives the last newline", "1", ["@@ -1 +1 @@", "-1", NO_NEWLINE, "+1"], "1\n"],
    ["of lines that end with CRLF", "1\r\n2\r\n", ["@@ -1,2 +1,2 @@", " 1\r", "-2\r", "+3\r"], "1\r\n3\r\n"],
    [
      "whose empty context lost its blank",
      "1\n\n2\n\n",
      ["@@ -1,4 +1,4 @@", "-1", "+0", "", " 2", ""],
      "0\n\n2\n\n",
    ],
    ["with empty lines behind it", "1\n", ["@@ -1 +1 @@", "-1", "+2", "", ""], "2\n"],
    ["whose lines look like headers", "-- a\n", ["@@ -1 +1 @@", "--- a", "+++ b"], "++ b\n"],
    ["with a wrong line on its new side", "1\n2\n", ["@@ -2 +77 @@", "-2", "+3"], "1\n3\n"],
  ])("%s is applied", (_, before, diff, after) => {
    expect(applyUnifiedDiff(before, lines(...diff))).toBe(after);
  });

  test("may lack its own last newline", () => {
    expect(applyUnifiedDiff("1\n", "@@ -1 +1 @@\n-1\n+2")).toBe("2\n");
  });

  const long = "x".repeat(100);
  test.each<[what: string, before: string, diff: string[], reason: string, details: object]>([
    [
      "another line",
      "1\n2\n3\n",
      ["@@ -1 +1 @@", "-1", "+0", "@@ -2,2 +2,2 @@ f()", " 2", "-4", "+5"],
      'hunk 2 (@@ -2,2 +2,2 @@): line 3 should be "4", but is "3"',
      { hunk: 2, line: 3 },
    ],
    [
      "the same lines one line below, and two",
      "0\n1\n1\n",
      ["@@ -1 +1 @@", "-1", "+2"],
      'hunk 1 (@@ -1 +1 @@): line 1 should be "1", but is "0"',
      { hunk: 1, line: 1 },
    ],
    [
      "a long line that differs late",
      `${long}1\n`,
      ["@@ -1 +1 @@", `-${long}2`, "+"],
      `hunk 1 (@@ -1 +1 @@): line 1 should be …"${"x".repeat(20)}2", but is …"${"x".repeat(20)}1"`,
      { hunk: 1, line: 1 },
    ],
    [
      "too few lines",
      "1\n",
      ["@@ -1,2 +1 @@", " 1", "-2"],
      'hunk 1 (@@ -1,2 +1 @@): line 2 should be "2", but the file ends before it',
      { hunk: 1, line: 2 },
    ],
    [
      "no line there",
      "1\n",
      ["@@ -9 +9 @@", "-3", "+2"],
      "hunk 1 (@@ -9 +9 @@): the file ends after line 1",
      { hunk: 1 },
    ],
    [
      "CRLF where the patch has LF",
      "1\r\n",
      ["@@ -1 +1 @@", "-1", "+2"],
      'hunk 1 (@@ -1 +1 @@): line 1, "1", should end with LF, but ends with CR LF',
      { hunk: 1, line: 1 },
    ],
    [
      "no last newline where the patch has one",
      "1",
      ["@@ -1 +1 @@", "-1", "+2"],
      'hunk 1 (@@ -1 +1 @@): line 1, "1", should end with LF, but ends with no newline',
      { hunk: 1, line: 1 },
    ],
    [
      "a last line that another would be joined to",
      "1",
      ["@@ -1,0 +2 @@", "+2"],
      'hunk 1 (@@ -1,0 +2 @@): "1" has no newline at its end, but another line would follow',
      { hunk: 1 },
    ],
    [
      "more lines behind one without a newline",
      "1\n2\n",
      ["@@ -1 +1 @@", "-1", "+3", NO_NEWLINE],
      'hunk 1 (@@ -1 +1 @@): "3" has no newline at its end, but another line would follow',
      { hunk: 1 },
    ],
    [
      "hunks that overlap",
      "1\n2\n",
      ["@@ -1,2 +1,2 @@", "-1", "+0", " 2", "@@ -2 +2 @@", "-2", "+3"],
      "hunk 2 (@@ -2 +2 @@): it begins before the end of the previous hunk",
      { hunk: 2 },
    ],
    [
      "hunks out of order",
      "1\n2\n",
      ["@@ -2 +2 @@", "-2", "+3", "@@ -1 +1 @@", "-1", "+0"],
      "hunk 2 (@@ -1 +1 @@): it begins before the end of the previous hunk",
      { hunk: 2 },
    ],
  ])("that meets %s is refused", (_, before, diff, reason, details) => {
    expect(() => applyUnifiedDiff(before, lines(...diff))).toThrow(
      new HotcellError(
        "PATCH_FAILED",
        `Could not apply ${reason}. Read the file again and create a new patch.`,
        details as Record<string, unknown>,
      ),
    );
  });

  const FIRST = ["@@ -1 +1 @@", "-a", "+A"];
  test.each<[what: string, before: string, diff: string[], next: string]>([
    ["further down", lines("a", "b", "c"), ["@@ -1,2 +1,2 @@", " b", "-c", "+C"], "applies at line 2"],
    ["further up", lines("a", "b", "c"), ["@@ -9,2 +9,2 @@", "-a", "+A", " b"], "applies at line 1"],
    ["at the end without a newline", "a\nb\nb", ["@@ -1 +1 @@", "-b", NO_NEWLINE, "+c"], "applies at line 3"],
    [
      "behind the hunk above",
      lines("a", "b", "c"),
      [...FIRST, "@@ -2 +2 @@", "-c", "+C"],
      "applies at line 3",
    ],
    [
      "only before the hunk above",
      lines("b", "a", "c"),
      ["@@ -2 +2 @@", "-a", "+A", "@@ -3 +2,0 @@", "-b"],
      "create a new patch",
    ],
    ["twice", lines("a", "b", "b"), ["@@ -1 +1 @@", "-b", "+B"], "create a new patch"],
    ["as part of a line", lines("a", "xb"), ["@@ -1 +1 @@", "-b", "+B"], "create a new patch"],
    ["nowhere", lines("a"), ["@@ -1 +1 @@", "-b", "+B"], "create a new patch"],
  ])("whose lines stand %s is refused, and says so when there is one place", (_, before, diff, next) => {
    expect(() => applyUnifiedDiff(before, lines(...diff))).toThrow(next);
  });

  const beyond = "changes more than lines of text, which fs.apply_patch cannot do";
  const hunk = ["@@ -1 +1 @@", "-1", "+2"];
  test.each<[what: string, diff: string[], reason: string]>([
    ["no hunk", ["--- a/x", "+++ b/x"], "it has no hunk: no line begins with @@"],
    ["nothing", [], "it has no hunk: no line begins with @@"],
    [
      "too few lines",
      ["@@ -1,2 +1,2 @@", "-1", "+2"],
      "hunk 1 (@@ -1,2 +1,2 @@) has fewer lines than its header says",
    ],
    [
      "too few lines before the next hunk",
      ["@@ -1,2 +1,2 @@", "-1", "+2", ...hunk],
      "hunk 1 (@@ -1,2 +1,2 @@) has fewer lines than its header says",
    ],
    [
      "too many removed lines",
      ["@@ -1 +1,2 @@", "-1", "-2", "+3", "+4"],
      "hunk 1 (@@ -1 +1,2 @@) has more lines than its header says",
    ],
    ["too many added lines", [...hunk, "+3"], "hunk 1 (@@ -1 +1 @@) has more lines than its header says"],
    [
      "too many lines of context",
      [...hunk, " 3"],
      "hunk 1 (@@ -1 +1 @@) has more lines than its header says",
    ],
    ["line 0", ["@@ -0 +1 @@", "-1", "+2"], "hunk 1 (@@ -0 +1 @@) begins at line 0"],
    [
      "a header that is none",
      ["@@ ... @@", "-1", "+2"],
      'its line 1 does not belong to a unified diff: "@@ ... @@"',
    ],
    [
      "a code fence around it",
      ["```diff", ...hunk, "```"],
      'its line 1 does not belong to a unified diff: "```diff"',
    ],
    [
      "words behind it",
      [...hunk, "That's it."],
      'its line 4 does not belong to a unified diff: "That\'s it."',
    ],
    [
      "two files",
      ["--- a/x", "+++ b/x", ...hunk, "--- a/y", "+++ b/y", ...hunk],
      "a second file begins at its line 6; send one patch for each file",
    ],
    [
      "two files from git",
      ["diff --git a/x b/x", ...hunk, "diff --git a/y b/y", ...hunk],
      "a second file begins at its line 5; send one patch for each file",
    ],
    [
      "two files, one without hunks",
      ["diff --git a/x b/x", "diff --git a/y b/y", ...hunk],
      "a second file begins at its line 2; send one patch for each file",
    ],
    ["a new mode", ["old mode 100644", "new mode 100755", ...hunk], `"old mode 100644" ${beyond}`],
    ["a deletion of the file", ["deleted file mode 100644", ...hunk], `"deleted file mode 100644" ${beyond}`],
    [
      "a new name",
      ["diff --git a/x b/y", "similarity index 90%", "rename from x", ...hunk],
      `"similarity index 90%" ${beyond}`,
    ],
    [
      "bytes",
      ["diff --git a/x b/x", "index 12..34", "GIT binary patch", "literal 3"],
      `"GIT binary patch" ${beyond}`,
    ],
    [
      "bytes that are not shown",
      ["Binary files a/x and b/x differ"],
      `"Binary files a/x and b/x differ" ${beyond}`,
    ],
  ])("with %s is refused", (_, diff, reason) => {
    expect(() => applyUnifiedDiff("1\n2\n", lines(...diff))).toThrow(
      new HotcellError("PATCH_FAILED", `Could not read the patch: ${reason}. Create a new patch.`),
    );
  });
});
