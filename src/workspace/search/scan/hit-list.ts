// The hits of one file, each with the lines around it. Lines after a hit may be in the next window.

import type { SearchQuery } from "../../files/search-query.ts";
import type { Hit } from "../workers/messages.ts";
import type { ScanMemory } from "./scan-memory.ts";
import { type LinePlace, type ShownLine, showLine } from "./shown-line.ts";

export interface HitList {
  /** Adds a hit in the lines [from, to) of the memory: its line, a place in it, and the line's number. */
  add(line: LinePlace, at: number, number: number): void;
  /** Adds a line that did not fit into the memory: its beginning, and its shown form if it matches. */
  addLong(beginning: string, match: ShownLine | null, number: number): void;
  /** The memory now has the next lines, [from, to). */
  begin(from: number, to: number): void;
  /** These lines are finished; others follow. */
  leave(): void;
  /** No line follows. */
  end(): void;
}

interface WaitingHit extends Hit {
  readonly after: string[];
}

export type ContextQuery = Pick<SearchQuery, "before" | "after" | "maxLineChars">;

export function createHitList(
  { bytes, lineStart, lineEnd }: ScanMemory,
  { before, after, maxLineChars }: ContextQuery,
  onHit: (hit: Hit) => void,
): HitList {
  /** The last lines that are no longer in the memory. */
  let earlier: readonly string[] = [];
  const waiting: WaitingHit[] = [];
  let from = 0;
  let to = 0;

  const shown = (start: number, end: number): string =>
    showLine(bytes, { from: start, to: end }, start, maxLineChars).text;

  const linesBefore = (start: number, count: number): readonly string[] => {
    if (count === 0) return NONE;
    const lines: string[] = [];
    for (let end = start - 1; lines.length < count && end >= from; ) {
      const begin = lineStart(end, from);
      lines.push(shown(begin, end));
      end = begin - 1;
    }
    lines.reverse();
    return [...lastOf(earlier, count - lines.length), ...lines];
  };

  const takeAfter = (start: number, lines: string[]): void => {
    for (let at = start; lines.length < after && at < to; ) {
      const end = lineEnd(at, to);
      lines.push(shown(at, end));
      at = end + 1;
    }
  };

  const release = (isEnd: boolean): void => {
    const count = isEnd ? waiting.length : waiting.findIndex((hit) => hit.after.length < after);
    for (const hit of waiting.splice(0, count < 0 ? waiting.length : count)) onHit(hit);
  };

  const keep = (hit: WaitingHit): void => {
    if (waiting.length === 0 && hit.after.length >= after) onHit(hit);
    else {
      waiting.push(hit);
      release(false);
    }
  };

  return {
    add(line, at, number) {
      const follows: string[] = [];
      takeAfter(line.to + 1, follows);
      const match = showLine(bytes, line, at, maxLineChars);
      keep({ line: number, ...match, before: linesBefore(line.from, before), after: follows });
    },
    addLong(beginning, match, number) {
      for (const { after: lines } of waiting) if (lines.length < after) lines.push(beginning);
      release(false);
      if (match !== null) keep({ line: number, ...match, before: earlier, after: [] });
      earlier = lastOf([...earlier, beginning], before);
    },
    begin(start, end) {
      from = start;
      to = end;
      for (const hit of waiting) takeAfter(start, hit.after);
      release(false);
    },
    leave() {
      earlier = linesBefore(to, before);
      from = to;
    },
    end: () => release(true),
  };
}

const NONE: readonly string[] = [];

function lastOf(lines: readonly string[], count: number): readonly string[] {
  return count === 0 ? [] : lines.slice(-count);
}
