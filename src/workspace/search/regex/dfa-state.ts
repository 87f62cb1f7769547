import type { NfaPosition } from "./nfa-walk.ts";

/** A state of the DFA: all that matters of the text read so far. */
export interface DfaState extends NfaPosition {
  /** States of the nondeterministic automaton, in order. */
  readonly ids: Uint16Array;
  /** Whether some of them depend on the next input. If none does, the position does not matter. */
  readonly waits: boolean;
  /** A \r was read; the next byte decides whether it is text. */
  readonly heldCr: boolean;
}

const WAITS = 1;
const BEHIND_WORD = 2;
const AT_START = 4;
const HELD_CR = 8;

/** Equal states have equal keys. */
export function encodeState({ ids, waits, behindWord, atStart, heldCr }: DfaState): string {
  const place = (behindWord ? BEHIND_WORD : 0) + (atStart ? AT_START : 0);
  const flags = (waits ? WAITS + place : 0) + (heldCr ? HELD_CR : 0);
  const units = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength).toString("utf16le");
  return String.fromCharCode(flags) + units;
}

export function decodeState(text: string): DfaState {
  const flags = text.charCodeAt(0);
  const ids = new Uint16Array(text.length - 1);
  for (let at = 0; at < ids.length; at++) ids[at] = text.charCodeAt(at + 1);
  return {
    ids,
    waits: (flags & WAITS) !== 0,
    behindWord: (flags & BEHIND_WORD) !== 0,
    atStart: (flags & AT_START) !== 0,
    heldCr: (flags & HELD_CR) !== 0,
  };
}
