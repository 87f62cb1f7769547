// Looking for several literals at once, of which one is enough.
import type { ByteRow, Needle, ScanMemory } from "./scan-memory.ts";

/** Without a place that it finds in it, no line matches. */
export interface Filter {
  begin(to: number): void;
  /** The first place at or behind `from`, or -1. */
  next(from: number): number;
}

/** At more places than this one of the literals may seem to begin: then a pass for each is less work than to look at all these. */
const MAX_LIKELIHOOD = 1 / 500;
/** What may be done in vain beyond as many bytes as were passed over. */
const SPARE_BYTES = 64 * 1024;
/** What it takes to stop at a place, whatever is compared there. */
const STOP_BYTES = 100;

export function needleSet(memory: ScanMemory, needles: readonly Needle[]): Filter {
  if (needles.length === 1) return alone(memory, needles[0]!);
  const oneByOne = separately(memory, needles);
  const row = memory.row(memory.firstBytes(needles));
  if (row === null || row.likelihood > MAX_LIKELIHOOD) return oneByOne;
  return together(memory, needles, row, oneByOne);
}

function alone(memory: ScanMemory, needle: Needle): Filter {
  let end = 0;
  return {
    begin(to) {
      end = to;
    },
    next: (from) => memory.find(needle, from, end),
  };
}

/** One pass for all, that stops where one may begin. */
function together(memory: ScanMemory, needles: readonly Needle[], row: ByteRow, instead: Filter): Filter {
  const { bytes, findRow } = memory;
  let end = 0;
  let patience = SPARE_BYTES;

  const isAt = ({ start, length }: Needle, place: number): boolean => {
    if (place + length > end) return false;
    let same = 0;
    while (same < length && (bytes[place + same]! | bytes[start + length + same]!) === bytes[start + same])
      same++;
    patience -= same + 1;
    return same === length;
  };

  return {
    begin(to) {
      end = to;
      instead.begin(to);
    },
    next(from) {
      for (let at = from; patience >= 0; at++) {
        const place = findRow(row, at, end);
        patience += (place < 0 ? end : place) - at;
        if (place < 0 || needles.some((needle) => isAt(needle, place))) return place;
        patience -= STOP_BYTES;
        at = place;
      }
      return instead.next(from);
    },
  };
}

/** A pass for each. */
function separately(memory: ScanMemory, needles: readonly Needle[]): Filter {
  // Where each was last found: behind `from` that is still true.
  const places = needles.map(() => 0);
  let end = 0;
  return {
    begin(to) {
      end = to;
      places.fill(0);
    },
    next(from) {
      let nearest = end;
      needles.forEach((needle, index) => {
        if (places[index]! < from) {
          const found = memory.find(needle, from, end);
          places[index] = found < 0 ? end : found;
        }
        nearest = Math.min(nearest, places[index]!);
      });
      return nearest === end ? -1 : nearest;
    },
  };
}
