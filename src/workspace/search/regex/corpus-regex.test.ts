// The rows of test/corpus/regex.jsonl about patterns. Those of cat "mode" are about what is a pattern.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { HotcellError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/limits.ts";
import { analyseRegex, compileRegex } from "./compile-regex.ts";
import { createLazyDfa } from "./lazy-dfa.ts";
import { createLineMatcher } from "./line-matcher.ts";

type Text = string | { readonly gen: readonly (readonly [part: string, count: number])[] };

interface Row {
  readonly id: string;
  readonly cat: string;
  readonly pattern: Text;
  readonly subject: Text;
  readonly match?: boolean;
  readonly reason: string;
  readonly seed?: string;
}

const ROWS = readFileSync(new URL("../../../../test/corpus/regex.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line): Row => JSON.parse(line));

const CASE = { ignoreCase: false };
/** V8 takes seconds where a part stands nine times. */
const SHORT = 4;
const REFUSED = new Set(["re-027", "re-034", "re-035", "re-037", "re-038"]);
const BACKTRACKING = new Set(["re-017", "re-066", "re-068"]);

const titled = (row: Row) => ({ ...row, title: row.id === "re-001" ? "re-001 (000's pitfall 5)" : row.id });
const regular = (row: Row) => !REFUSED.has(row.id) && !BACKTRACKING.has(row.id);
const rowsOf = (...cats: string[]) => ROWS.filter(({ cat }) => cats.includes(cat)).map(titled);
const written = (text: Text, times = 1, max = Number.POSITIVE_INFINITY): string =>
  typeof text === "string"
    ? text
    : text.gen.map(([part, count]) => part.repeat(count === 1 ? 1 : Math.min(count * times, max))).join("");

test("every row of the corpus is of a kind that is known here", () => {
  expect(
    ROWS.map(({ cat }) => cat).filter((cat) => !/^(?:evil|size|invalid|benign|mode)$/.test(cat)),
  ).toEqual([]);
  expect(rowsOf("evil", "size", "invalid", "benign").length).toBeGreaterThan(40);
});

describe("patterns that make a backtracking engine hang", () => {
  const rows = rowsOf("evil", "size").filter(regular);

  test.each(rows)("$title: $pattern finds in a short text what V8 finds", ({ pattern, subject }) => {
    const text = written(subject, 1, SHORT);
    const { matcher } = compileRegex(written(pattern), CASE);
    const bytes = Buffer.from(text);
    expect(matcher!.find(bytes, 0, bytes.length) >= 0).toBe(new RegExp(written(pattern)).test(text));
  });

  test.each(rows)(
    "$title: $pattern takes work in proportion to the text, even with no table",
    ({ pattern, subject }) => {
      const once = workFor(written(pattern), written(subject), NO_TABLE);
      const tenfold = workFor(written(pattern), written(subject, 10), NO_TABLE);
      expect(once.work).toBeLessThanOrEqual(once.bound);
      expect(tenfold.work).toBeLessThanOrEqual(tenfold.bound);
    },
  );

  test.each(rows)(
    "$title: $pattern takes no more work for a text that goes on alike",
    ({ pattern, subject }) => {
      const tenfold = workFor(written(pattern), written(subject, 10), LIMITS);
      const hundredfold = workFor(written(pattern), written(subject, 100), LIMITS);
      expect(hundredfold.work).toBe(tenfold.work);
    },
  );

  const NO_TABLE = { maxTableEntries: 0, maxSetEntries: 0 };

  /** In states looked at: for each byte, and for each column when it begins, no more than all of them three times. */
  function workFor(pattern: string, text: string, limits: typeof NO_TABLE) {
    const { nfa } = analyseRegex(pattern, CASE);
    const dfa = createLazyDfa(nfa!, limits);
    const bytes = Buffer.from(text);
    createLineMatcher(dfa).find(bytes, 0, bytes.length);
    return { work: dfa.work(), bound: 3 * nfa!.states.length * (bytes.length + 256) };
  }
});

describe("what is refused", () => {
  const rows = [...rowsOf("evil", "size").filter(({ id }) => REFUSED.has(id)), ...rowsOf("invalid")];

  test.each(rows)("$title: $reason", ({ pattern }) => {
    expect(refusalOf(written(pattern))).toMatch(
      /^The pattern ".{1,200} cannot be searched for: it .+\. (?:Correct it|Give a simpler pattern)\.$/,
    );
  });

  function refusalOf(pattern: string): string {
    try {
      compileRegex(pattern, CASE);
      return "";
    } catch (error) {
      if (error instanceof HotcellError && error.code === "INVALID_ARGUMENTS") return error.message;
      throw error;
    }
  }
});

describe("ordinary patterns", () => {
  test.each(rowsOf("benign").filter(regular))(
    "$title: $pattern finds its line",
    ({ pattern, subject, match }) => {
      const bytes = Buffer.from(written(subject));
      expect(compileRegex(written(pattern), CASE).matcher!.find(bytes, 0, bytes.length) >= 0).toBe(match);
    },
  );
});

describe("patterns that need backtracking", () => {
  const rows = rowsOf("evil", "benign").filter(({ id }) => BACKTRACKING.has(id));

  test.each(rows)(
    "$title: $pattern has no matcher, and a RegExp that finds its line",
    ({ pattern, subject, match }) => {
      const { matcher, regexp } = compileRegex(written(pattern), CASE);
      expect(matcher).toBeNull();
      expect(regexp.test(written(subject, 1, SHORT))).toBe(match ?? false);
    },
  );
});
