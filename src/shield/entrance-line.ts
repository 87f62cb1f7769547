// The command line by which bubblewrap comes into the room, and what it is told there about one command.
import { argumentsText } from "../workspace/overlay/room.ts";
import type { Descriptors } from "./bwrap-args.ts";

export const ARGS = 3;
export const DESCRIPTORS: Descriptors = { seccomp: 4, status: 5 };
export const GATE = 6;
/** How many these are. */
export const LINKS = 4;

export interface LineOptions {
  /** Up to bubblewrap's own arguments: entering the room, giving up rights. */
  readonly entry: readonly string[];
  /** What a shell does to limit itself. */
  readonly limits: string;
  readonly argv: readonly string[];
  /** Names whoever has started it. */
  readonly mark: string;
}

/** Nothing of ours is in its environment or among its arguments: both could be read from inside. */
export function entranceLine({ entry, limits, argv, mark }: LineOptions): string[] {
  const { names, rest } = wordsOf(argv);
  return [...entry, "bwrap", "--args", `${ARGS}`, "--", "sh", "-c", gate(limits, names), "sh", mark, ...rest];
}

// The command begins when it is told to, and only then: nobody tells it when this process is dead. (bubblewrap's own
// way to hold a command takes the end of its input for a go.) By then it is sure to die with this process.
function gate(limits: string, names: readonly string[]): string {
  const words = names.map((name) => `"$${name}"`).join(" ");
  return [
    `echo >&${GATE} && read -r _ <&${GATE} && exec ${GATE}<&- && ${limits}`,
    `shift && set -- ${words} "$@" && unset ${names.join(" ")} && exec "$@"`,
  ].join(" && ");
}

/** What bubblewrap reads. */
export function enclosureText(
  bwrapArgs: (descriptors: Descriptors) => readonly string[],
  argv: readonly string[],
): Uint8Array {
  const { names, first } = wordsOf(argv);
  const variables = names.flatMap((name, at) => ["--setenv", name, first[at]!]);
  return argumentsText([...bwrapArgs(DESCRIPTORS), ...variables]);
}

/** Until it begins, a command's first words are variables: so the line is the same for all commands of few words. */
function wordsOf(argv: readonly string[]) {
  // As in a command line: half a character is no byte.
  const words = argv.slice(0, MAX_VARIABLES).map((word) => Buffer.from(word).toString());
  const tooLong = words.findIndex((word) => Buffer.byteLength(word) > MAX_VARIABLE_BYTES);
  const first = tooLong < 0 ? words : words.slice(0, tooLong);
  const names = first.map((_, at) => `HOTCELL_WORD_${at}`);
  return { names, first, rest: argv.slice(first.length) };
}

/** bubblewrap takes 9000 arguments at most, and each variable is three. */
const MAX_VARIABLES = 8;
/** The kernel takes 128 KiB for a variable with its name, as for a word. */
const MAX_VARIABLE_BYTES = 120 * 1024;
