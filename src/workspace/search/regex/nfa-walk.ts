import { isWordByte } from "./byte-columns.ts";
import { type Arc, AT_END, AT_START, AT_WORD, BYTES, FORK, MATCH, type Nfa } from "./nfa.ts";

/** What comes next where no byte does: the line's end, or what is not known yet. */
export const LINE_END = -1;
const NOT_KNOWN = -2;

/** A place between two bytes. */
export interface NfaPosition {
  readonly behindWord: boolean;
  readonly atStart: boolean;
}

/** States that the automaton may be in, without those it passes on its way. */
export interface StateSet {
  /** In order. */
  readonly ids: Uint16Array;
  readonly matched: boolean;
  /** Whether some wait for what comes next. */
  readonly waits: boolean;
}

export interface NfaWalk {
  /** Where a line begins, or where in it nothing has begun to match. */
  begin(atStart: boolean): StateSet;
  /** What becomes of the set once it is known what comes next: a byte, or LINE_END. */
  resolve(ids: Uint16Array, place: NfaPosition, next: number): StateSet;
  /** Takes one byte. A match may begin behind it. */
  take(ids: Uint16Array, byte: number): StateSet;
  /** How many states were looked at, ever: what the work is measured by. */
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

  /** Follows all free moves from a state. */
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
