import { expect, test } from "vitest";
import type { Io } from "../io.ts";
import { paintDiff, wantsColour } from "./paint-diff.ts";

const DIFF = `diff --git a/x b/x
--- a/x
+++ b/x
@@ -1,2 +1,2 @@
 same
--- was a comment
+++ is one
\\ No newline at end of file
diff --git a/y b/y
new file mode 100644
`;

test("colours headers, hunks and lines, and does not take a line for a header", () => {
  expect(paintDiff(DIFF, true).split("\n")).toEqual([
    "\u001b[1mdiff --git a/x b/x\u001b[m",
    "\u001b[1m--- a/x\u001b[m",
    "\u001b[1m+++ b/x\u001b[m",
    "\u001b[36m@@ -1,2 +1,2 @@\u001b[m",
    " same",
    "\u001b[31m--- was a comment\u001b[m",
    "\u001b[32m+++ is one\u001b[m",
    "\\ No newline at end of file",
    "\u001b[1mdiff --git a/y b/y\u001b[m",
    "\u001b[1mnew file mode 100644\u001b[m",
    "",
  ]);
  expect(paintDiff(DIFF, false)).toBe(DIFF);
});

test.each([true, false])(
  "leaves nothing that a terminal obeys, and keeps tabs (coloured: %j)",
  (coloured) => {
    const painted = paintDiff("@@ -0,0 +1 @@\n+\tif\u001b[2J\r\u009b1A\u2028\u{e0041}\udcff\n", coloured);
    expect(painted).toContain("+\tif\\u{1b}[2J\\u{d}\\u{9b}1A\\u{2028}\\u{e0041}\\u{dcff}");
  },
);

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
])("with the environment %j and a terminal: %j, there is colour: %j", (env, isTerminal, colour) => {
  expect(wantsColour({ env } as Io, isTerminal)).toBe(colour);
});
