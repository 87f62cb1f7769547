// A nondeterministic automaton over bytes. A match goes from `start`, by bytes and by epsilon moves, to MATCH.

/** Kinds of states. */
export const BYTES = 0;
export const FORK = 1;
export const MATCH = 2;
export const AT_START = 3;
export const AT_END = 4;
export const AT_WORD = 5;
export const AT_INSIDE = 6;

export interface NfaState {
  readonly kind: number;
  /** BYTES: ranges of bytes and the next state of each, in order. */
  readonly arcs: readonly Arc[];
  /** All other kinds: the targets of epsilon moves. */
  readonly next: readonly number[];
}

export interface Arc {
  readonly from: number;
  readonly to: number;
  readonly next: number;
}

export interface Nfa {
  readonly states: readonly NfaState[];
  readonly start: number;
}
