import type { OpenedFile } from "../workspace/files/workspace-fs.ts";

export const ODD_BYTES_NOTE =
  "The file is not UTF-8: its odd bytes are shown as U+FFFD, and writing this text back would destroy them. Change it only with a command that works on bytes, where there is one.";

/** Whether the text, which the file begins with, would not give the same bytes again. */
export function hasOddBytes(file: Pick<OpenedFile, "chunks">, text: string): boolean {
  if (!text.includes("\uFFFD")) return false;
  const expected = Buffer.from(text);
  let at = 0;
  for (const chunk of file.chunks()) {
    const part = expected.subarray(at, at + chunk.length);
    if (!part.equals(chunk.subarray(0, part.length))) return true;
    at += part.length;
    if (at === expected.length) return false;
  }
  return at < expected.length;
}
