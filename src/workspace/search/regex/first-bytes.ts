import { BYTES, MATCH, type Nfa } from "./nfa.ts";

/** By byte: 1 if the byte belongs to the set. */
export type ByteSet = Uint8Array;

/** Each match begins with a byte of the first set, then one of the second, and so on. There are as many sets as the shortest match has bytes, at most `most`. */
export function firstBytes({ states, start }: Nfa, most: number): readonly ByteSet[] {
  const sets: ByteSet[] = [];
  for (let reached = [start]; sets.length < most; ) {
    const taking = beforeBytes(states, reached);
    if (taking === null) break;
    const arcs = taking.flatMap((id) => states[id]!.arcs);
    const set = new Uint8Array(256);
    for (const { from, to } of arcs) set.fill(1, from, to + 1);
    sets.push(set);
    reached = arcs.map(({ next }) => next);
  }
  return sets;
}

/** The states that take a byte, through all epsilon moves, with their conditions ignored; null if one leads to a match. */
function beforeBytes(states: Nfa["states"], from: readonly number[]): readonly number[] | null {
  const seen = new Set(from);
  for (const id of seen) {
    if (states[id]!.kind === MATCH) return null;
    for (const next of states[id]!.next) seen.add(next);
  }
  return [...seen].filter((id) => states[id]!.kind === BYTES);
}
