// Where a command gets text that a shell runs: from an option, a file that is its input, or the input.
import type { ShellWord } from "./command-line.ts";
import { guesses, type Inner, scriptIn, unknownCommand } from "./inner.ts";

/** Of a shell: `-c TEXT`, or what it reads. `input` is null when the line does not tell. */
export function scriptOf(words: readonly ShellWord[], input: string | null): readonly Inner[] {
  const { at, letters, ends } = readShellOptions(words);
  const operand = words[at];
  if (operand && !operand.fixed) return guesses(words);
  if (ends) return [];
  if (letters.includes("c")) return operand ? [scriptIn(operand)] : [];
  return operand && !letters.includes("s")
    ? sourceOf(words[0]!, operand, input)
    : [fromInput(words[0]!, input)];
}

/** Of a file that a shell runs: only what it is given as input can be in the line. */
export function sourceOf(name: ShellWord, file: ShellWord, input: string | null): readonly Inner[] {
  if (/^[<>]\(/.test(file.source)) return [unknownCommand(file)];
  const isDevice = /^(?:\/|.*\.\.\/)(?:.*\/)?(?:dev|proc)\//.test(file.text ?? "");
  if (!isDevice) return [];
  return [fromInput(name, /\/(stdin|fd\/+0)$/.test(file.text!) ? input : null)];
}

/** Of `-c TEXT` and `--command=TEXT`, wherever they stand. */
export function commandOptions(words: readonly ShellWord[]): readonly Inner[] {
  return words.flatMap(({ text, fixed, source }, at) => {
    const [option, attached] = /^(?:-[a-zA-Z]*?c|--(?:c|session)[a-z-]*=?)(.*)$/s.exec(text ?? "") ?? [];
    if (option === undefined) return [];
    const value = attached === "" ? words[at + 1] : { text: attached!, fixed, source };
    return value ? [scriptIn(value)] : [];
  });
}

function fromInput(name: ShellWord, input: string | null): Inner {
  return input === null ? unknownCommand(name) : { type: "script", text: input };
}

interface ShellOptions {
  /** Of the first operand. */
  readonly at: number;
  readonly letters: string;
  /** It only says something about itself. */
  readonly ends: boolean;
}

function readShellOptions(words: readonly ShellWord[]): ShellOptions {
  let letters = "";
  let ends = false;
  let at = 1;
  for (; at < words.length; at++) {
    const { text, fixed } = words[at]!;
    if (!fixed || !/^[-+]/.test(text!)) break;
    if (text === "-" || text === "--") return { at: at + 1, letters, ends };
    if (text === "--version" || text === "--help") ends = true;
    if (text!.startsWith("-")) letters += /^-(\w*)/.exec(text!)![1];
    at += text === "--rcfile" || text === "--init-file" ? 1 : countNames(text!);
  }
  return { at, letters, ends };
}

/** `-o` and `-O` take the next word, each its own, also in the midst of others. */
function countNames(option: string): number {
  return option.startsWith("--") ? 0 : option.split(/[oO]/).length - 1;
}
