// File names are bytes. In a name that is not UTF-8, each invalid ("odd") byte becomes a lone surrogate from U+DC80
// to U+DCFF, so that the string converts back to the same bytes.

const ODD_BYTE = /[\uDC80-\uDCFF]/u;
const HALF_CHARACTER = /[\uD800-\uDC7F\uDD00-\uDFFF]/u;
const SHOWN_BYTE = /\\x(5c|[89a-f][0-9a-f])/g;

export function decodeName(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  if (!text.includes("\uFFFD") || Buffer.from(text, "utf8").equals(bytes)) return text;
  let name = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    name += length === 0 ? oddByte(bytes[at]!) : bytes.toString("utf8", at, at + length);
    at += Math.max(length, 1);
  }
  return name;
}

const oddByte = (byte: number): string => String.fromCharCode(0xdc00 + byte);

/** The length of the well-formed UTF-8 sequence at `at`, or 0. */
function sequenceLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    const piece = bytes.subarray(at, at + length);
    const text = piece.toString("utf8");
    if (!text.includes("\uFFFD") || Buffer.from(text, "utf8").equals(piece)) return length;
  }
  return 0;
}

/** A path for `node:fs`: a string if the path is valid text, else its bytes. */
export function osPath(path: string): string | Buffer {
  if (!ODD_BYTE.test(path)) return path;
  const pieces = path.split(/([\uDC80-\uDCFF])/u);
  return Buffer.concat(
    pieces.map((piece) =>
      ODD_BYTE.test(piece) ? Buffer.from([piece.charCodeAt(0) - 0xdc00]) : Buffer.from(piece, "utf8"),
    ),
  );
}

/** Whether the path has an unpaired surrogate that encodes no byte. No file can have such a name. */
export function hasHalfCharacter(path: string): boolean {
  return HALF_CHARACTER.test(path);
}

/** The canonical spelling of a path: adjacent odd bytes that form valid UTF-8 become their character. */
export function respell(path: string): string {
  const bytes = osPath(path);
  return typeof bytes === "string" ? path : decodeName(bytes);
}

/** The path for people and models. In names with odd bytes, these bytes and backslashes become `\xNN`. */
export function showName(path: string): string {
  if (!ODD_BYTE.test(path)) return path;
  return path
    .split("/")
    .map((name) => (ODD_BYTE.test(name) ? name.replace(/[\\\uDC80-\uDCFF]/gu, shownByte) : name))
    .join("/");
}

const shownByte = (char: string): string => `\\x${(char.charCodeAt(0) & 0xff).toString(16)}`;

/** The inverse of `showName` for a name with odd bytes, or null. */
export function unshowName(shown: string): string | null {
  const name = respell(
    shown.replace(SHOWN_BYTE, (_, hex: string) => (hex === "5c" ? "\\" : oddByte(Number.parseInt(hex, 16)))),
  );
  return name !== shown && showName(name) === shown ? name : null;
}
