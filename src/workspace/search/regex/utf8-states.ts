import { type CodePoints, withoutSurrogates } from "./code-points.ts";
import type { Arc } from "./nfa.ts";

/**
 * The arcs of states that take one character of a set, in UTF-8. An arc leads to an earlier state, by index, or to DONE.
 * The last state is the first to enter.
 */
export type CharacterStates = readonly (readonly Arc[])[];

export const DONE = -1;

/** Characters by the length of their encoding. `span`: the number of code points per value of the first byte; `mark`: the fixed bits of that byte. */
const LEADS = [
  { first: 0, last: 0x7f, span: 1, mark: 0 },
  { first: 0x80, last: 0x7ff, span: 0x40, mark: 0xc0 },
  { first: 0x800, last: 0xffff, span: 0x1000, mark: 0xe0 },
  { first: 0x10000, last: 0x10ffff, span: 0x40000, mark: 0xf0 },
];
const CONTINUATION = 0x80;

export function characterStates(points: CodePoints): CharacterStates {
  const all: (readonly Arc[])[] = [];
  // Equal suffixes share one state.
  const known = new Map<string, number>();

  function tailOf(below: CodePoints, span: number): number {
    if (span === 1) return DONE;
    const arcs = arcsOf(below, span / 64, CONTINUATION);
    const key = arcs.map(({ from, to, next }) => `${from}-${to}-${next}`).join();
    const id = known.get(key) ?? all.push(arcs) - 1;
    known.set(key, id);
    return id;
  }

  /** `span`: the number of code points per value of the byte. */
  function arcsOf(some: CodePoints, span: number, mark: number): Arc[] {
    return blocksOf(some, span).map(({ from, to, below }) => ({
      from: mark + from,
      to: mark + to,
      next: tailOf(below, span),
    }));
  }

  const valid = withoutSurrogates(points);
  all.push(LEADS.flatMap(({ first, last, span, mark }) => arcsOf(cut(valid, first, last), span, mark)));
  return all;
}

interface Block {
  readonly from: number;
  readonly to: number;
  /** The part of each value's span that is in the set, relative to the start of the span. */
  readonly below: CodePoints;
}

function blocksOf(points: CodePoints, span: number): Block[] {
  const blocks: Block[] = [];
  const open: { at: number; below: [number, number][] } = { at: -1, below: [] };
  const close = () => {
    if (open.below.length > 0) blocks.push({ from: open.at, to: open.at, below: open.below });
    open.below = [];
  };
  for (const [first, last] of points) {
    let at = first;
    while (at <= last) {
      const value = Math.floor(at / span);
      const whole = Math.floor((last + 1) / span);
      if (at === value * span && whole > value) {
        close();
        blocks.push({ from: value, to: whole - 1, below: [[0, span - 1]] });
        at = whole * span;
      } else {
        if (open.at !== value) close();
        open.at = value;
        const end = Math.min(last, (value + 1) * span - 1);
        open.below.push([at - value * span, end - value * span]);
        at = end + 1;
      }
    }
  }
  close();
  return blocks;
}

function cut(points: CodePoints, first: number, last: number): CodePoints {
  return points
    .filter(([from, to]) => from <= last && to >= first)
    .map(([from, to]) => [Math.max(from, first), Math.min(to, last)]);
}
