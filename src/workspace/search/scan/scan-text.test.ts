import { expect, test } from "vitest";
import { queryFor } from "../../../../test/kit/search-query.ts";
import type { Hit } from "../workers/messages.ts";
import { createLiteralFinder } from "./line-finder.ts";
import { createScanMemory, WINDOW_BYTES } from "./scan-memory.ts";
import { createScanText } from "./scan-text.ts";

const LONG_LINE = "y".repeat(2 * WINDOW_BYTES);
const TEXT = Buffer.from(`foo\nfoo\n${LONG_LINE}\n\nlast\n`);

/** Scans the text; `stopsAfter` is the number of reads after which no more results are wanted. */
function scan(stopsAfter: number): { lines: number[]; after: readonly string[][] } {
  const memory = createScanMemory();
  const query = queryFor("foo", { after: 3, maxLineChars: 10 });
  let [position, reads, isAtEnd] = [0, 0, false];
  const source = {
    read(bytes: Buffer, at: number, length: number) {
      const got = TEXT.copy(bytes, at, position, position + length);
      [position, reads, isAtEnd] = [position + got, reads + 1, got === 0];
      return got;
    },
    ended: () => isAtEnd,
  };
  const hits: Hit[] = [];
  const finder = createLiteralFinder(memory, query)!;
  const scanText = createScanText({ memory, finder, query, stopped: () => reads > stopsAfter });
  scanText(source, { onHit: (hit) => hits.push(hit), onPartlySearched() {} });
  return { lines: hits.map(({ line }) => line), after: hits.map(({ after }) => [...after]) };
}

test("the lines after a hit are found behind a line that does not fit into the window", () => {
  const long = `${"y".repeat(10)}…`;
  expect(scan(Number.POSITIVE_INFINITY)).toEqual({
    lines: [1, 2],
    after: [
      ["foo", long, ""],
      [long, "", "last"],
    ],
  });
});

test("a scan that is stopped gives no hit whose lines after it were not read", () => {
  for (let reads = 1; reads < 4; reads++) {
    const { after } = scan(reads);
    expect(after.filter((lines) => lines.length < 3)).toEqual([]);
  }
});
