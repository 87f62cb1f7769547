import { CR, isWordByte, LF } from "./byte-columns.ts";
import type { DfaState } from "./dfa-state.ts";
import { LINE_END, type NfaWalk } from "./nfa-walk.ts";

/** Stands for the end of the text in place of a byte. */
export const TEXT_END = -1;

/**
 * The transition for a byte or for the end of the text. Returns the next state; or, after a match, how many bytes ago it
 * ended; or null at the end of a line without a match. A match may have ended up to two bytes ago: `$` and `\b` need the
 * next byte, and a \r is held back.
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
  // At the start of a line, the end of the text means that there is no further line.
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

/** The state at the start of a line, or within a line when no match has begun. */
export function startState(walk: NfaWalk, atStart: boolean): DfaState {
  const { ids, waits, matched } = walk.begin(atStart);
  // An empty match waits too: it needs to know that there is a line.
  return { ids, waits: waits || matched, behindWord: false, atStart, heldCr: false };
}
