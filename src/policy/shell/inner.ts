import type { ShellWord } from "./command-line.ts";
import type { Hazard } from "./name-hazard.ts";
import { unknownWord } from "./read-word.ts";

/** `script` is text for a shell; `command` may itself run others; `candidate` is only a guess at a command. */
export type InnerCommand =
  | { readonly type: "script"; readonly text: string }
  | { readonly type: "command"; readonly words: readonly ShellWord[] }
  | { readonly type: "candidate"; readonly words: readonly ShellWord[] }
  | { readonly type: "hazard"; readonly hazard: Hazard };

/** A command that is known only at run time. */
export function unknownCommand({ source }: ShellWord): InnerCommand {
  return { type: "command", words: [unknownWord(source)] };
}

/** The start of the command is unknown. Reports an unknown command, and every word as a candidate. */
export function guessCommands(words: readonly ShellWord[]): readonly InnerCommand[] {
  const rest = words.slice(1);
  const odd = rest.find(({ fixed }) => !fixed) ?? rest[0] ?? words[0]!;
  return [
    unknownCommand(odd),
    ...rest.map((_, at) => ({ type: "candidate", words: rest.slice(at) }) as const),
  ];
}

/** The script in a word, or an unknown command if the word is not literal. */
export function readScriptWord(word: ShellWord): InnerCommand {
  return word.text === null || !word.fixed ? unknownCommand(word) : { type: "script", text: word.text };
}
