// Finds the lines that match a query. The finder in the memory finds literals. For other patterns, only lines are
// matched that have one of the required literals, or a place where a match may begin.

import type { SearchQuery } from "../../files/search-query.ts";
import { refuseLineBreak } from "../not-searchable.ts";
import type { CompiledRegex } from "../regex/compile-regex.ts";
import type { LineMatcher } from "../regex/line-matcher.ts";
import { MAX_ROW_LENGTH } from "./byte-row.ts";
import { type Filter, needleSet } from "./needle-set.ts";
import type { ByteRow, Needle, ScanMemory } from "./scan-memory.ts";
import { withoutReturn } from "./shown-line.ts";

/** With more literals than this, only the matcher runs: each literal is a separate pass over the text. */
const MAX_NEEDLES = 8;
/** The maximum share of places where a match may begin. Above it, most lines have such a place, and a literal of one byte filters as well. */
const MAX_LIKELIHOOD = 1 / 100;
/** The bytes that may be matched in vain before the filter must prove useful. */
const SPARE_BYTES = 8 * 1024 * 1024;
const NOT_ASCII = /[^\x00-\x7F]/;

export interface LineFinder {
  readonly engine: "linear" | "backtracking";
  /** Must be called first for each text in the memory, which ends at `to`. */
  begin(to: number): void;
  /** A place in the first matching line at or after `from`, which is the start of a line; -1 if none matches. */
  next(from: number): number;
  /** For one line that arrives in pieces. */
  longLine(): LinePieces;
}

export interface LinePieces {
  /** This many last bytes of a piece are repeated before the next piece. */
  readonly overlap: number;
  /** A place in the bytes [from, to) that makes the line match, or -1; [from, fresh) is repeated from the last piece. */
  next(from: number, fresh: number, to: number): number;
  /** Called at the end of the line: whether the end completes a match. */
  end(): boolean;
}

/** Null if the query has to be matched as a pattern. */
export function createLiteralFinder(memory: ScanMemory, query: SearchQuery): LineFinder | null {
  const { pattern, regex, ignoreCase } = query;
  if (regex || (ignoreCase && NOT_ASCII.test(pattern))) return null;
  const needles = needlesFor(memory, [ignoreCase ? pattern.toLowerCase() : pattern], ignoreCase);
  return needles && literalFinder(memory, needles);
}

export async function createLineFinder(memory: ScanMemory, query: SearchQuery): Promise<LineFinder> {
  const literal = createLiteralFinder(memory, query);
  if (literal !== null) return literal;
  const { pattern, regex, ignoreCase } = query;
  // Only patterns need the parser, which is slow to load.
  const { compileRegex } = await import("../regex/compile-regex.ts");
  const compiled = compileRegex(regex ? pattern : escapePattern(pattern), { ignoreCase });
  if (compiled.needsLineBreak) throw refuseLineBreak();
  return regexFinder(memory, compiled, ignoreCase);
}

function regexFinder(memory: ScanMemory, compiled: CompiledRegex, ignoreCase: boolean): LineFinder {
  const { matcher, required, regexp } = compiled;
  const needles = required && needlesFor(memory, required, ignoreCase);
  if (needles !== null && compiled.exact) return literalFinder(memory, needles);
  const judge = matcher === null ? backtrackingFinder(memory, regexp) : linearFinder(memory, matcher);
  const row = rowFor(memory, compiled);
  const longLine = row === null ? judge.longLine : () => laterPieces(memory, row, judge);
  if (row !== null && !needles?.every(({ length }) => length > 1))
    return { ...withFilter(memory, rowFilter(memory, row), judge, SPARE_BYTES), longLine };
  return needles === null ? judge : { ...withFilter(memory, needleSet(memory, needles), judge), longLine };
}

function rowFor(memory: ScanMemory, compiled: CompiledRegex): ByteRow | null {
  const row = memory.row(compiled.firstBytes(MAX_ROW_LENGTH));
  return row !== null && row.likelihood <= MAX_LIKELIHOOD ? row : null;
}

