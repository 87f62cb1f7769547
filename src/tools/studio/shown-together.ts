// One limit for what a command wrote to both of its streams: each has half of it, and what the other leaves.
import type { CommandResult } from "../commands.ts";

export interface Shown {
  readonly text: string;
  readonly truncated: boolean;
}

/** What is shown of a stream. */
interface Stream {
  readonly text: string;
  /** Without the words that say what was cut. */
  readonly bytes: Buffer;
  /** Where something was cut, and how much; null when nothing was. */
  readonly cut: { readonly at: number; readonly bytes: number } | null;
}

/** `stdout`, then `stderr`. The words that say what was cut do not count. */
export function shownTogether(
  { stdout, stderr, truncated }: Pick<CommandResult, "stdout" | "stderr" | "truncated">,
  maxBytes: number,
): Shown {
  const [out, err] = [streamOf(stdout, truncated), streamOf(stderr, truncated)];
  if (out.bytes.length + err.bytes.length <= maxBytes) return { text: stdout + stderr, truncated };
  const half = Math.floor(maxBytes / 2);
  const outShown = withEnds(out, Math.max(half, maxBytes - err.bytes.length));
  const errShown = withEnds(err, Math.max(half, maxBytes - out.bytes.length));
  return { text: outShown + errShown, truncated: true };
}

const CUT = /\n\[… (\d+) bytes cut …\]\n/;

function streamOf(text: string, truncated: boolean): Stream {
  const [head = "", cutBytes, tail = "", ...more] = truncated ? text.split(CUT) : [];
  // A program may write such words itself.
  if (cutBytes === undefined || more.length > 0) return { text, bytes: Buffer.from(text), cut: null };
  const cut = { at: Buffer.byteLength(head), bytes: Number(cutBytes) };
  return { text, bytes: Buffer.from(head + tail), cut };
}

function withEnds({ text, bytes, cut }: Stream, maxBytes: number): string {
  if (bytes.length <= maxBytes) return text;
  const half = Math.floor(maxBytes / 2);
  const headEnd = startOfCharacter(bytes, Math.min(half, cut?.at ?? half));
  const tailStart = startOfCharacter(bytes, Math.max(bytes.length - half, cut?.at ?? 0));
  const lost = tailStart - headEnd + (cut?.bytes ?? 0);
  return `${bytes.subarray(0, headEnd)}\n[… ${lost} bytes cut …]\n${bytes.subarray(tailStart)}`;
}

/** At the offset, or up to three bytes before it. */
function startOfCharacter(bytes: Buffer, offset: number): number {
  let start = offset;
  while ((bytes[start]! & 0xc0) === 0x80) start--;
  return start;
}
