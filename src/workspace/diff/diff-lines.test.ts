import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import { diffLines, type LineEdit } from "./diff-lines.ts";

/** Few different lines: many ways to align them. */
const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 25 });

function applied(edits: readonly LineEdit[], before: readonly string[], after: readonly string[]): string[] {
  const result: string[] = [];
  let at = 0;
  for (const { oldStart, oldEnd, newStart, newEnd } of edits) {
    result.push(...before.slice(at, oldStart), ...after.slice(newStart, newEnd));
    at = oldEnd;
  }
  return result.concat(before.slice(at));
}

const lengthOf = (edits: readonly LineEdit[]): number =>
  edits.reduce((sum, edit) => sum + edit.oldEnd - edit.oldStart + edit.newEnd - edit.newStart, 0);

/** The length of the shortest way, by the table of common subsequences. */
function shortest(before: readonly string[], after: readonly string[]): number {
  let row = Array.from({ length: after.length + 1 }, () => 0);
  for (const line of before) {
    const next = [0];
    after.forEach((other, index) => {
      next.push(line === other ? row[index]! + 1 : Math.max(row[index + 1]!, next[index]!));
    });
    row = next;
  }
  return before.length + after.length - 2 * row.at(-1)!;
}

describe("the edits of two lists of lines", () => {
  test("lead from one to the other, are the fewest, and have a line that stayed between them", () => {
    assertProperty(
      fc.property(lines, lines, (before, after) => {
        const edits = diffLines(before, after);
        expect(applied(edits, before, after)).toEqual(after);
        expect(lengthOf(edits)).toBe(shortest(before, after));
        for (const [index, edit] of edits.slice(1).entries()) {
          const stayed = edit.oldStart - edits[index]!.oldEnd;
          expect(stayed).toBeGreaterThan(0);
          expect(edit.newStart - edits[index]!.newEnd).toBe(stayed);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test("still lead there when the limit of steps is met", () => {
    let cut = 0;
    assertProperty(
      fc.property(lines, lines, fc.nat(40), (before, after, maxSteps) => {
        const edits = diffLines(before, after, maxSteps);
        expect(applied(edits, before, after)).toEqual(after);
        if (lengthOf(edits) > shortest(before, after)) cut++;
      }),
    );
    expect(cut).toBeGreaterThan(0);
  });

  test("are one replacement between the first and the last difference when the limit of steps is met", () => {
    const before = ["same", "1", "x", "2", "end"];
    const after = ["same", "3", "x", "4", "end"];
    expect(diffLines(before, after).length).toBe(2);
    expect(diffLines(before, after, 2)).toEqual([{ oldStart: 1, oldEnd: 4, newStart: 1, newEnd: 4 }]);
  });

  test("of half a million lines with nothing in common are found within the limit", () => {
    const before = Array.from({ length: 500_000 }, (_, line) => `${line}`);
    const after = Array.from({ length: 500_000 }, (_, line) => `-${line}`);
    expect(diffLines(before, after)).toEqual([
      { oldStart: 0, oldEnd: 500_000, newStart: 0, newEnd: 500_000 },
    ]);
  });
});
