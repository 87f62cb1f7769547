// What a command line would do, as far as its text tells: every simple command, wherever it stands.

/** One word of a command, as the command would get it. */
export interface ShellWord {
  /** Without its quotes; null when it holds an expansion, so that only the running shell knows it. */
  readonly text: string | null;
  /** False: the shell makes something else or more of it (a glob, braces, `~`, `$'…'`). */
  readonly fixed: boolean;
  /** As it was written. */
  readonly source: string;
}

export interface SimpleCommand {
  /** Never empty; the first one is the command. */
  readonly words: readonly ShellWord[];
}

export interface Redirect {
  readonly access: "read" | "write";
  readonly target: ShellWord;
}

export interface ReadCommandLine {
  readonly readable: true;
  readonly line: string;
  readonly commands: readonly SimpleCommand[];
  /** Without those that only copy or close a descriptor. */
  readonly redirects: readonly Redirect[];
  /** What makes words mean something else than they say: `"f() { …" defines a function`. */
  readonly hazards: readonly string[];
}

export interface UnreadableCommandLine {
  readonly readable: false;
  readonly line: string;
  /** Why, to go on after "for": `it is too long`. */
  readonly fault: string;
}

export type CommandLine = ReadCommandLine | UnreadableCommandLine;
