import { AT_END, AT_INSIDE, AT_START, AT_WORD, FORK, MATCH, type Nfa } from "./nfa.ts";
import { createNfaStates, type NfaStates } from "./nfa-states.ts";
import type { Edge, Shape } from "./shape.ts";

interface NfaLimit {
  readonly maxStates: number;
  readonly tooMany: () => never;
}

const KIND_OF_EDGE: Readonly<Record<Edge, number>> = {
  start: AT_START,
  end: AT_END,
  word: AT_WORD,
  inside: AT_INSIDE,
};

/** Null if no finite automaton matches the shape. */
export function buildNfa(shape: Shape, { maxStates, tooMany }: NfaLimit): Nfa | null {
  if (!isRegular(shape)) return null;
  const states = createNfaStates(maxStates, tooMany);
  const start = add(states, shape, states.addFree(MATCH, []));
  return { states: states.all, start };
}

function isRegular(shape: Shape): boolean {
  switch (shape.kind) {
    case "sequence":
      return shape.parts.every(isRegular);
    case "choice":
      return shape.options.every(isRegular);
    case "repeat":
      return isRegular(shape.part);
    default:
      return shape.kind !== "look" && shape.kind !== "unknown";
  }
}

/** Adds states for the shape that continue at `next`, and returns the first of them. */
function add(states: NfaStates, shape: Shape, next: number): number {
  switch (shape.kind) {
    case "one":
      return states.addCharacter(shape.of, next);
    case "sequence":
      return shape.parts.reduceRight((behind, part) => add(states, part, behind), next);
    case "choice":
      return states.addFree(
        FORK,
        shape.options.map((option) => add(states, option, next)),
      );
    case "repeat":
      return addRepeat(states, shape, next);
    case "edge":
      return states.addFree(KIND_OF_EDGE[shape.at], [next]);
    default:
      throw new Error(`no automaton for ${shape.kind}`);
  }
}

function addRepeat(
  states: NfaStates,
  { part, min, max }: Extract<Shape, { kind: "repeat" }>,
  next: number,
): number {
  if (max === Number.POSITIVE_INFINITY) return addCopies(states, part, min, addLoop(states, part, next));
  let first = next;
  for (let left = max - min; left > 0; left--) {
    first = states.addFree(FORK, [add(states, part, first), next]);
  }
  return addCopies(states, part, min, first);
}

function addLoop(states: NfaStates, part: Shape, next: number): number {
  const loop = states.addLoop();
  loop.lead([add(states, part, loop.id), next]);
  return loop.id;
}

function addCopies(states: NfaStates, part: Shape, count: number, next: number): number {
  let first = next;
  for (let left = count; left > 0; left--) first = add(states, part, first);
  return first;
}
