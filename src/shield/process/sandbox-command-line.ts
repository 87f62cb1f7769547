// The command line that starts bubblewrap in the mount namespace and creates a sandbox, and the script that runs the
// command in the waiting shell.
import { osPath } from "../../workspace/fs/names.ts";
import { nulError } from "../../workspace/overlay/mount-namespace.ts";
import { type TerminalSize, terminalLine } from "../terminal/terminal-line.ts";
import type { Descriptors } from "./bwrap-args.ts";

export const ARGS = 3;
export const DESCRIPTORS: Descriptors = { seccomp: 4, status: 5 };
export const GATE = 6;
/** The number of the descriptors above. */
export const CHANNELS = 4;
/** A file and not a pipe: a shell reads a file at once, but a pipe one byte at a time. */
const COMMAND = ARGS + CHANNELS;

// The shell runs the file only after it reads a line from the gate; if this process dies, no line comes. (bubblewrap's
// --block-fd also continues at the end of its input.) At that time the parent-death signal of the sandbox is set.
const WAIT = `echo >&${GATE} && read -r _ <&${GATE} && . /proc/self/fd/${COMMAND}`;

/**
 * `entry` precedes bubblewrap: it enters the mount namespace and drops privileges. The mark identifies the process that
 * started it. The environment and the arguments contain nothing else of ours, because the sandbox can read both. The
 * shell has an absolute path, so neither the project nor a command's variables can choose it.
 */
export function sandboxCommandLine(entry: readonly string[], mark: string): string[] {
  return [...entry, "bwrap", "--args", `${ARGS}`, "--", "/bin/sh", "-c", WAIT, "sh", mark];
}

export interface CommandScriptOptions {
  readonly cwd: string;
  /** A shell script that sets the limits. */
  readonly limits: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether the command gets the variable PWD. */
  readonly hasPwd: boolean;
  readonly argv: readonly string[];
  readonly stderrToStdout?: boolean;
  /** The size of the terminal to run it in; null for none. */
  readonly terminal?: TerminalSize | null;
}

/**
 * The content of that file. It is in braces, so that the shell runs nothing of an incomplete file. If the command cannot
 * begin, the shell reports it on the gate.
 */
export function commandScript({
  cwd,
  limits,
  env,
  hasPwd,
  argv,
  stderrToStdout,
  terminal = null,
}: CommandScriptOptions): Uint8Array {
  if ([cwd, ...Object.values(env), ...argv].some((word) => word.includes("\0"))) throw nulError();
  const variables = Object.entries(env).filter(([name]) => NAME.test(name) && !SHELLS_OWN.has(name));
  const setup = [
    `{ cd -P ${quoteWord(cwd)} && ${limits} || { echo >&${GATE}; exit 1; }`,
    `unset OLDPWD ${hasPwd ? "" : "PWD"}`,
    ...variables.map(([name, value]) => `export ${name}=${quoteWord(value)}`),
    "",
  ].join("\n");
  const words = argv.map(quoteWord).join(" ");
  const end =
    terminal === null
      ? [words, ...(stderrToStdout ? ["2>&1"] : []), `${GATE}<&-`, `${COMMAND}<&-`]
      : [
          terminalLine(words, quoteWord(env.SHELL ?? "/bin/sh"), terminal, GATE)
            .map(quoteWord)
            .join(" "),
          `${COMMAND}<&-`,
        ];
  return Buffer.concat([Buffer.from(osPath(setup)), Buffer.from(`exec ${end.join(" ")}\n}\n`)]);
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Variables that shells do not allow to be set, or change themselves. */
const SHELLS_OWN = new Set(["UID", "EUID", "PPID", "SHELLOPTS", "BASHOPTS", "BASH_VERSINFO", "OPTIND"]);

function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
