/** The place of a word in [from, to) of `bytes`, or -1, always in linear time. Each byte is compared with the bits of `fold` set. */
export function findLinear(bytes: Uint8Array, word: Word, from: number, to: number): number {
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
  /** The length of the word's prefix that still matches after a mismatch at this length (Knuth, Morris, Pratt). */
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
