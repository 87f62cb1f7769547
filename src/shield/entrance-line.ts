// The command line by which bubblewrap comes into the room and makes an enclosure, and what the shell that waits there is
// told at last.
import { osPath } from "../workspace/names.ts";
import { hasNul } from "../workspace/overlay/room.ts";
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
const WAIT = `echo >&${GATE} && read -r _ <&${GATE} && exec ${GATE}<&- && . /proc/self/fd/${COMMAND}`;

/**
 * `entry` is what comes before bubblewrap: entering the room, giving up rights. The mark names whoever has started it.
 * Nothing else of ours is in its environment or among its arguments: both could be read from inside.
 */
export function entranceLine(entry: readonly string[], mark: string): string[] {
  return [...entry, "bwrap", "--args", `${ARGS}`, "--", "sh", "-c", WAIT, "sh", mark];
}

export interface CommandText {
  readonly cwd: string;
  /** What a shell does to limit itself. */
  readonly limits: string;
  readonly argv: readonly string[];
  /** Variables of the shell's own that are not the command's. */
  readonly without: readonly string[];
}

/** What is in that file. In braces, for of half a text nothing may be run. */
export function commandText({ cwd, limits, argv, without }: CommandText): Uint8Array {
  if (argv.some((word) => word.includes("\0"))) throw hasNul();
  return Buffer.concat([
    Buffer.from("{ cd -P "),
    Buffer.from(osPath(literally(cwd))),
    Buffer.from(` && unset OLDPWD ${without.join(" ")} && ${limits} && `),
    Buffer.from(`exec ${argv.map(literally).join(" ")} ${COMMAND}<&-\n}\n`),
  ]);
}

function literally(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
