import type { ShellWord } from "./command-line.ts";
import { unknownWord } from "./read-word.ts";

/** `script` is text for a shell; `command` may itself run others; `candidate` is only a guess at a command. */
export type Inner =
  | { readonly type: "script"; readonly text: string }
  | { readonly type: "command"; readonly words: readonly ShellWord[] }
  | { readonly type: "candidate"; readonly words: readonly ShellWord[] }
  | { readonly type: "hazard"; readonly text: string };

/** What it runs is known only when it runs. */
export function unknownCommand({ source }: ShellWord): Inner {
  return { type: "command", words: [unknownWord(source)] };
}

/** It can't be told where the command begins: that is said, and every word that could be it is looked at. */
export function guesses(words: readonly ShellWord[]): readonly Inner[] {
  const rest = words.slice(1);
  const odd = rest.find(({ fixed }) => !fixed) ?? rest[0] ?? words[0]!;
  return [
    unknownCommand(odd),
    ...rest.map((_, at) => ({ type: "candidate", words: rest.slice(at) }) as const),
  ];
}

/** Text for a shell, when it is known. */
export function scriptIn(word: ShellWord): Inner {
  return word.text === null || !word.fixed ? unknownCommand(word) : { type: "script", text: word.text };
}
