// Parses a command line like bash, without running anything.
import {
  type Assignment,
  type Command,
  forEachChild,
  parse,
  type Redirect as RedirectNode,
  type SyntaxNode,
} from "unbash";
import { LIMITS } from "../../core/limits.ts";
import { quote } from "../../core/quote.ts";
import type { CommandLine, Redirect, ShellWord, SimpleCommand } from "./command-line.ts";
import { hasControlCharacter } from "./control-character.ts";
import { findBuiltinHazard } from "./find-builtin-hazard.ts";
import { findHazard } from "./find-hazard.ts";
import type { InnerCommand } from "./inner.ts";
import { findInnerCommands } from "./inner-commands.ts";
import type { Hazard } from "./name-hazard.ts";
import { readInput } from "./read-input.ts";
import { readWord, unknownWord } from "./read-word.ts";
import { directoryAfter, LINE_START } from "./working-directory.ts";

interface Reading {
  readonly commands: SimpleCommand[];
  readonly redirects: Redirect[];
  /** By their text. */
  readonly hazards: Map<string, Hazard>;
  /** The length of all words of all commands. */
  chars: number;
  fault: string | null;
  /** Where the next command runs. */
  directory: string;
}

/** A `cd` in these does not change where the commands after them run. A function may never be called. */
const WITH_OWN_DIRECTORY: ReadonlySet<string> = new Set<SyntaxNode["type"]>([
  "CommandExpansion",
  "Function",
  "ProcessSubstitution",
  "Subshell",
]);

/** Never throws: an unreadable line contains the reason. */
export function readCommandLine(line: string): CommandLine {
  const reading: Reading = {
    commands: [],
    redirects: [],
    hazards: new Map(),
    chars: 0,
    fault: null,
    directory: LINE_START,
  };
  readScript(line, 0, reading);
  const { commands, redirects, hazards, fault } = reading;
  if (fault !== null) return { readable: false, line, fault };
  return { readable: true, line, commands, redirects, hazards: [...hazards.values()] };
}

function readScript(text: string, depth: number, reading: Reading): void {
  reading.fault ??= findTextFault(text);
  if (reading.fault !== null) return;
  try {
    visit(parse(text), depth, reading);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // The parser overflowed the stack.
    reading.fault ??= "it is nested too deep";
  }
}

function findTextFault(text: string): string | null {
  if (hasControlCharacter(text)) return "it has a control character in it";
  if (Buffer.byteLength(text) > LIMITS.maxCommandBytes) return "it is too long";
  return countBraces(text) > LIMITS.maxCommandBraces ? "it has too many braces" : null;
}

// For each opening brace the parser scans for its end, and for `$[` more than once.
function countBraces(text: string): number {
  return text.split("{").length + 10 * text.split("$[").length;
}

function visit(node: SyntaxNode, depth: number, reading: Reading): void {
  reading.fault ??= findNodeFault(node, depth);
  if (reading.fault !== null) return;
  const hazard = findHazard(node);
  const { directory } = reading;
  addHazard(hazard, reading);
  if (node.type === "Redirect") noteRedirect(node, reading);
  if (node.type === "Command") noteCommand(node, depth, reading);
  forEachChild(node, (child) => visit(child, depth + 1, reading));
  if (WITH_OWN_DIRECTORY.has(node.type)) reading.directory = directory;
}

function findNodeFault(node: SyntaxNode, depth: number): string | null {
  if (depth > LIMITS.maxCommandDepth) return "it is nested too deep";
  const [error] = node.type === "Script" ? (node.errors ?? []) : [];
  if (error) return `it can't be parsed: ${quote(error.message)}`;
  return "script" in node && node.script === undefined ? "a part of it can't be parsed" : null;
}

function noteRedirect({ operator, target }: RedirectNode, reading: Reading): void {
  const word = target ? readWord(target) : unknownWord(operator);
  const isCopy = operator === ">&" || operator === "<&";
  if (isCopy && /^(\d+-?|-)$/.test(word.text ?? "")) return;
  reading.redirects.push({ access: operator === "<" || operator === "<&" ? "read" : "write", target: word });
}

function noteCommand({ name, args, redirects }: Command, depth: number, reading: Reading): void {
  if (name === undefined) return;
  const words = [name, ...args].map((word) => (word.type === "Word" ? readWord(word) : readAssigned(word)));
  noteWords(words, readInput(redirects), depth, reading);
  reading.directory = directoryAfter(words, reading.directory);
}

/** In `export A=b` the command gets one word, but the parser splits it. */
function readAssigned({ name, append, index, value, text: source }: Assignment): ShellWord {
  if (value.type === "ArrayValue" || index !== undefined) return unknownWord(source);
  const { text, fixed } = readWord(value);
  return { text: text === null ? null : `${name}${append ? "+=" : "="}${text}`, fixed, source };
}

function noteWords(words: readonly ShellWord[], input: string | null, depth: number, reading: Reading): void {
  if (!addCommand(words, reading)) return;
  const hazard = findBuiltinHazard(words);
  addHazard(hazard, reading);
  for (const inner of findInnerCommands(words, input)) noteInner(inner, input, depth + 1, reading);
}

function noteInner(inner: InnerCommand, input: string | null, depth: number, reading: Reading): void {
  const { directory } = reading;
  if (inner.type === "script") readScript(inner.text, depth, reading);
  if (inner.type === "hazard") addHazard(inner.hazard, reading);
  if (inner.type === "command") noteWords(inner.words, input, depth, reading);
  if (inner.type === "candidate") addCommand(inner.words, reading);
  reading.directory = directory;
}

function addHazard(hazard: Hazard | null, reading: Reading): void {
  if (hazard !== null) reading.hazards.set(hazard.text, hazard);
}

function addCommand(words: readonly ShellWord[], reading: Reading): boolean {
  reading.commands.push({ words, directory: reading.directory });
  for (const { source } of words) reading.chars += source.length;
  const isTooMuch =
    reading.commands.length > LIMITS.maxSimpleCommands || reading.chars > LIMITS.maxCommandChars;
  if (isTooMuch) reading.fault ??= "it has too many commands";
  return reading.fault === null;
}
