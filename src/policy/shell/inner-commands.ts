// Finds what a command runs besides itself: a command in its arguments, or a script in one of them.
import { quote } from "../../core/quote.ts";
import type { ShellWord } from "./command-line.ts";
import { guessCommands, type InnerCommand, readScriptWord, unknownCommand } from "./inner.ts";
import { findVariableHazard } from "./name-hazard.ts";
import { unknownWord } from "./read-word.ts";
import { scriptOf, sourceOf } from "./shell-script.ts";
import { callbackOf, completionsOf, evalOf, startedShell, trapOf } from "./text-option.ts";
import { ARCHITECTURE, findWrapped, RUNUSER, WRAPPERS, type WrapperOptions } from "./wrapper-options.ts";

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "rbash", "dash", "zsh", "ksh", "ash"]);

/** `input` is the command's standard input; null if the line does not show it. */
export function findInnerCommands(
  words: readonly ShellWord[],
  input: string | null,
): readonly InnerCommand[] {
  const name = baseName(words[0]!.text ?? "");
  if (SHELLS.has(name)) return scriptOf(words, input);
  const look = FINDERS.get(name);
  if (look) return look(words, input);
  if (name === "command" && /^-[pvV]*[vV]/.test(words[1]?.text ?? "")) return [];
  const options = WRAPPERS.get(name);
  return options ? wrappedBy(name, words, options) : [];
}

type Finder = (words: readonly ShellWord[], input: string | null) => readonly InnerCommand[];

const FINDERS: ReadonlyMap<string, Finder> = new Map<string, Finder>([
  [".", sourced],
  ["compgen", completionsOf],
  ["eval", (words) => evalOf(words.slice(1))],
  ["find", findActions],
  ["jobs", jobsOf],
  ["mapfile", callbackOf],
  ["readarray", callbackOf],
  ["runuser", runuserOf],
  ["script", startedShell],
  ["setarch", setarchOf],
  ["source", sourced],
  ["su", startedShell],
  ["trap", (words) => trapOf(words.slice(1))],
]);

/** `/usr/bin/git` is git. */
export function baseName(command: string): string {
  return command.slice(command.lastIndexOf("/") + 1);
}

function wrappedBy(
  name: string,
  words: readonly ShellWord[],
  options: WrapperOptions,
): readonly InnerCommand[] {
  const start = findWrapped(words, options);
  if (start === null) return guessCommands(words);
  const before = words.slice(1, start).map(({ text, source }) => text ?? source);
  const set = before
    .map((text) => /^([^-=][^=]*)=/.exec(text)?.[1])
    .filter((variable) => variable !== undefined);
  const hazards = set.map(findVariableHazard).filter((hazard) => hazard !== null);
  const wrapped = name === "xargs" ? fromInput(words.slice(start), before) : words.slice(start);
  return [
    ...hazards.map((hazard) => ({ type: "hazard", hazard }) as const),
    ...runBy(words[0]!, wrapped, before, options),
  ];
}

function runBy(
  name: ShellWord,
  [first, ...rest]: readonly ShellWord[],
  before: readonly string[],
  { script, shell }: WrapperOptions,
): readonly InnerCommand[] {
  if (first === undefined) return shell ? [unknownCommand(name)] : [];
  const isScript = script !== undefined && before.some((text) => script.test(text));
  return isScript ? [readScriptWord(first)] : [{ type: "command", words: [first, ...rest] }];
}

/** xargs appends its input to the words, or replaces the mark of `-I` in them. */
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

function findActions(words: readonly ShellWord[]): readonly InnerCommand[] {
  const actions = words.flatMap(({ text }, at) => {
    if (!/^-(exec|ok)(dir)?$/.test(text ?? "")) return [];
    const rest = words.slice(at + 1);
    const end = rest.findIndex((word) => word.text === ";" || word.text === "+");
    const found = (end === -1 ? rest : rest.slice(0, end)).map((word) => unknownIf(word, "{}"));
    return found.length > 0 ? [{ type: "command", words: found } as const] : [];
  });
  const many = words.find(({ fixed, source }) => !fixed && /^[^"]*[$`{]/.test(source));
  if (many === undefined) return actions;
  const text = `find may get an action from ${quote(many.source)}`;
  return [...actions, { type: "hazard", hazard: { text, evaluates: true } }];
}

function unknownIf(word: ShellWord, mark: string): ShellWord {
  return word.text?.includes(mark) ? unknownWord(word.source) : word;
}

/** `. FILE` */
function sourced([name, ...args]: readonly ShellWord[], input: string | null): readonly InnerCommand[] {
  const file = args.find(({ text }) => text !== "--");
  return file ? sourceOf(name!, file, input) : [];
}

/** With `-u` runuser runs a command; without it runuser is like su. */
function runuserOf(words: readonly ShellWord[]): readonly InnerCommand[] {
  const isWrapper = /^(-u|--u)/.test(words[1]?.text ?? "");
  return isWrapper ? wrappedBy("runuser", words, RUNUSER) : startedShell(words);
}

/** The architecture may be left out. */
function setarchOf(words: readonly ShellWord[]): readonly InnerCommand[] {
  const operands = words[1]?.text?.startsWith("-") ? 0 : 1;
  return wrappedBy("setarch", words, { ...ARCHITECTURE, operands });
}

function jobsOf(words: readonly ShellWord[]): readonly InnerCommand[] {
  const mayRun = words.some(({ text, fixed }) => !fixed || /^-[a-z]*x/.test(text!));
  return mayRun ? wrappedBy("jobs", words, { flags: "lnprsx" }) : [];
}
