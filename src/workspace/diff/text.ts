// Lossless conversion between bytes and text: an invalid UTF-8 byte becomes a lone surrogate, as in names. For whole
// files, where `decodeName` and `osPath` would take seconds.

/** A multi-byte character, or a byte that belongs to none, in latin1: one character for each byte. */
const NON_ASCII =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g;
const INVALID_BYTES = /([\uDC80-\uDCFF]+)/u;

export function textOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  if (!text.includes("\uFFFD")) return text;
  return bytes.toString("latin1").replace(NON_ASCII, (found) => {
    if (found.length === 1) return String.fromCharCode(0xdc00 + found.charCodeAt(0));
    return Buffer.from(found, "latin1").toString("utf8");
  });
}

export function bytesOf(text: string): Buffer {
  if (!INVALID_BYTES.test(text)) return Buffer.from(text, "utf8");
  // `split` puts the captured invalid bytes at the odd indexes.
  const pieces = text
    .split(INVALID_BYTES)
    .map((piece, index) =>
      index % 2 === 0
        ? Buffer.from(piece, "utf8")
        : Buffer.from(piece, "utf16le").filter((_, at) => at % 2 === 0),
    );
  return Buffer.concat(pieces);
}

/** Lines with their newlines; only the last may lack one. */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start) + 1 || text.length;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}
