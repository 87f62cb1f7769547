import type { ShellWord } from "./command-line.ts";
import { unknownWord } from "./read-word.ts";

/** `script` is text for a shell; `command` may itself run others; `candidate` is only a guess at a command. */
export type Inner =
  | { readonly type: "script"; readonly text: string }
  | { readonly type: "command"; readonly words: readonly ShellWord[] }
  | { readonly type: "candidate"; readonly words: readonly ShellWord[] }
  | { readonly type: "hazard"; readonly text: string };

/** A command that is known only at run time. */
export function unknownCommand({ source }: ShellWord): Inner {
  return { type: "command", words: [unknownWord(source)] };
}

/** The start of the command is unknown. Reports an unknown command, and every word as a candidate. */
export function guesses(words: readonly ShellWord[]): readonly Inner[] {
  const rest = words.slice(1);
  const odd = rest.find(({ fixed }) => !fixed) ?? rest[0] ?? words[0]!;
  return [
    unknownCommand(odd),
    ...rest.map((_, at) => ({ type: "candidate", words: rest.slice(at) }) as const),
  ];
}

/** The script in a word, or an unknown command if the word is not literal. */
export function scriptIn(word: ShellWord): Inner {
  return word.text === null || !word.fixed ? unknownCommand(word) : { type: "script", text: word.text };
}
