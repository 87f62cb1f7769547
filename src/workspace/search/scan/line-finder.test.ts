import fc from "fast-check";
import { expect, test } from "vitest";
import { assertProperty } from "../../../../test/kit/assert-property.ts";
import { queryFor } from "../../../../test/kit/search-query.ts";
import { createLineFinder, type LineFinder } from "./line-finder.ts";
import { createScanMemory, WINDOW_BYTES, WINDOW_START } from "./scan-memory.ts";

const memory = createScanMemory();

function finderFor(pattern: string): Promise<LineFinder> {
  memory.clear();
  return createLineFinder(memory, queryFor(pattern, { regex: true }));
}

/** They are looked for by the bytes that they begin with, by one of several literals, or only where a line begins. */
const PATTERNS = [
  "ab1|b1a|1é1",
  "a(?:ab1|b ab)[ab]",
  "^ab",
  "^a.*b1$",
  "^a|^\\r",
  "[a-f]{3}1",
  "^[a-f]{3}1?",
  "[a-f]{3}$",
  "\\b[a-f]{3}",
  "\\B[a-f]{3}\\b",
  "[^1][a-f]{3}1",
  ".[a-f]{3}[1b]",
  "(?:[a-f]|é)[a-f1]{2}\\r?",
];
const lines = fc
  .array(fc.constantFrom("a", "b", "1", " ", "é", "\r"), { maxLength: 40 })
  .map((chars) => chars.join(""));

test("only lines are found that V8 finds, and all of them", async () => {
  for (const pattern of PATTERNS) {
    const finder = await finderFor(pattern);
    const property = fc.property(fc.array(lines, { maxLength: 5 }), (texts) => {
      const to = WINDOW_START + memory.bytes.write(texts.join("\n"), WINDOW_START);
      finder.begin(to);
      const found: string[] = [];
      for (let at = WINDOW_START; at < to; ) {
        const place = finder.next(at);
        if (place < 0) break;
        const start = memory.lineStart(place, at);
        at = memory.lineEnd(place, to) + 1;
        found.push(memory.bytes.toString("utf8", start, Math.min(at, to)).replace(/\r?\n$/, ""));
      }
      const shown = texts.join("\n").split(/\r?\n/);
      expect(found).toEqual(shown.filter((line) => line !== "" && new RegExp(pattern, "s").test(line)));
    });
    assertProperty(property, { numRuns: 500 });
  }
});

test("a line in pieces matches when V8 finds it whole, wherever it is cut", async () => {
  for (const pattern of PATTERNS) {
    const finder = await finderFor(pattern);
    const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 });
    const property = fc.property(lines, sizes, (line, cuts) => {
      fc.pre(line !== "" && !line.endsWith("\r"));
      expect(matchesInPieces(finder, line, cuts)).toBe(new RegExp(pattern, "s").test(line));
    });
    assertProperty(property, { numRuns: 1000 });
  }
});

function matchesInPieces(finder: LineFinder, line: string, sizes: readonly number[]): boolean {
  const end = WINDOW_START + memory.bytes.write(line, WINDOW_START);
  const pieces = finder.longLine();
  let fresh = WINDOW_START;
  for (const size of [...sizes, end - WINDOW_START]) {
    const to = Math.min(fresh + size, end);
    if (to > fresh && pieces.next(Math.max(WINDOW_START, fresh - pieces.overlap), fresh, to) >= 0)
      return true;
    fresh = to;
  }
  return pieces.end();
}

test("one of several literals is found behind many places where one only seems to begin", async () => {
  const begins = "a".repeat(20);
  const finder = await finderFor(`${begins}bx|${begins}cx`);
  const text = `${"a".repeat(100_000)}\n${begins}cx\n`;
  const to = WINDOW_START + memory.bytes.write(text, WINDOW_START);
  for (let windows = 0; windows < 3; windows++) {
    finder.begin(to);
    expect(finder.next(WINDOW_START)).toBe(WINDOW_START + 100_001);
  }
});

test("a line is found behind many where a match only seems to begin", async () => {
  const finder = await finderFor("[A-Z]{3}-[0-9]{4}x");
  const text = "ABC-1234\n".repeat(100_000);
  const to = WINDOW_START + memory.bytes.write(text, WINDOW_START);
  for (let windows = 0; windows < 12; windows++) {
    finder.begin(to);
    expect(finder.next(WINDOW_START)).toBe(-1);
  }
  const behind = to + memory.bytes.write("ABC-1234x\n", to);
  finder.begin(behind);
  expect(finder.next(WINDOW_START)).toBe(behind - 1);
  expect(text.length).toBeLessThan(WINDOW_BYTES);
});
