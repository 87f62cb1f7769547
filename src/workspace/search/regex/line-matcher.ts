import { LF } from "./byte-columns.ts";
import type { LazyDfa } from "./lazy-dfa.ts";

export interface LineMatcher {
  /**
   * Looks at the lines of bytes[from, to): `from` is where a line begins, `to` stands behind a line's \n or at the
   * end of the text. Gives the offset just behind the match that ends first, in the first line that has one; -1 when
   * none has. Between two \n there is always a line, but none behind the last \n: an empty range has no line.
   */
  find(bytes: Uint8Array, from: number, to: number): number;
  /** For lines that come in pieces. Any number of feeds may be under way, also beside `find`. */
  begin(): LineFeed;
}

/** Lines in pieces that are cut anywhere, also within a character or within \r\n. Keeps no text. */
export interface LineFeed {
  /**
   * As `find`, for the next piece; -1 when nothing is decided yet. A match that is only now known to have ended in
   * an earlier piece gives `from`. Of no use after a match.
   */
  feed(bytes: Uint8Array, from: number, to: number): number;
  /** The text ends here: whether its last line, if it has no \n, has a match that was not decided yet. */
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
  // The row itself may be given to another state between two pieces.
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
  /** Offset just behind the match, or -1. */
  readonly ended: number;
  /** Where the automaton stands when there was none. */
  readonly row: number;
}

/** Four bytes at a time: the loops are bound by what stands around each byte. */
function runFrom(dfa: LazyDfa, first: number, bytes: Uint8Array, from: number, to: number): Run {
  const { columns, home, start } = dfa;
  const toFour = to - 3;
  let table = dfa.table();
  let row = first;
  let at = from;
  while (at < to) {
    if (row === home) {
      at = dfa.staysHome ? lineEnd(bytes, at, to) : skipHome(dfa.leavesHome, bytes, at, to);
      if (at === to) break;
    }
    if (at < toFour) {
      // What is not known and what is a match lead to 0, and from there they stay.
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

function skipHome(leaves: Uint8Array, bytes: Uint8Array, from: number, to: number): number {
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
