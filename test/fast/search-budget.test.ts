// What a model gets of a search fits the budget of an observation, in whatever form it gets it.
import { expect, test } from "vitest";
import { toToolMessage } from "../../src/doors/to-tool-message.ts";
import { openTempCell } from "../kit/worlds/temp-cell.ts";

const DEEP = `${"a-long-name-of-a-directory/".repeat(5)}file.txt`;
test.each([
  ["short lines in a deep directory", { [DEEP]: "x\n".repeat(2000) }, 0],
  ["their context", { [DEEP]: "x\ny\ny\ny\n".repeat(1000) }, 20],
  ["lines in Chinese", { "a.txt": `x${"漢字".repeat(20)}\n`.repeat(2000) }, 0],
  ["lines that JSON escapes", { "a.txt": `x${'\\"'.repeat(40)}\n`.repeat(2000) }, 3],
])("search_files shows 32 KiB at once, as JSON and as text: %s", async (_, files, context) => {
  const { cell } = await openTempCell({ trust: "autonomous" }, files);
  const args = { pattern: "x", context, max_results: 1000 };
  const observation = await cell.call({ name: "search_files", arguments: args });
  const { note, ...output } = observation.output!;
  const { content } = toToolMessage({ ...observation, output }, "openai");
  const sizes = [JSON.stringify(output.matches), String(content)].map((text) => Buffer.byteLength(text));
  expect(Math.max(...sizes)).toBeGreaterThan(24_000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(32 * 1024);
  expect(note).toContain("matches are shown.");
});
