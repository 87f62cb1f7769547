// What a command runs besides itself: the command in its arguments, or a script in one of them.
import { quote } from "../../core/quote.ts";
import type { ShellWord } from "./command-line.ts";
import { findNameHazard } from "./find-hazard.ts";
import { unknownWord } from "./read-word.ts";
import { findWrapped, WRAPPERS } from "./wrapper-options.ts";

/** `script` is text for a shell; `command` may itself run others; `candidate` is only a guess at a command. */
export type Inner =
  | { readonly type: "script"; readonly text: string }
  | { readonly type: "command"; readonly words: readonly ShellWord[] }
  | { readonly type: "candidate"; readonly words: readonly ShellWord[] }
  | { readonly type: "hazard"; readonly text: string };

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash"]);

/** `hereText` is what a here-document gives it to read: undefined without one, null when it is not known. */
export function lookThrough(
  words: readonly ShellWord[],
  hereText: string | null | undefined,
): readonly Inner[] {
  const name = baseName(words[0]!.text ?? "");
  if (SHELLS.has(name)) return scriptOf(words, hereText);
  if (name === "eval") return evalOf(words.slice(1));
  if (name === "trap") return trapOf(words.slice(1));
  if (name === "find") return findActions(words);
  if (name === "command" && /^-[pvV]*[vV]/.test(words[1]?.text ?? "")) return [];
  const options = WRAPPERS.get(name);
  return options ? wrappedBy(name, words, findWrapped(words, options)) : [];
}

/** `/usr/bin/git` is git. */
export function baseName(command: string): string {
  return command.slice(command.lastIndexOf("/") + 1);
}

function wrappedBy(name: string, words: readonly ShellWord[], start: number | null): readonly Inner[] {
  if (start === null) return guesses(words);
  const options = words.slice(1, start).map(({ text, source }) => text ?? source);
  const hazards = options.map((text) => findNameHazard(/^(\w+)=/.exec(text)?.[1] ?? ""));
  const wrapped = name === "xargs" ? fromInput(words.slice(start), options) : words.slice(start);
  return [
    ...hazards.filter((text) => text !== null).map((text) => ({ type: "hazard", text }) as const),
    ...(wrapped.length > 0 ? [{ type: "command", words: wrapped } as const] : []),
  ];
}

/** What xargs reads comes after the words, or stands in them where `-I` says. */
function fromInput(words: readonly ShellWord[], options: readonly string[]): readonly ShellWord[] {
  if (words.length === 0) return [];
  const mark = findMark(options);
  const filled = mark === null ? words : words.map((word) => unknownIf(word, mark));
  return [...filled, unknownWord("…")];
}

function findMark(options: readonly string[]): string | null {
  const at = options.findIndex((option) => /^(-[0oprtx]*I|--replace)/.test(option));
  if (at === -1) return null;
  const [, attached] = /^(?:-[0oprtx]*I|--replace=)(.+)$/.exec(options[at]!) ?? [];
  return attached ?? (options[at] === "--replace" ? "{}" : (options[at + 1] ?? "{}"));
}

/** It can't be told where the command begins: that is said, and every word that could be it is looked at. */
function guesses(words: readonly ShellWord[]): readonly Inner[] {
  const rest = words.slice(1);
  const odd = rest.find(({ fixed }) => !fixed) ?? rest[0]!;
  return [
    { type: "command", words: [unknownWord(odd.source)] },
    ...rest.map((_, at) => ({ type: "candidate", words: rest.slice(at) }) as const),
  ];
}

function scriptOf(words: readonly ShellWord[], hereText: string | null | undefined): readonly Inner[] {
  let isText = false;
  for (let at = 1; at < words.length; at++) {
    const { text, fixed } = words[at]!;
    if (text === null || !fixed) return guesses(words);
    if (!/^[-+]./.test(text)) return isText ? [{ type: "script", text }] : [];
    if (/^-[a-zA-Z]*c/.test(text)) isText = true;
    if (/^([-+][a-zA-Z]*[oO]|--rcfile|--init-file)$/.test(text)) at++;
  }
  if (hereText === undefined) return [];
  return hereText === null ? guesses([words[0]!, unknownWord("<<")]) : [{ type: "script", text: hereText }];
}

function evalOf(args: readonly ShellWord[]): readonly Inner[] {
  const unknown = args.find(({ text, fixed }) => text === null || !fixed);
  if (unknown) return [{ type: "command", words: [unknownWord(unknown.source)] }];
  return [{ type: "script", text: args.map(({ text }) => text).join(" ") }];
}

function trapOf(args: readonly ShellWord[]): readonly Inner[] {
  const [action] = args.filter(({ text }) => text !== "--");
  if (action === undefined || args.length < 2 || /^-/.test(action.text ?? "")) return [];
  return evalOf([action]);
}

function findActions(words: readonly ShellWord[]): readonly Inner[] {
  const actions = words.flatMap(({ text }, at) => {
    if (!/^-(exec|ok)(dir)?$/.test(text ?? "")) return [];
    const rest = words.slice(at + 1);
    const end = rest.findIndex((word) => word.text === ";" || word.text === "+");
    const found = (end === -1 ? rest : rest.slice(0, end)).map((word) => unknownIf(word, "{}"));
    return found.length > 0 ? [{ type: "command", words: found } as const] : [];
  });
  const many = words.find(({ fixed, source }) => !fixed && /^[^"]*[$`{]/.test(source));
  if (many === undefined) return actions;
  return [...actions, { type: "hazard", text: `find may get an action from ${quote(many.source)}` }];
}

function unknownIf(word: ShellWord, mark: string): ShellWord {
  return word.text?.includes(mark) ? unknownWord(word.source) : word;
}
