// A nondeterministic automaton over bytes. A match goes forward from `start`, by bytes and by free moves, to MATCH.

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
  /** BYTES: from which byte to which, and where then. In order. */
  readonly arcs: readonly Arc[];
  /** All others: where it goes on without a byte. */
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
