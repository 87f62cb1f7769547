// A file as bytes of UTF-8, from the beginning.
import fs from "node:fs";

export interface TextSource {
  /** Reads on into `bytes`; 0 at the end. */
  read(bytes: Buffer, at: number, length: number): number;
  /** Nothing more is to be read. */
  ended(): boolean;
}

/** What can't be read begins where a page, a sector or a line of the processor's cache does. */
const UNREADABLE_STEP = 64;

/** It ends where nothing more comes, whatever size the file claims to have; one that goes on growing, behind the size that it had. With `readsToTheEnd` it is known where a read that gives less than there is room for ends. */
export function openText(fd: number, readsToTheEnd = false): TextSource {
  let position = 0;
  let limit: number | null = null;
  let isAtEnd = false;
  return {
    read(bytes, at, length) {
      const got = fs.readSync(fd, bytes, at, length, position);
      // Most files come at once: only of others it is asked.
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
