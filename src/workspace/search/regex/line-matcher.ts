import { LF } from "./byte-columns.ts";
import type { LazyDfa } from "./lazy-dfa.ts";

export interface LineMatcher {
  /**
   * Searches the lines of bytes[from, to). `from` is the start of a line; `to` is after a \n or at the end of the text.
   * Returns the end of the match that ends first, in the first line with a match; -1 if no line has one. There is a line
   * between two \n, but none after the last \n: an empty range has no line.
   */
  find(bytes: Uint8Array, from: number, to: number): number;
  /** For lines that arrive in chunks. Several feeds and `find` may be in use at the same time. */
  begin(): LineFeed;
}

/** Takes lines in chunks that are cut anywhere, also within a character or within \r\n. Keeps no text. */
export interface LineFeed {
  /**
   * Like `find`, for the next chunk; -1 if there is no match yet. Returns `from` for a match that ended in an earlier
   * chunk but was confirmed only now. Do not use the feed after a match.
   */
  feed(bytes: Uint8Array, from: number, to: number): number;
  /** Call this at the end of the text. Returns whether its last line, without a \n, has a match that was not confirmed yet. */
  end(): boolean;
}

export function createLineMatcher(dfa: LazyDfa): LineMatcher {
  return {
    find(bytes, from, to) {
      const run = runFrom(dfa, dfa.start, bytes, from, to);
      dfa.read((run.ended < 0 ? to : run.ended) - from);
      if (run.ended >= 0) return run.ended;
      const delay = run.row === dfa.start ? -1 : dfa.matchAtEnd(run.row);
      return delay < 0 ? -1 : to - delay;
    },
    begin: () => createFeed(dfa),
  };
}

function createFeed(dfa: LazyDfa): LineFeed {
  // The row may be reused for another state between two chunks.
  let kept = dfa.keyOf(dfa.start);
  return {
    feed(bytes, from, to) {
      const run = runFrom(dfa, dfa.rowOf(kept), bytes, from, to);
      dfa.read(to - from);
      kept = dfa.keyOf(run.row);
      return run.ended < 0 ? -1 : Math.max(run.ended, from);
    },
    end: () => dfa.matchAtEnd(dfa.rowOf(kept)) >= 0,
  };
}

interface Run {
  /** The end of the match, or -1. */
  readonly ended: number;
  /** The state of the automaton if there was no match. */
  readonly row: number;
}

/** Four bytes per iteration, because the loop overhead dominates. */
function runFrom(dfa: LazyDfa, first: number, bytes: Uint8Array, from: number, to: number): Run {
  const { columns, idleRow, start } = dfa;
  const toFour = to - 3;
  let table = dfa.table();
  let row = first;
  let at = from;
  while (at < to) {
    if (row === idleRow) {
      at = dfa.staysIdle ? lineEnd(bytes, at, to) : skipIdle(dfa.leavesIdle, bytes, at, to);
      if (at === to) break;
    }
    if (at < toFour) {
      // Unknown transitions and matches lead to row 0, and row 0 leads to itself.
      const one = table[(row + columns[bytes[at]!]!) | 0]!;
      const two = table[(one + columns[bytes[at + 1]!]!) | 0]!;
      const three = table[(two + columns[bytes[at + 2]!]!) | 0]!;
      const four = table[(three + columns[bytes[at + 3]!]!) | 0]!;
      if (four >= start) {
        row = four;
        at += 4;
        continue;
      }
    }
    const column = columns[bytes[at++]!]!;
    const next = table[row + column] || dfa.step(row, column);
    if (next < start) return { ended: at - (next - 1), row: start };
    table = dfa.table();
    row = next;
  }
  return { ended: -1, row };
}

function lineEnd(bytes: Uint8Array, from: number, to: number): number {
  const at = bytes.indexOf(LF, from);
  return at < 0 || at > to ? to : at;
}

function skipIdle(leaves: Uint8Array, bytes: Uint8Array, from: number, to: number): number {
  const toFour = to - 3;
  let at = from;
  while (at < toFour) {
    const left =
      leaves[bytes[at]!]! | leaves[bytes[at + 1]!]! | leaves[bytes[at + 2]!]! | leaves[bytes[at + 3]!]!;
    if (left !== 0) break;
    at += 4;
  }
  while (at < to && leaves[bytes[at]!] === 0) at++;
  return at;
}
