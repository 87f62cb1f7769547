import { HotcellError } from "../../core/errors.ts";
import { inertJson } from "../../core/inert-json.ts";
import { makeVisible } from "../../core/quote.ts";

/** What a command may touch of the world; tests bring their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** True when a person can be asked. */
  readonly interactive: boolean;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  /** False when nobody reads it any more. */
  out(text: string | Uint8Array): boolean;
  err(text: string): void;
  readStdin(): Promise<string>;
  /** One line from the person; empty at the end of input. */
  ask(question: string, signal?: AbortSignal): Promise<string>;
}

export type ExitCode = 0 | 1 | 2;

/** One document: compact for programs, indented for people. Inert on a terminal either way. */
export function printJson(io: Io, value: unknown, compact: boolean): void {
  io.out(`${inertJson(value, compact ? undefined : 2)}\n`);
}

/** Lines of text from anywhere, with nothing in them that a terminal obeys and no line end of their own. */
export function printLines(io: Io, ...lines: readonly string[]): void {
  for (const line of lines) io.out(`${makeVisible(line)}\n`);
}

/** The same beside the output: what only a person reads. */
export function tellLines(io: Io, ...lines: readonly string[]): void {
  for (const line of lines) io.err(`${makeVisible(line)}\n`);
}

export function usage(message: string): HotcellError {
  return new HotcellError("USAGE", message);
}
