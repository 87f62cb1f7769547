// Whether a command with words that only the running shell knows may become one that a pattern matches. In doubt the
// answer is yes.
import type { ShellWord } from "./shell/command-line.ts";
import { possibleWords } from "./shell/possible-words.ts";

/** Any text, and any text without a blank. Every other piece is one character. */
const ANY = "any text";
const UNBROKEN = "unbroken text";

/** Longer texts match if their beginning may. */
const MAX_PIECES = 4096;

/** In the pattern, `*` stands for any characters. */
export function mayMatch(pattern: string, name: string, args: readonly ShellWord[]): boolean {
  const words = args.slice(0, MAX_PIECES).flatMap(possibleWords).map(piecesOf);
  const lastFirm = words.findLastIndex((word) => !mayVanish(word));
  const reached = createPositions(pattern);
  if (!reached.take(name.split(""))) return false;
  let pieces = name.length;
  for (const [index, word] of words.entries()) {
    if (index > lastFirm && reached.atEnd()) return true;
    const here = mayVanish(word) ? reached.copy() : null;
    const goesOn = reached.take([" ", ...word]);
    if (here !== null) reached.add(here);
    else if (!goesOn) return false;
    pieces += word.length + 1;
    if (pieces > MAX_PIECES) return true;
  }
  return reached.atEnd();
}

/** An expansion without quotes may leave no word behind. */
function mayVanish(word: readonly string[]): boolean {
  return word.length === 1 && word[0] === ANY;
}

/** A word that the shell expands may become anything behind its plain beginning. */
function piecesOf({ text, fixed, source }: ShellWord): readonly string[] {
  if (fixed) return (text ?? source).split("");
  const [head] = /^[\w./:=,%-]*/.exec(source)!;
  const rest = source.slice(head.length);
  if (rest === "") return head.split("");
  // A glob becomes names that end as it does, one behind the other.
  const isGlob = text === source && !/[$`\\"'~{]/.test(rest);
  const [end] = /[\w./:=,%-]*$/.exec(rest)!;
  return isGlob ? [...head, UNBROKEN, ...end, ANY] : [...head, ANY];
}

interface Positions {
  /** Goes on by these pieces; false if the pattern has no such text. */
  take(pieces: readonly string[]): boolean;
  atEnd(): boolean;
  copy(): Uint8Array;
  add(others: Uint8Array): void;
}

/** The positions in the pattern that the text so far reaches: at first its start. */
function createPositions(pattern: string): Positions {
  const end = pattern.length;
  const reached = new Uint8Array(end + 1);
  reached[0] = 1;
  passStars();
  return {
    take: (pieces) => pieces.every(takePiece),
    atEnd: () => reached[end] === 1,
    copy: () => reached.slice(),
    add: (others) =>
      others.forEach((is, at) => {
        if (is === 1) reached[at] = 1;
      }),
  };

  function takePiece(piece: string): boolean {
    if (piece === ANY || piece === UNBROKEN) takeText(piece);
    else takeChar(piece);
    return reached.includes(1);
  }

  function takeChar(char: string): void {
    for (let at = end; at >= 0; at--) {
      const stays = reached[at] === 1 && pattern[at] === "*";
      reached[at] = stays || (at > 0 && reached[at - 1] === 1 && pattern[at - 1] === char) ? 1 : 0;
    }
    passStars();
  }

  function takeText(piece: string): void {
    for (let at = 1; at <= end; at++)
      if (reached[at - 1] === 1 && (piece === ANY || pattern[at - 1] !== " ")) reached[at] = 1;
  }

  /** A star may stand for nothing. */
  function passStars(): void {
    for (let at = 0; at < end; at++) if (reached[at] === 1 && pattern[at] === "*") reached[at + 1] = 1;
  }
}
