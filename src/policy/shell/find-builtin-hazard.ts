// Builtins that take names of variables: `printf -v 'a[$(id)]' x` runs id. So only literal plain names and known options
// are safe.
import { quote } from "../../core/quote.ts";
import type { ShellWord } from "./command-line.ts";
import { describeEvaluation, findNameHazard, type Hazard, isPlainName } from "./name-hazard.ts";

interface NameTaker {
  /** Options without a value; with a value that is not a name; with a name. */
  readonly flags: string;
  readonly values: string;
  readonly names: string;
  /** Selects the operands that are names or assignments. */
  named(operands: readonly ShellWord[]): readonly ShellWord[];
}

const all = (operands: readonly ShellWord[]) => operands;
const none = () => [];

/** The shell may split the first operand into several words. */
function secondOf(operands: readonly ShellWord[]): readonly ShellWord[] {
  return operands.slice(operands[0] && isOneWord(operands[0]) ? 1 : 0, 2);
}

const READS_LINES: NameTaker = { flags: "t", values: "cdnOsu", names: "", named: all };
const NAME_TAKERS: ReadonlyMap<string, NameTaker> = new Map<string, NameTaker>([
  ["export", { flags: "np", values: "", names: "", named: all }],
  ["getopts", { flags: "", values: "", names: "", named: secondOf }],
  ["hash", { flags: "dlrt", values: "", names: "", named: none }],
  ["local", { flags: "", values: "", names: "", named: all }],
  ["mapfile", READS_LINES],
  ["printf", { flags: "", values: "", names: "v", named: none }],
  ["read", { flags: "ers", values: "diNnptu", names: "a", named: all }],
  ["readarray", READS_LINES],
  ["readonly", { flags: "p", values: "", names: "", named: all }],
  ["unset", { flags: "fnv", values: "", names: "", named: all }],
  ["wait", { flags: "fn", values: "", names: "p", named: none }],
]);

const RENAMING: ReadonlySet<string> = new Set(["alias", "declare", "enable", "typeset"]);
/** `findInnerCommands` finds the text that compgen and trap run. */
const RUNNING: ReadonlySet<string> = new Set(["compgen", "fc", "trap"]);

export function findBuiltinHazard([name, ...args]: readonly ShellWord[]): Hazard | null {
  const builtin = name?.text ?? "";
  if (RENAMING.has(builtin))
    return { text: `${quote(builtin)} changes the meaning of names`, evaluates: true };
  if (RUNNING.has(builtin))
    return { text: `${quote(builtin)} runs its arguments as a script`, evaluates: builtin === "fc" };
  if (builtin === "let") return args[0] ? evaluatedWord(args[0]) : null;
  if (builtin === "set") return findSetHazard(args);
  if (builtin === "test" || builtin === "[") return findTestHazard(args);
  const taker = NAME_TAKERS.get(builtin);
  return taker ? findTakerHazard(args, taker) : null;
}

function findTakerHazard(args: readonly ShellWord[], taker: NameTaker): Hazard | null {
  let at = 0;
  while (at < args.length && mayBeOption(args[at]!)) {
    const option = args[at++]!;
    if (option.text === "--") break;
    const { hazard, more } = readOption(option, args[at], taker);
    if (hazard !== null) return hazard;
    at += more;
  }
  return firstHazard(taker.named(args.slice(at)), findWordHazard);
}

interface ReadOption {
  readonly hazard: Hazard | null;
  /** How many of the next words belong to the option. */
  readonly more: 0 | 1;
}

function readOption(option: ShellWord, next: ShellWord | undefined, taker: NameTaker): ReadOption {
  const { text, fixed, source } = option;
  if (text === null || !fixed) return { hazard: describeEvaluation(source), more: 0 };
  const at = [...text].findIndex((letter, index) => index > 0 && !taker.flags.includes(letter));
  if (at === -1) return { hazard: null, more: 0 };
  const attached = text.slice(at + 1);
  const value = attached === "" ? next : { text: attached, fixed, source };
  return { hazard: findValueHazard(option, text[at]!, value, taker), more: attached === "" ? 1 : 0 };
}

function findValueHazard(
  option: ShellWord,
  letter: string,
  value: ShellWord | undefined,
  { values, names }: NameTaker,
): Hazard | null {
  if (!(values + names).includes(letter))
    return { text: `${quote(option.source)} is an option that may run commands or rename`, evaluates: true };
  if (value === undefined) return null;
  if (names.includes(letter)) return findWordHazard(value);
  return isOneWord(value) ? null : evaluatedWord(value);
}

/** Accepts a name or `NAME=value`. The shell evaluates an array list, even in quotes. */
function findWordHazard(word: ShellWord): Hazard | null {
  const [, name] = /^(\w+)(?:\+?=(?!\s*\().*)?$/s.exec(word.text ?? "") ?? [];
  return name === undefined ? evaluatedWord(word) : findNameHazard(name);
}

/** With `-k`, every word of a command that looks like an assignment is one. */
function findSetHazard(args: readonly ShellWord[]): Hazard | null {
  const end = args.findIndex(({ text }) => text === "--" || text === "-");
  const options = end === -1 ? args : args.slice(0, end);
  const odd = options.find((word) => !word.fixed || /^(-[a-zA-Z]*k|keyword$)/.test(word.text ?? ""));
  if (odd === undefined) return null;
  const text = `set may get an option from ${quote(odd.source)} that turns words into assignments`;
  return { text, evaluates: true };
}

function findTestHazard(args: readonly ShellWord[]): Hazard | null {
  return firstHazard(args, (word, at) => {
    if (!isOneWord(word)) return evaluatedWord(word);
    const next = args[at + 1];
    return next === undefined || isTestable(word, next) ? null : evaluatedWord(next);
  });
}

/** Whether `next` is safe to test, even if `word` becomes `-v`, which evaluates a name. */
function isTestable(word: ShellWord, next: ShellWord): boolean {
  if (word.text === "-v" || word.text === "-R") return isPlainName(next.text);
  return word.fixed || holdsNumber(word) || (next.text !== null && !next.text.includes("["));
}

/** A word is not an option if its first character is literal and does not begin an option, whatever it expands to. */
function mayBeOption(word: ShellWord): boolean {
  if (word.fixed) return word.text!.startsWith("-");
  return !holdsNumber(word) && !/^"?[\w%./ ]/.test(word.source);
}

function isOneWord(word: ShellWord): boolean {
  return word.fixed || holdsNumber(word) || /^~?[\w./%:=+,-]*("[^"@]*"[\w./%:=+,-]*)?$/.test(word.source);
}

function holdsNumber({ source }: ShellWord): boolean {
  return /^"?\$[!#?$]"?$/.test(source);
}

function firstHazard(
  words: readonly ShellWord[],
  find: (word: ShellWord, at: number) => Hazard | null,
): Hazard | null {
  return words.map(find).find((hazard) => hazard !== null) ?? null;
}

function evaluatedWord({ text, source }: ShellWord): Hazard {
  return describeEvaluation(text ?? source);
}
