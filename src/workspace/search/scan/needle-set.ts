// Searches for several literals at once; one of them is enough.
import type { ByteRow, Needle, ScanMemory } from "./scan-memory.ts";

/** A line without a place that the filter finds cannot match. */
export interface Filter {
  begin(to: number): void;
  /** The first place at or after `from`, or -1. */
  next(from: number): number;
}

/** If one of the literals may begin at a larger share of places, a pass for each literal is less work than checking these places. */
const MAX_LIKELIHOOD = 1 / 500;
/** The work that may be wasted beyond the number of bytes that were skipped. */
const SPARE_BYTES = 64 * 1024;
/** The fixed cost of a stop at a place, besides the comparisons. */
const STOP_BYTES = 100;

export function needleSet(memory: ScanMemory, needles: readonly Needle[]): Filter {
  if (needles.length === 1) return singleFilter(memory, needles[0]!);
  const oneByOne = separateFilter(memory, needles);
  const row = memory.row(memory.firstBytes(needles));
  if (row === null || row.likelihood > MAX_LIKELIHOOD) return oneByOne;
  return combinedFilter(memory, needles, row, oneByOne);
}

function singleFilter(memory: ScanMemory, needle: Needle): Filter {
  let end = 0;
  return {
    begin(to) {
      end = to;
    },
    next: (from) => memory.find(needle, from, end),
  };
}

/** One pass for all literals, which stops where one may begin. */
function combinedFilter(
  memory: ScanMemory,
  needles: readonly Needle[],
  row: ByteRow,
  instead: Filter,
): Filter {
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

/** One pass for each literal. */
function separateFilter(memory: ScanMemory, needles: readonly Needle[]): Filter {
  // The last place found for each needle; valid while it is not before `from`.
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
