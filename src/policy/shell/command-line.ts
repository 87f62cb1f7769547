// A parsed command line: all its simple commands, however nested, as far as the text shows them.

import type { Hazard } from "./name-hazard.ts";

/** One word of a command after quote removal. */
export interface ShellWord {
  /** Without quotes; null if the word contains an expansion, which only the running shell knows. */
  readonly text: string | null;
  /** False if the shell expands the word further (a glob, braces, `~`, `$'…'`). */
  readonly fixed: boolean;
  /** As written. */
  readonly source: string;
}

export interface SimpleCommand {
  /** Never empty; the first word is the command. */
  readonly words: readonly ShellWord[];
  /** Where it runs, as far as the line shows it: `.` is where the line began. */
  readonly directory: string;
}

export interface Redirect {
  readonly access: "read" | "write";
  readonly target: ShellWord;
}

export interface ReadCommandLine {
  readonly readable: true;
  readonly line: string;
  readonly commands: readonly SimpleCommand[];
  /** Without redirects that only duplicate or close a descriptor. */
  readonly redirects: readonly Redirect[];
  readonly hazards: readonly Hazard[];
}

export interface UnreadableCommandLine {
  readonly readable: false;
  readonly line: string;
  /** The reason, as text after "for": `it is too long`. */
  readonly fault: string;
}

export type CommandLine = ReadCommandLine | UnreadableCommandLine;
