/** As many items as fit into so many bytes of JSON, and at least one. */
export function fittingItems<Item>(items: readonly Item[], maxBytes: number): readonly Item[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return bytes > maxBytes;
  });
  return end < 0 ? items : items.slice(0, Math.max(end, 1));
}
