// The "GIT binary patch" format: whole contents, deflated, in base 85.
import { deflateSync } from "node:zlib";

const DIGITS = Buffer.from(
  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
);
const LINE_BYTES = 52;

/** Both directions, for `git apply --reverse`. */
export function binaryPatch(before: Buffer | null, after: Buffer | null): Buffer {
  const end = Buffer.from("\n");
  return Buffer.concat([Buffer.from("GIT binary patch\n"), literal(after), end, literal(before), end]);
}

function literal(content: Buffer | null): Buffer {
  const bytes = content ?? Buffer.alloc(0);
  const packed = deflateSync(bytes);
  const pieces: Buffer[] = [Buffer.from(`literal ${bytes.length}\n`)];
  for (let at = 0; at < packed.length; at += LINE_BYTES) {
    pieces.push(encodeLine(packed.subarray(at, at + LINE_BYTES)));
  }
  return Buffer.concat(pieces);
}

/** A letter for the number of bytes (A to Z for 1 to 26, a to z for 27 to 52), then five digits for every four bytes. */
function encodeLine(bytes: Buffer): Buffer {
  const line = Buffer.alloc(2 + 5 * Math.ceil(bytes.length / 4), "\n");
  line[0] = (bytes.length <= 26 ? 64 : 70) + bytes.length;
  for (let at = 0, end = 6; at < bytes.length; at += 4, end += 5) {
    let rest = 0;
    for (let index = at; index < at + 4; index++) rest = rest * 256 + (bytes[index] ?? 0);
    for (let digit = end - 1; digit >= end - 5; digit--) {
      line[digit] = DIGITS[rest % 85]!;
      rest = Math.floor(rest / 85);
    }
  }
  return line;
}
