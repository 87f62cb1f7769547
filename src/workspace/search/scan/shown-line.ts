// Formats lines for results: without their line end, and not longer than the limit.

const CARRIAGE_RETURN = 0x0d;
const CUT = "…";
/** The maximum number of UTF-8 bytes for one unit of a JavaScript string. */
export const MAX_BYTES_PER_CHAR = 3;

export interface ShownLine {
  readonly text: string;
  readonly clipped: boolean;
}

/** The place of a line, or of the available part of it, in the bytes. */
export interface LinePlace {
  readonly from: number;
  /** The place of its newline, or the end of the bytes. */
  readonly to: number;
  /** More of the line precedes, or follows. */
  readonly beginsEarlier?: boolean;
  readonly endsLater?: boolean;
}

/** Cuts a line longer than `maxChars` around `at`. */
export function showLine(bytes: Buffer, line: LinePlace, at: number, maxChars: number): ShownLine {
  const { from, beginsEarlier = false, endsLater = false } = line;
  const to = endsLater ? line.to : withoutReturn(bytes, from, line.to);
  const isWhole = !beginsEarlier && !endsLater;
  if (isWhole && to - from <= maxChars) return { text: bytes.toString("utf8", from, to), clipped: false };
  const reach = MAX_BYTES_PER_CHAR * maxChars;
  const left = alignForward(bytes, Math.max(from, at - reach), at);
  const right = alignForward(bytes, Math.min(to, at + reach), to);
  const text = bytes.toString("utf8", left, right);
  const { start, end } = cutAround(text, bytes.toString("utf8", left, Math.min(at, right)).length, maxChars);
  const cutsBefore = beginsEarlier || left > from || start > 0;
  const cutsAfter = endsLater || right < to || end < text.length;
  const marked = (cutsBefore ? CUT : "") + text.slice(start, end) + (cutsAfter ? CUT : "");
  return { text: marked, clipped: cutsBefore || cutsAfter };
}

export function withoutReturn(bytes: Buffer, from: number, to: number): number {
  return to > from && bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to;
}

/** A third of the shown text precedes the place, if available. */
function cutAround(text: string, place: number, maxChars: number): { start: number; end: number } {
  const wanted = Math.max(0, place - Math.floor(maxChars / 3));
  const start = Math.max(0, Math.min(wanted, text.length - maxChars));
  const end = Math.min(text.length, start + maxChars);
  return { start: splitsPair(text, start) ? start + 1 : start, end: splitsPair(text, end) ? end - 1 : end };
}

function splitsPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit < 0xe000;
}

/** Moves to the start of a character, past continuation bytes. */
function alignForward(bytes: Buffer, at: number, most: number): number {
  let aligned = at;
  while (aligned < most && aligned < at + 3 && (bytes[aligned]! & 0xc0) === 0x80) aligned++;
  return aligned;
}
