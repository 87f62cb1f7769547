import { bytesOf } from "./text.ts";

const NAMED_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x07, "\\a"],
  [0x08, "\\b"],
  [0x09, "\\t"],
  [0x0a, "\\n"],
  [0x0b, "\\v"],
  [0x0c, "\\f"],
  [0x0d, "\\r"],
  [0x22, '\\"'],
  [0x5c, "\\\\"],
]);

/** Writes a path as git does: quoted and escaped if a byte is not plain ASCII. Also quotes a blank before a slash, which git writes plain but cannot read in a header. */
export function quotePath(path: string): string {
  if (/^[ !#-[\]-~]*$/.test(path) && !path.includes(" /")) return path;
  return `"${Array.from(bytesOf(path), quoteByte).join("")}"`;
}

function quoteByte(byte: number): string {
  const named = NAMED_ESCAPES.get(byte);
  if (named !== undefined) return named;
  const isPlain = byte >= 0x20 && byte < 0x7f;
  return isPlain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
}
