// A DFA that is built from the NFA during the search: each of its states represents a set of NFA states.
import { advance, startState, TEXT_END } from "./advance.ts";
import { byteColumns, CR, LF } from "./byte-columns.ts";
import { createDfaRows, FIRST_ROW, type RowLimits } from "./dfa-rows.ts";
import { decodeState, encodeState } from "./dfa-state.ts";
import type { Nfa } from "./nfa.ts";
import { createNfaWalk } from "./nfa-walk.ts";

export interface LazyDfa {
  /**
   * Entry `row + column` is the next row. 0: not known yet, `step` computes it. A number n from 1 to `start` - 1: a match
   * that ended n - 1 bytes ago. From both, all entries lead to 0. `step` may replace the table.
   */
  table(): Int32Array;
  /** By byte. */
  readonly columns: Uint8Array;
  /** The row at the start of a line. */
  readonly start: number;
  /** The row within a line when no match has begun; -1 if a loop for this row does not pay off. */
  readonly idleRow: number;
  /** By byte: 1 if it leads out of the idle row. */
  readonly leavesIdle: Uint8Array;
  /** Whether the idle row is final for the line: no match can begin before the next \n or \r\n. */
  readonly staysIdle: boolean;
  step(row: number, column: number): number;
  /** How many bytes ago a match ended if the text ends here; -1 if there is no match. */
  matchAtEnd(row: number): number;
  /** The state of a row, which stays valid when the table is cleared. */
  keyOf(row: number): string;
  rowOf(key: string): number;
  /** Call this with the number of bytes read. */
  read(bytes: number): void;
  /** The number of visited NFA states in total, as a measure of the work. */
  work(): number;
}

export interface WorkLimits {
  /** The limit is `maxSpareWork` plus this for each byte that was read. */
  readonly maxWorkPerByte: number;
  readonly maxSpareWork: number;
  /** Throws. */
  readonly tooMuch: () => never;
}

/** Without limits of work, a step takes time proportional to the size of the NFA. */
export function createLazyDfa(nfa: Nfa, limits: RowLimits, workLimits: WorkLimits | null = null): LazyDfa {
  const walk = createNfaWalk(nfa);
  const { columnOf, samples } = byteColumns(nfa);
  const idleKey = encodeState(startState(walk, false));
  const rows = createDfaRows(samples.length, limits, [encodeState(startState(walk, true)), idleKey]);
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

  const idleRow = rows.rowOf(idleKey);
  const leaves = samples.map((_, column) => (step(idleRow, column) === idleRow ? 0 : 1));
  const leavesIdle = columnOf.map((column) => leaves[column]!);
  const isEndOfLine = (byte: number): boolean => byte === LF || byte === CR;
  const staysIdle = (): boolean => {
    if (leavesIdle.some((leads, byte) => leads === 1 && !isEndOfLine(byte))) return false;
    const both = [idleRow, step(idleRow, columnOf[CR]!)];
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
    idleRow: isWorthWaiting(leavesIdle) ? idleRow : -1,
    leavesIdle,
    staysIdle: staysIdle(),
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

/** False if common characters leave the idle row: leaving it all the time costs more than it saves. */
function isWorthWaiting(leavesIdle: Uint8Array): boolean {
  const common = Buffer.from(" etaoinsrhldcu");
  return common.filter((byte) => leavesIdle[byte] === 1).length <= 3;
}
