// The automaton made deterministic while it reads: a state of this one stands for a set of states of the other.
import { advance, beginning, TEXT_END } from "./advance.ts";
import { byteColumns, CR, LF } from "./byte-columns.ts";
import { createDfaRows, FIRST_ROW, type RowLimits } from "./dfa-rows.ts";
import { decodeState, encodeState } from "./dfa-state.ts";
import type { Nfa } from "./nfa.ts";
import { createNfaWalk } from "./nfa-walk.ts";

export interface LazyDfa {
  /**
   * Entry `row + column` is the next row. 0: not known yet, `step` finds it; else below `start`: a match that ended
   * so many bytes ago, and one more. Going on from either gives 0. `step` may replace the table.
   */
  table(): Int32Array;
  /** By byte. */
  readonly columns: Uint8Array;
  /** The row where a line begins. */
  readonly start: number;
  /** The row within a line where nothing has begun to match; -1 when it is not worth waiting there. */
  readonly home: number;
  /** By byte: 1 when it leads away from home. */
  readonly leavesHome: Uint8Array;
  /** Whether nothing but a line's end, by \n or \r\n, leads away for good: nothing can match in the rest of it. */
  readonly staysHome: boolean;
  step(row: number, column: number): number;
  /** How many bytes ago a match ended if the text ends here; -1 when there is none. */
  matchAtEnd(row: number): number;
  /** What a row stands for, which outlives the table. */
  keyOf(row: number): string;
  rowOf(key: string): number;
  /** To be told how much was read. */
  read(bytes: number): void;
  /** States of the other automaton that were looked at, ever: what the work is measured by. */
  work(): number;
}

export interface WorkLimits {
  /** For each byte that was read, and once. */
  readonly maxWorkPerByte: number;
  readonly maxSpareWork: number;
  /** Throws. */
  readonly tooMuch: () => never;
}

/** Without limits of work a step takes time with the size of the other automaton. */
export function createLazyDfa(nfa: Nfa, limits: RowLimits, workLimits: WorkLimits | null = null): LazyDfa {
  const walk = createNfaWalk(nfa);
  const { columnOf, samples } = byteColumns(nfa);
  const homeKey = encodeState(beginning(walk, false));
  const rows = createDfaRows(samples.length, limits, [encodeState(beginning(walk, true)), homeKey]);
  const start = FIRST_ROW * samples.length;
  let allowed = workLimits?.maxSpareWork ?? Number.POSITIVE_INFINITY;

  function step(row: number, column: number): number {
    if (walk.work() > allowed) workLimits?.tooMuch();
    const reached = advance(walk, decodeState(rows.keyOf(row)), samples[column]!);
    if (reached !== null && typeof reached === "object") return rows.lead(row, column, encodeState(reached));
    const to = reached === null ? start : reached + 1;
    rows.table()[row + column] = to;
    return to;
  }

  const matchAtEnd = (row: number): number => {
    const reached = advance(walk, decodeState(rows.keyOf(row)), TEXT_END);
    return typeof reached === "number" ? reached : -1;
  };

  const home = rows.rowOf(homeKey);
  const leaves = samples.map((_, column) => (step(home, column) === home ? 0 : 1));
  const leavesHome = columnOf.map((column) => leaves[column]!);
  const isEndOfLine = (byte: number): boolean => byte === LF || byte === CR;
  const staysHome = (): boolean => {
    if (leavesHome.some((leads, byte) => leads === 1 && !isEndOfLine(byte))) return false;
    const both = [home, step(home, columnOf[CR]!)];
    const goesBack = (row: number, column: number): boolean => {
      const next = step(row, column);
      return column === columnOf[LF] ? next === start : next === both[column === columnOf[CR] ? 1 : 0];
    };
    return both.every(
      (row) => row >= start && matchAtEnd(row) < 0 && samples.every((_, column) => goesBack(row, column)),
    );
  };
  return {
    table: rows.table,
    columns: columnOf,
    start,
    home: isWorthWaiting(leavesHome) ? home : -1,
    leavesHome,
    staysHome: staysHome(),
    step,
    matchAtEnd,
    keyOf: rows.keyOf,
    rowOf: rows.rowOf,
    read(bytes) {
      allowed += bytes * (workLimits?.maxWorkPerByte ?? 0);
    },
    work: walk.work,
  };
}

/** Not where common characters lead away: home would be left all the time, which costs more than it saves. */
function isWorthWaiting(leavesHome: Uint8Array): boolean {
  const common = Buffer.from(" etaoinsrhldcu");
  return common.filter((byte) => leavesHome[byte] === 1).length <= 3;
}
