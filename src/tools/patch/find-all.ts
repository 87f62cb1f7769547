/**
 * All positions of a text in another, overlapping ones included. Takes time proportional to the sum of both lengths
 * (Knuth, Morris, Pratt). The worst case of `indexOf` is their product.
 */
export function* findAll(text: string, wanted: string): Generator<number, void, void> {
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    matched = extended(wanted, borders, matched, text.charCodeAt(at));
    if (matched === wanted.length) yield at + 1 - matched;
  }
}

/** For each prefix of a text, the length of its longest proper prefix that is also its suffix. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length + 1);
  for (let length = 2; length <= text.length; length++) {
    borders[length] = extended(text, borders, borders[length - 1]!, text.charCodeAt(length - 1));
  }
  return borders;
}

/** The length of the matched prefix after one more character. */
function extended(text: string, borders: Uint32Array, matched: number, char: number): number {
  let length = matched;
  while (length > 0 && text.charCodeAt(length) !== char) length = borders[length]!;
  return text.charCodeAt(length) === char ? length + 1 : 0;
}
