import type { OpenedFile } from "../workspace/files/workspace-fs.ts";

export const NON_UTF8_NOTE =
  "The file is not UTF-8. Its invalid bytes are shown as U+FFFD, and writing this text back would destroy them. Change the file only with a command that works on bytes, if commands are available.";

/** Whether the text, when written back, would change the bytes at the beginning of the file. */
export function hasNonUtf8Bytes(file: Pick<OpenedFile, "chunks">, text: string): boolean {
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
