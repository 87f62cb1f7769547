import { CR, isWordByte, LF } from "./byte-columns.ts";
import type { DfaState } from "./dfa-state.ts";
import { LINE_END, type NfaWalk } from "./nfa-walk.ts";

/** In place of a byte: the text is over. */
export const TEXT_END = -1;

/**
 * What a state becomes by a byte, or at the text's end: a state, or how many bytes ago a match ended, or null when the
 * line is over without one. It is up to two: `$` and `\b` need the byte behind, and a \r is held back.
 */
export function advance(walk: NfaWalk, state: DfaState, next: number): DfaState | number | null {
  if (!state.heldCr) return read(walk, state, next);
  if (next === LF) return resolve(walk, state, LINE_END).matched ? 2 : null;
  const behindCr = take(walk, state, CR);
  if (typeof behindCr !== "number") return read(walk, behindCr, next);
  return next === TEXT_END ? behindCr : behindCr + 1;
}

function read(walk: NfaWalk, state: DfaState, next: number): DfaState | number | null {
  if (next === CR) return { ...state, heldCr: true };
  if (next === LF) return resolve(walk, state, LINE_END).matched ? 1 : null;
  if (next !== TEXT_END) return take(walk, state, next);
  // Where a line would begin, there is none.
  return !state.atStart && resolve(walk, state, LINE_END).matched ? 0 : null;
}

function take(walk: NfaWalk, state: DfaState, byte: number): DfaState | number {
  const before = resolve(walk, state, byte);
  if (before.matched) return 1;
  const { ids, waits, matched } = walk.take(before.ids, byte);
  return matched ? 0 : { ids, waits, behindWord: isWordByte(byte), atStart: false, heldCr: false };
}

function resolve(walk: NfaWalk, state: DfaState, next: number) {
  return state.waits ? walk.resolve(state.ids, state, next) : { ids: state.ids, matched: false };
}

/** Where a line begins, or where in it nothing has begun to match. */
export function beginning(walk: NfaWalk, atStart: boolean): DfaState {
  const { ids, waits, matched } = walk.begin(atStart);
  // A match of nothing waits too: for the line.
  return { ids, waits: waits || matched, behindWord: false, atStart, heldCr: false };
}
