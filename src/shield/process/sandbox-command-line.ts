// The command line by which bubblewrap comes into the room and makes an enclosure, and what the shell that waits there is
// told at last.
import { osPath } from "../../workspace/fs/names.ts";
import { hasNul } from "../../workspace/overlay/mount-namespace.ts";
import type { Descriptors } from "./bwrap-args.ts";

export const ARGS = 3;
export const DESCRIPTORS: Descriptors = { seccomp: 4, status: 5 };
export const GATE = 6;
/** How many these are. */
export const LINKS = 4;
/** A file, for a shell reads it in one go, and what comes by a pipe one byte at a time. */
const COMMAND = ARGS + LINKS;

// The shell runs what is in the file when it is told to, and only then: nobody tells it when this process is dead.
// (bubblewrap's own way to hold a command takes the end of its input for a go.) By then it is sure to die with this process.
const WAIT = `echo >&${GATE} && read -r _ <&${GATE} && . /proc/self/fd/${COMMAND}`;

/**
 * `entry` is what comes before bubblewrap: entering the room, giving up rights. The mark names whoever has started it.
 * Nothing else of ours is in its environment or among its arguments: both could be read from inside. Which shell it is
 * must not be for the project to say, nor for a command's variables.
 */
export function entranceLine(entry: readonly string[], mark: string): string[] {
  return [...entry, "bwrap", "--args", `${ARGS}`, "--", "/bin/sh", "-c", WAIT, "sh", mark];
}

export interface CommandText {
  readonly cwd: string;
  /** What a shell does to limit itself. */
  readonly limits: string;
  readonly env: Readonly<Record<string, string>>;
  /** It has the variable PWD too. */
  readonly hasPwd: boolean;
  readonly argv: readonly string[];
  readonly stderrToStdout?: boolean;
}

/** What is in that file. In braces, for of half a text nothing may be run. The shell says so where the command can't begin. */
export function commandText({ cwd, limits, env, hasPwd, argv, stderrToStdout }: CommandText): Uint8Array {
  if ([cwd, ...Object.values(env), ...argv].some((word) => word.includes("\0"))) throw hasNul();
  const variables = Object.entries(env).filter(([name]) => NAME.test(name) && !SHELLS_OWN.has(name));
  const surroundings = [
    `{ cd -P ${literally(cwd)} && ${limits} || { echo >&${GATE}; exit 1; }`,
    `unset OLDPWD ${hasPwd ? "" : "PWD"}`,
    ...variables.map(([name, value]) => `export ${name}=${literally(value)}`),
    "",
  ].join("\n");
  const words = argv.map(literally).join(" ");
  const redirections = [...(stderrToStdout ? ["2>&1"] : []), `${GATE}<&-`, `${COMMAND}<&-`].join(" ");
  return Buffer.concat([
    Buffer.from(osPath(surroundings)),
    Buffer.from(`exec ${words} ${redirections}\n}\n`),
  ]);
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** No shell lets these be set, or lets them be what they are. */
const SHELLS_OWN = new Set(["UID", "EUID", "PPID", "SHELLOPTS", "BASHOPTS", "BASH_VERSINFO", "OPTIND"]);

function literally(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
