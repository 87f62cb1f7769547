// Commands that pass text of their arguments to a shell.
import type { ShellWord } from "./command-line.ts";
import { guessCommands, type InnerCommand, readScriptWord, unknownCommand } from "./inner.ts";

export function evalOf(args: readonly ShellWord[]): readonly InnerCommand[] {
  const unknown = args.find(({ text, fixed }) => text === null || !fixed);
  if (unknown) return [unknownCommand(unknown)];
  return [{ type: "script", text: args.map(({ text }) => text).join(" ") }];
}

export function trapOf(args: readonly ShellWord[]): readonly InnerCommand[] {
  const [action] = args.filter(({ text }) => text !== "--");
  if (action === undefined || args.length < 2 || /^-/.test(action.text ?? "")) return [];
  return evalOf([action]);
}

/** `su` and `script` start a shell, which runs the text of `-c` or reads its input. */
export function startedShell(words: readonly ShellWord[]): readonly InnerCommand[] {
  const texts = optionValues(words, /^(?:-[a-zA-Z]*?c|--(?:c|session)[a-z-]*=?)(.*)$/s).map(readScriptWord);
  if (!words.every(({ fixed }) => fixed)) return [...texts, ...guessCommands(words)];
  return texts.length > 0 ? texts : [unknownCommand(words[0]!)];
}

/** `mapfile -C TEXT` runs TEXT while it reads. */
export function callbackOf(words: readonly ShellWord[]): readonly InnerCommand[] {
  return optionValues(words, /^-\w*?C(.*)$/s).map(readScriptWord);
}

/** `compgen -C TEXT` runs TEXT, `-W TEXT` expands it. */
export function completionsOf(words: readonly ShellWord[]): readonly InnerCommand[] {
  const expanded = optionValues(words, /^-\w*?W(.*)$/s).filter(({ text }) => /[$`<>]/.test(text ?? "$"));
  return [...callbackOf(words), ...expanded.map(unknownCommand)];
}

/** The values of `option`: the rest of the same word, or the next word. */
function optionValues(words: readonly ShellWord[], option: RegExp): readonly ShellWord[] {
  return words.flatMap(({ text, fixed, source }, at) => {
    const [, attached] = option.exec(text ?? "") ?? [];
    if (attached === undefined) return [];
    return attached === "" ? words.slice(at + 1, at + 2) : [{ text: attached, fixed, source }];
  });
}
