// Commands that are denied at every trust level unless a configured rule allows them: they harm the machine. The list only detects intent; the sandbox enforces the limits.
import type { ShellWord, SimpleCommand } from "./shell/command-line.ts";
import { baseName } from "./shell/inner-commands.ts";
import { possibleWords } from "./shell/possible-words.ts";
import { pathFrom } from "./shell/working-directory.ts";
import { isAbove, isDevice, isHome, isSystemPath } from "./system-path.ts";

interface Blocked {
  /** In the notation of a rule. */
  readonly pattern: string;
  blocks(name: string, args: readonly ShellWord[], directory: string): boolean;
}

export const BLOCKED_COMMANDS: readonly Blocked[] = [
  ...["sudo", "shutdown", "reboot", "format"].map(named),
  { pattern: "dd of=/dev/*", blocks: (name, args) => name === "dd" && args.some(isDeviceOutput) },
  { pattern: "mkfs /dev/*", blocks: (name, args) => /^mkfs(\.|$)/.test(name) && texts(args).some(isDevice) },
  removal("rm -rf /*", isSystemPath),
  removal("rm -rf ~", isHome),
  removal("rm -rf ../*", isAbove),
  {
    pattern: "find / -delete",
    blocks: (name, args, directory) =>
      name === "find" && isTreeDeletion(texts(args)) && startsOf(args, directory).some(isSystemPath),
  },
  opening("chmod 777 /*", isSystemPath),
  opening("chmod 777 ~", isHome),
];

/** The pattern that blocks a command, or null. */
export function findBlocked({ words: [first, ...rest], directory }: SimpleCommand): string | null {
  const name = baseName(first!.text ?? "");
  const args = rest.flatMap(possibleWords);
  return BLOCKED_COMMANDS.find(({ blocks }) => blocks(name, args, directory))?.pattern ?? null;
}

function named(command: string): Blocked {
  return { pattern: `${command} *`, blocks: (name) => name === command };
}

function removal(pattern: string, isForbidden: (path: string) => boolean): Blocked {
  const blocks: Blocked["blocks"] = (name, args, directory) =>
    isTreeRemoval(name, args) && pathsOf(args, directory).some(isForbidden);
  return { pattern, blocks };
}

function opening(pattern: string, isForbidden: (path: string) => boolean): Blocked {
  const blocks: Blocked["blocks"] = (name, args, directory) =>
    name === "chmod" && texts(args).some(isOpenMode) && pathsOf(args, directory).some(isForbidden);
  return { pattern, blocks };
}

function pathsOf(args: readonly ShellWord[], directory: string): string[] {
  return args.filter(({ text }) => !text?.startsWith("-")).map((word) => pathFrom(directory, word));
}

function texts(args: readonly ShellWord[]): string[] {
  return args.map(({ text, source }) => text ?? source);
}

function isDeviceOutput({ text, source }: ShellWord): boolean {
  return isDevice(/^of=(.*)$/s.exec(text ?? source)?.[1] ?? "");
}

function isTreeRemoval(name: string, args: readonly ShellWord[]): boolean {
  return name === "rm" && texts(args).some((arg) => /^-[^-]*[rR]/.test(arg) || isLong(arg, "--recursive"));
}

function isTreeDeletion(args: readonly string[]): boolean {
  const isRemoval = (arg: string, at: number) =>
    /^-(exec|ok)(dir)?$/.test(arg) && baseName(args[at + 1] ?? "") === "rm";
  return args.includes("-delete") || args.some(isRemoval);
}

/** The directories in which find begins: its operands before the first condition, or the current directory. */
function startsOf(args: readonly ShellWord[], directory: string): string[] {
  const operands = args.filter(({ text }) => !/^-([HLP]|O\d)$/.test(text ?? ""));
  const end = operands.findIndex(({ text }) => /^[-(!]/.test(text ?? ""));
  const starts = end === -1 ? operands : operands.slice(0, end);
  return starts.length > 0 ? pathsOf(starts, directory) : [directory];
}

/** A long option may be abbreviated. */
function isLong(arg: string, option: string): boolean {
  return arg.length > 2 && option.startsWith(arg);
}

/** Everybody may read, write and execute. */
function isOpenMode(arg: string): boolean {
  return /^([0-7]*777|(a|[ugo]{3})[+=][rwx]{3})$/.test(arg);
}
