import type { CodePoints } from "./code-points.ts";
import { BYTES, FORK, type NfaState } from "./nfa.ts";
import { type CharacterStates, characterStates, DONE } from "./utf8-states.ts";

/** The states of an automaton that is being built, from its end to its start. */
export interface NfaStates {
  readonly all: readonly NfaState[];
  /** One character of the set, then `next`. */
  addCharacter(points: CodePoints, next: number): number;
  addFree(kind: number, next: readonly number[]): number;
  /** A fork whose targets are set later, for loops. */
  addLoop(): { readonly id: number; lead(next: readonly number[]): void };
}

/** The allowed number of arcs per state, on average: a class of scattered characters has a hundred. */
const ARCS_PER_STATE = 10;

/** `tooMany` throws; it is called when the number of states would exceed `max`. */
export function createNfaStates(max: number, tooMany: () => never): NfaStates {
  const all: NfaState[] = [];
  let arcCount = 0;
  // A repeated part is added several times.
  const characters = new Map<CodePoints, CharacterStates>();

  function add(state: NfaState): number {
    arcCount += state.arcs.length;
    if (all.length >= max || arcCount > max * ARCS_PER_STATE) tooMany();
    return all.push(state) - 1;
  }

  return {
    all,
    addCharacter(points, next) {
      const states = characters.get(points) ?? characterStates(points);
      characters.set(points, states);
      const first = all.length;
      for (const arcs of states) {
        const leading = arcs.map((arc) => ({ ...arc, next: arc.next === DONE ? next : first + arc.next }));
        add({ kind: BYTES, arcs: leading, next: [] });
      }
      return all.length - 1;
    },
    addFree: (kind, next) => add({ kind, arcs: [], next }),
    addLoop() {
      const id = add({ kind: FORK, arcs: [], next: [] });
      const lead = (next: readonly number[]) => {
        all[id] = { kind: FORK, arcs: [], next };
      };
      return { id, lead };
    },
  };
}
