import { isWordByte } from "./byte-columns.ts";
import { type Arc, AT_END, AT_START, AT_WORD, BYTES, FORK, MATCH, type Nfa } from "./nfa.ts";

/** The next input if it is not a byte: the end of the line, or unknown. */
export const LINE_END = -1;
const NOT_KNOWN = -2;

/** A position between two bytes. */
export interface NfaPosition {
  readonly behindWord: boolean;
  readonly atStart: boolean;
}

/** The possible states of the automaton, without those that epsilon moves pass through. */
export interface StateSet {
  /** In order. */
  readonly ids: Uint16Array;
  readonly matched: boolean;
  /** Whether some states depend on the next input. */
  readonly waits: boolean;
}

export interface NfaWalk {
  /** The set at the start of a line, or within a line when no match has begun. */
  begin(atStart: boolean): StateSet;
  /** The set after the next input is known: a byte, or LINE_END. */
  resolve(ids: Uint16Array, place: NfaPosition, next: number): StateSet;
  /** Takes one byte. A match may begin after it. */
  take(ids: Uint16Array, byte: number): StateSet;
  /** The number of visited states in total, as a measure of the work. */
  work(): number;
}

export function createNfaWalk({ states, start }: Nfa): NfaWalk {
  const seen = new Uint32Array(states.length);
  // A bit for each state: read in order, they need no sorting.
  const found = new Uint32Array(Math.ceil(states.length / 32));
  const open: number[] = [];
  let round = 0;
  let count = 0;
  let matched = false;
  let waits = false;
  let work = 0;

  function reset(): void {
    // Rounds are counted in 32 bits; a mark from 4 billion rounds ago must not count.
    round = (round + 1) >>> 0;
    if (round === 0) seen.fill(0);
    round ||= 1;
    count = 0;
    matched = false;
    waits = false;
  }

  /** Follows all epsilon moves from a state. */
  function visit(from: number, place: NfaPosition, next: number): void {
    open.push(from);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (seen[id] === round) continue;
      seen[id] = round;
      work++;
      const { kind, next: onward } = states[id]!;
      if (kind === MATCH) matched = true;
      if (kind === MATCH || kind === BYTES) keep(id);
      else if (kind === FORK) for (const to of onward) open.push(to);
      else if (kind === AT_START) {
        if (place.atStart) open.push(onward[0]!);
      } else if (next === NOT_KNOWN) {
        waits = true;
        keep(id);
      } else if (holds(kind, place, next)) open.push(onward[0]!);
    }
  }

  function keep(id: number): void {
    found[id >>> 5]! |= 1 << (id & 31);
    count++;
  }

  function result(): StateSet {
    const ids = new Uint16Array(count);
    let at = 0;
    for (let word = 0; at < count; word++) {
      for (let bits = found[word]!; bits !== 0; bits &= bits - 1) {
        ids[at++] = word * 32 + 31 - Math.clz32(bits & -bits);
      }
      found[word] = 0;
    }
    return { ids, matched, waits };
  }

  return {
    begin(atStart) {
      reset();
      visit(start, { behindWord: false, atStart }, NOT_KNOWN);
      return result();
    },
    resolve(ids, place, next) {
      reset();
      for (const id of ids) visit(id, place, next);
      return result();
    },
    take(ids, byte) {
      reset();
      const place = { behindWord: isWordByte(byte), atStart: false };
      for (const id of ids) {
        work++;
        const arc = arcFor(states[id]!.arcs, byte);
        if (arc !== null) visit(arc.next, place, NOT_KNOWN);
      }
      visit(start, place, NOT_KNOWN);
      return result();
    },
    work: () => work,
  };
}

function arcFor(arcs: readonly Arc[], byte: number): Arc | null {
  for (const arc of arcs) if (byte <= arc.to) return byte >= arc.from ? arc : null;
  return null;
}

function holds(kind: number, { behindWord }: NfaPosition, next: number): boolean {
  if (kind === AT_END) return next === LINE_END;
  const beforeWord = isWordByte(next);
  if (kind === AT_WORD) return beforeWord !== behindWord;
  // `\B` holds between characters only, and no character begins with one of these.
  return beforeWord === behindWord && (next < 0x80 || next > 0xbf);
}
