// Reads a file as UTF-8 bytes, from the beginning.
import fs from "node:fs";

export interface TextSource {
  /** Reads more into `bytes`; returns 0 at the end. */
  read(bytes: Buffer, at: number, length: number): number;
  /** Whether the end was reached. */
  ended(): boolean;
}

/** An unreadable part begins at the boundary of a page, a sector or a cache line. */
const UNREADABLE_STEP = 64;

/** The text ends when a read returns nothing, whatever size the file reports. The text of a growing file ends after the size that it had. With `readsToTheEnd`, a short read is the end. */
export function openText(fd: number, readsToTheEnd = false): TextSource {
  let position = 0;
  let limit: number | null = null;
  let isAtEnd = false;
  return {
    read(bytes, at, length) {
      const got = fs.readSync(fd, bytes, at, length, position);
      // Most files need one read; only for others is the size queried.
      if (position > 0 && got > 0) limit ??= limitOf(fs.fstatSync(fd));
      position += got;
      const isAllThereIs = readsToTheEnd && got < length && position % UNREADABLE_STEP !== 0;
      isAtEnd = got === 0 || isAllThereIs || (limit !== null && position > limit);
      return got;
    },
    ended: () => isAtEnd,
  };
}

function limitOf(stat: fs.Stats): number {
  if (!stat.isFile()) return 0;
  return stat.size === 0 ? Number.POSITIVE_INFINITY : stat.size;
}

export type Utf16 = "utf-16le" | "utf-16be";

const PIECE_BYTES = 64 * 1024;

export function fromUtf16(fd: number, encoding: Utf16): TextSource {
  const raw = openText(fd);
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  const decoder = new TextDecoder(encoding);
  let left = Buffer.alloc(0);
  const refill = () => {
    while (left.length === 0 && !raw.ended()) {
      const got = raw.read(piece, 0, PIECE_BYTES);
      left = Buffer.from(decoder.decode(piece.subarray(0, got), { stream: !raw.ended() }));
    }
  };
  return {
    read(bytes, at, length) {
      refill();
      const written = left.copy(bytes, at, 0, length);
      left = left.subarray(written);
      return written;
    },
    ended: () => left.length === 0 && raw.ended(),
  };
}
