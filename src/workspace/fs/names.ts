// File names are bytes. A name that is not UTF-8 is kept as a string in which each odd byte stands as the
// lone surrogate U+DC80 to U+DCFF, so that it goes back to the same bytes.

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

/** A path for `node:fs`: a string when it can be one, else its bytes. */
export function osPath(path: string): string | Buffer {
  if (!ODD_BYTE.test(path)) return path;
  const pieces = path.split(/([\uDC80-\uDCFF])/u);
  return Buffer.concat(
    pieces.map((piece) =>
      ODD_BYTE.test(piece) ? Buffer.from([piece.charCodeAt(0) - 0xdc00]) : Buffer.from(piece, "utf8"),
    ),
  );
}

/** Whether the path has half a character that stands for no byte: no file can have that name. */
export function hasHalfCharacter(path: string): boolean {
  return HALF_CHARACTER.test(path);
}

/** The one spelling of a path: odd bytes that are UTF-8 when taken together become their character. */
export function respell(path: string): string {
  const bytes = osPath(path);
  return typeof bytes === "string" ? path : decodeName(bytes);
}

/** The path as shown to people and models: in names with odd bytes, these and backslashes as `\xNN`. */
export function showName(path: string): string {
  if (!ODD_BYTE.test(path)) return path;
  return path
    .split("/")
    .map((name) => (ODD_BYTE.test(name) ? name.replace(/[\\\uDC80-\uDCFF]/gu, shownByte) : name))
    .join("/");
}

const shownByte = (char: string): string => `\\x${(char.charCodeAt(0) & 0xff).toString(16)}`;

/** The name with odd bytes that is shown as this, or null. */
export function unshowName(shown: string): string | null {
  const name = respell(
    shown.replace(SHOWN_BYTE, (_, hex: string) => (hex === "5c" ? "\\" : oddByte(Number.parseInt(hex, 16)))),
  );
  return name !== shown && showName(name) === shown ? name : null;
}
