/** Where a word is in [from, to) of `bytes`, or -1: in linear time, whatever both are. A byte of `bytes` is compared with the bits of `fold` set. */
export function findPatiently(bytes: Uint8Array, word: Word, from: number, to: number): number {
  const { letters, fold, fallback } = word;
  let matched = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    while (matched > 0 && (byte | fold[matched]!) !== letters[matched]) matched = fallback[matched - 1]!;
    if ((byte | fold[matched]!) === letters[matched]) matched++;
    if (matched === letters.length) return at + 1 - matched;
  }
  return -1;
}

export interface Word {
  readonly letters: Uint8Array;
  readonly fold: Uint8Array;
  /** How much of the word still matches when this much did and the next byte does not (Knuth, Morris, Pratt). */
  readonly fallback: Uint32Array;
}

export function createWord(letters: Uint8Array, fold: Uint8Array): Word {
  const fallback = new Uint32Array(letters.length);
  for (let at = 1, matched = 0; at < letters.length; at++) {
    while (matched > 0 && letters[at] !== letters[matched]) matched = fallback[matched - 1]!;
    if (letters[at] === letters[matched]) matched++;
    fallback[at] = matched;
  }
  return { letters, fold, fallback };
}
