/** Text has no NUL in its first bytes. */
export function isBinary(head: Buffer): boolean {
  return head.includes(0);
}

const MAGIC: readonly (readonly [hex: string, mime: string])[] = [
  ["89504e470d0a1a0a", "image/png"],
  ["ffd8ff", "image/jpeg"],
  ["47494638", "image/gif"],
  ["25504446", "application/pdf"],
  ["504b0304", "application/zip"],
  ["1f8b", "application/gzip"],
  ["28b52ffd", "application/zstd"],
  ["fd377a585a00", "application/x-xz"],
  ["425a68", "application/x-bzip2"],
  ["7f454c46", "application/x-elf"],
  ["0061736d", "application/wasm"],
  ["53514c69746520666f726d6174203300", "application/vnd.sqlite3"],
  ["4f676753", "audio/ogg"],
  ["00000100", "image/x-icon"],
];

export function guessMime(head: Buffer): string {
  const hex = head.toString("hex", 0, 16);
  return MAGIC.find(([magic]) => hex.startsWith(magic))?.[1] ?? "application/octet-stream";
}
