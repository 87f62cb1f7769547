// The shortest edit script between two lists of lines (Myers, "An O(ND) Difference Algorithm", greedy).
import { LIMITS } from "../../core/limits.ts";

/** Lines `[oldStart, oldEnd)` became lines `[newStart, newEnd)`, counted from 0. */
export interface LineEdit {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Edits in order, with at least one unchanged line between two of them. Beyond `maxSteps` one edit spans from the first to the last difference. */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  maxSteps: number = LIMITS.maxDiffSteps,
): LineEdit[] {
  const head = commonHead(before, after);
  const tail = commonTail(before, after, head);
  const whole = { oldStart: head, oldEnd: before.length - tail, newStart: head, newEnd: after.length - tail };
  const [old, now] = [before.slice(head, whole.oldEnd), after.slice(head, whole.newEnd)];
  if (old.length === 0 && now.length === 0) return [];
  if (old.length === 0 || now.length === 0) return [whole];
  const rows = findRows(...numberLines(old, now), maxSteps);
  return rows === null ? [whole] : editsAlong(rows, whole);
}

function commonHead(before: readonly string[], after: readonly string[]): number {
  let length = 0;
  while (length < before.length && length < after.length && before[length] === after[length]) length++;
  return length;
}

/** Excludes the common head, which may consist of the same lines. */
function commonTail(before: readonly string[], after: readonly string[], head: number): number {
  const most = Math.min(before.length, after.length) - head;
  let length = 0;
  while (length < most && before[before.length - 1 - length] === after[after.length - 1 - length]) length++;
  return length;
}

/** Equal lines get equal numbers. */
function numberLines(before: readonly string[], after: readonly string[]): [Int32Array, Int32Array] {
  const numbers = new Map<string, number>();
  const numberOf = (line: string): number => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  return [Int32Array.from(before, numberOf), Int32Array.from(after, numberOf)];
}

/**
 * What `d` single-line edits can reach: for each diagonal (old − new = 2i − d), the furthest position in the old
 * lines.
 */
interface Row {
  /** The smallest `i`. Diagonals entirely beyond the new lines are left out. */
  readonly first: number;
  readonly reach: Int32Array;
}

/** The rows up to the one that reaches the end of both lists; null beyond `maxSteps`. */
function findRows(old: Int32Array, now: Int32Array, maxSteps: number): Row[] | null {
  const rows: Row[] = [];
  for (let d = 0, steps = 0; ; d++) {
    const first = Math.max(0, Math.ceil((d - now.length) / 2));
    const last = Math.min(d, Math.floor((d + old.length) / 2));
    const reach = new Int32Array(last - first + 1);
    for (let i = first; i <= last; i++) {
      const start = d === 0 ? 0 : startOf(rows[d - 1]!, i);
      let x = start;
      let y = start - (2 * i - d);
      for (; x < old.length && y < now.length && old[x] === now[y]; y++) x++;
      reach[i - first] = x;
      steps += 1 + x - start;
      if (steps > maxSteps) return null;
      if (x >= old.length && y >= now.length) return [...rows, { first, reach }];
    }
    rows.push({ first, reach });
  }
}

/** Where entry `i` of a row starts: after an insertion or a removal, whichever reaches further. */
function startOf(above: Row, i: number): number {
  return isInsertion(above, i) ? above.reach[i - above.first]! : above.reach[i - 1 - above.first]! + 1;
}

function isInsertion({ first, reach }: Row, i: number): boolean {
  const inserting = reach[i - first];
  const removing = reach[i - 1 - first];
  return removing === undefined || (inserting !== undefined && removing < inserting);
}

/** Follows the rows back from the end of both lists. */
function editsAlong(rows: readonly Row[], whole: LineEdit): LineEdit[] {
  const edits: LineEdit[] = [];
  let d = rows.length - 1;
  let i = (whole.oldEnd - whole.oldStart - (whole.newEnd - whole.newStart) + d) / 2;
  for (; d > 0; d--) {
    const above = rows[d - 1]!;
    const oldEnd = startOf(above, i) + whole.oldStart;
    const newEnd = startOf(above, i) - (2 * i - d) + whole.newStart;
    const isInserted = isInsertion(above, i);
    const [oldStart, newStart] = isInserted ? [oldEnd, newEnd - 1] : [oldEnd - 1, newEnd];
    const next = edits.at(-1);
    if (next?.oldStart === oldEnd && next.newStart === newEnd) {
      edits[edits.length - 1] = { ...next, oldStart, newStart };
    } else edits.push({ oldStart, oldEnd, newStart, newEnd });
    if (!isInserted) i--;
  }
  return edits.reverse();
}