const escapePattern = (literal: string): string => literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Null if the literals cannot be searched one by one. */
function needlesFor(memory: ScanMemory, literals: readonly string[], ignoreCase: boolean): Needle[] | null {
  if (literals.length === 0 || literals.length > MAX_NEEDLES) return null;
  if (ignoreCase && literals.some((literal) => NOT_ASCII.test(literal))) return null;
  const needles = literals.map((literal) => memory.needle(Buffer.from(literal), ignoreCase));
  return needles.every((needle) => needle !== null) ? needles : null;
}

/** Matches a line in pieces, starting at the first place where a match may begin. */
function laterPieces(memory: ScanMemory, row: ByteRow, judge: LineFinder): LinePieces {
  let begun: LinePieces | null = null;
  return {
    overlap: row.length,
    next(from, fresh, to) {
      if (begun !== null) return begun.next(from, fresh, to);
      const place = memory.findRow(row, Math.max(from, fresh - row.length + 1), to);
      if (place < 0) return -1;
      begun = judge.longLine();
      // Includes the byte before, where no match begins: `^` and `\b` depend on it.
      const start = Math.max(from, place - 1);
      return begun.next(start, start, to);
    },
    end: () => begun?.end() ?? false,
  };
}

function rowFilter(memory: ScanMemory, row: ByteRow): Filter {
  let end = 0;
  return {
    begin(to) {
      end = to;
    },
    next: (from) => memory.findRow(row, from, end),
  };
}

function literalFinder(memory: ScanMemory, needles: readonly Needle[]): LineFinder {
  const { begin, next } = needleSet(memory, needles);
  const overlap = Math.max(...needles.map(({ length }) => length)) - 1;
  return {
    engine: "linear",
    begin,
    next,
    longLine: () => ({
      overlap,
      next(from, _fresh, to) {
        begin(to);
        return next(from);
      },
      end: () => false,
    }),
  };
}

function linearFinder({ bytes }: ScanMemory, matcher: LineMatcher): LineFinder {
  let end = 0;
  return {
    engine: "linear",
    begin(to) {
      end = to;
    },
    next: (from) => matcher.find(bytes, from, end),
    longLine() {
      const feed = matcher.begin();
      return {
        overlap: 0,
        next: (_from, fresh, to) => feed.feed(bytes, fresh, to),
        end: feed.end,
      };
    },
  };
}

/** Judges only lines that the filter finds. Once more than half of the text was judged in vain, beyond the spared bytes, judges all lines. */
function withFilter(
  memory: ScanMemory,
  filter: Filter,
  judge: LineFinder,
  sparedBytes = Number.POSITIVE_INFINITY,
): Omit<LineFinder, "longLine"> {
  let end = 0;
  let spare = sparedBytes;
  return {
    engine: judge.engine,
    begin(to) {
      end = to;
      filter.begin(to);
    },
    next(from) {
      let at = from;
      while (at < end && spare >= 0) {
        const candidate = filter.next(at);
        const start = candidate < 0 ? end : memory.lineStart(candidate, at);
        spare += start - at;
        if (candidate < 0) return -1;
        const behind = Math.min(memory.lineEnd(candidate, end) + 1, end);
        judge.begin(behind);
        const found = judge.next(start);
        if (found >= 0) return found;
        spare -= behind - start;
        at = behind;
      }
      if (at >= end) return -1;
      judge.begin(end);
      return judge.next(at);
    },
  };
}

function backtrackingFinder(memory: ScanMemory, regexp: RegExp): LineFinder {
  const { bytes, lineEnd } = memory;
  const matches = (from: number, to: number) =>
    regexp.test(bytes.toString("utf8", from, withoutReturn(bytes, from, to)));
  let end = 0;
  return {
    engine: "backtracking",
    begin(to) {
      end = to;
    },
    next(from) {
      for (let at = from; at < end; ) {
        const stop = lineEnd(at, end);
        if (matches(at, stop)) return at;
        at = stop + 1;
      }
      return -1;
    },
    // Such a pattern sees only the beginning of a line that does not fit into the window.
    longLine() {
      let isFirst = true;
      return {
        overlap: 0,
        next(from, _fresh, to) {
          const found = isFirst && matches(from, to) ? from : -1;
          isFirst = false;
          return found;
        },
        end: () => false,
      };
    },
  };
}
