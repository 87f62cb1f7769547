// Finds what a shell runs: the text after `-c`, a file, or its input.
import type { ShellWord } from "./command-line.ts";
import { guessCommands, type InnerCommand, readScriptWord, unknownCommand } from "./inner.ts";

/** `input` is null if the line does not show it. */
export function scriptOf(words: readonly ShellWord[], input: string | null): readonly InnerCommand[] {
  const { at, letters, ends } = readShellOptions(words);
  const operand = words[at];
  if (operand && !operand.fixed) return guessCommands(words);
  if (ends) return [];
  if (letters.includes("c")) return operand ? [readScriptWord(operand)] : [];
  return operand && !letters.includes("s")
    ? sourceOf(words[0]!, operand, input)
    : [fromInput(words[0]!, input)];
}

/** The line shows the content of a file only if the file is the standard input. */
export function sourceOf(name: ShellWord, file: ShellWord, input: string | null): readonly InnerCommand[] {
  if (/^[<>]\(/.test(file.source)) return [unknownCommand(file)];
  const [path] = /(^|\/)(stdin|fd\/[/.]*\d+)$|^\d+$/.exec(file.text ?? "") ?? [];
  if (path === undefined) return [];
  return [fromInput(name, /(stdin|\b0)$/.test(path) ? input : null)];
}

function fromInput(name: ShellWord, input: string | null): InnerCommand {
  return input === null ? unknownCommand(name) : { type: "script", text: input };
}

interface ShellOptions {
  /** The index of the first operand. */
  readonly at: number;
  readonly letters: string;
  /** The shell only prints its version or help. */
  readonly ends: boolean;
}

function readShellOptions(words: readonly ShellWord[]): ShellOptions {
  let letters = "";
  let ends = false;
  for (let at = 1; at < words.length; at++) {
    const { text, fixed } = words[at]!;
    if (!fixed || !/^[-+]/.test(text!)) return { at, letters, ends };
    if (text === "-" || text === "--") return { at: at + 1, letters, ends };
    if (text === "--version" || text === "--help") ends = true;
    letters += /^-(\w*)/.exec(text!)?.[1] ?? "";
    const values = words.slice(at + 1, at + 1 + countValues(text!));
    const unknown = values.findIndex((value) => !value.fixed);
    if (unknown !== -1) return { at: at + 1 + unknown, letters, ends };
    at += values.length;
  }
  return { at: words.length, letters, ends };
}

/** Each `-o` and `-O` takes one of the next words, also inside a group of letters. */
function countValues(option: string): number {
  if (option.startsWith("--")) return option === "--rcfile" || option === "--init-file" ? 1 : 0;
  return option.split(/[oO]/).length - 1;
}
