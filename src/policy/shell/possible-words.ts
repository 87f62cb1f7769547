// The words that a word may become when the shell runs the line, as far as the text shows it.
import { expandBraces } from "../../core/glob.ts";
import type { ShellWord } from "./command-line.ts";

/** `${x:-/}` stands for `$x` and for `/`, `{/etc,/usr}` for each of the two. */
export function possibleWords(word: ShellWord): readonly ShellWord[] {
  const { text, fixed, source } = word;
  if (fixed) return [word];
  const sources =
    text === null
      ? new Set([source, replaceDefaults(source, "$2"), replaceDefaults(source, "$$$1")])
      : [text];
  return [...sources].flatMap((one) =>
    choicesOf(one).map((choice) => (choice === source ? word : wordOf(choice))),
  );
}

const DEFAULT = /\$\{(\w+):?[-=+]([^{}]*)\}/g;
const MAX_NESTED = 8;

/** Replaces each expansion with a default, the innermost first. */
function replaceDefaults(source: string, to: string): string {
  let text = source;
  for (let level = 0; level < MAX_NESTED; level++) text = text.replace(DEFAULT, to);
  return text === source ? source : text.replace(/["']/g, "");
}

/** A word with too many choices is taken as it is. */
function choicesOf(text: string): readonly string[] {
  if (!/\{[^{}]*,[^{}]*\}/.test(text)) return [text];
  try {
    return expandBraces(text);
  } catch {
    return [text];
  }
}

function wordOf(source: string): ShellWord {
  return { text: /[$`]/.test(source) ? null : source, fixed: false, source };
}
