/** As many items as fit into so many bytes, and at least one. The bytes of an item are those of its JSON, unless told. */
export function fittingItems<Item>(
  items: readonly Item[],
  maxBytes: number,
  bytesOf: (item: Item) => number = jsonBytes,
): readonly Item[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += bytesOf(item) + 1;
    return bytes > maxBytes;
  });
  return end < 0 ? items : items.slice(0, Math.max(end, 1));
}

export const jsonBytes = (item: unknown): number => Buffer.byteLength(JSON.stringify(item));
