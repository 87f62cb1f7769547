import { HotcellError } from "../../core/errors.ts";
import { inertJson } from "../../core/inert-json.ts";
import { makeVisible } from "../../core/quote.ts";

/** The input and output of a command. Tests replace it. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** True when a person can be asked. */
  readonly interactive: boolean;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  /** False if the reader has closed the stream. */
  out(text: string | Uint8Array): boolean;
  err(text: string): void;
  /** Shows a text that may be long: in a terminal, a page at a time. */
  page(text: string): Promise<void>;
  /** Throws USAGE if there are more bytes. */
  readStdin(maxBytes: number): Promise<Buffer>;
  /** One key of these, without Enter; null for Enter, Escape, Ctrl-C and the end of input. */
  askKey(question: string, keys: string): Promise<string | null>;
  /** One line from the person; null at the end of input. */
  askLine(question: string, signal?: AbortSignal): Promise<string | null>;
  /** The same; empty at the end of input. */
  ask(question: string, signal?: AbortSignal): Promise<string>;
}

export type ExitCode = 0 | 1 | 2;

/** One document: compact for programs, indented for people. Inert on a terminal either way. */
export function printJson(io: Io, value: unknown, compact: boolean): void {
  io.out(`${inertJson(value, compact ? undefined : 2)}\n`);
}

/** Lines of untrusted text, without terminal escapes and line ends. */
export function printLines(io: Io, ...lines: readonly string[]): void {
  for (const line of lines) io.out(`${makeVisible(line)}\n`);
}

/** Prints lines for a person to standard error. */
export function printNotes(io: Io, ...lines: readonly string[]): void {
  for (const line of lines) io.err(`${makeVisible(line)}\n`);
}

export function usage(message: string): HotcellError {
  return new HotcellError("USAGE", message);
}
