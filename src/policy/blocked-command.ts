// Commands that are denied at every trust level unless a configured rule allows them: they harm the machine. The list only detects intent; the sandbox enforces the limits.
import type { ShellWord, SimpleCommand } from "./shell/command-line.ts";
import { baseName } from "./shell/inner-commands.ts";
import { isDevice, isHome, isSystemPath, isTemporary } from "./system-path.ts";

interface Blocked {
  /** In the notation of a rule. */
  readonly pattern: string;
  blocks(name: string, args: readonly ShellWord[]): boolean;
}

export const BLOCKED_COMMANDS: readonly Blocked[] = [
  ...["sudo", "shutdown", "reboot", "format"].map(named),
  { pattern: "dd of=/dev/*", blocks: (name, args) => name === "dd" && args.some(isDeviceOutput) },
  { pattern: "mkfs /dev/*", blocks: (name, args) => /^mkfs(\.|$)/.test(name) && texts(args).some(isDevice) },
  {
    pattern: "rm -rf /*",
    blocks: (name, args) => isTreeRemoval(name, args) && texts(args).some(isSystemPath),
  },
  { pattern: "rm -rf ~", blocks: (name, args) => isTreeRemoval(name, args) && texts(args).some(isHome) },
  { pattern: "chmod 777 *", blocks: (name, args) => name === "chmod" && opensToAll(texts(args)) },
];

/** The pattern that blocks a command, or null. */
export function findBlocked({ words: [first, ...args] }: SimpleCommand): string | null {
  const name = baseName(first!.text ?? "");
  return BLOCKED_COMMANDS.find(({ blocks }) => blocks(name, args))?.pattern ?? null;
}

function named(command: string): Blocked {
  return { pattern: `${command} *`, blocks: (name) => name === command };
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

/** A long option may be abbreviated. */
function isLong(arg: string, option: string): boolean {
  return arg.length > 2 && option.startsWith(arg);
}

/** The project's files too: a commit would make them writable for everybody. */
function opensToAll(args: readonly string[]): boolean {
  const isMode = (arg: string) => /^([0-7]*777|(a|[ugo]{3})[+=][rwx]{3})$/.test(arg);
  const operands = args.filter((arg) => !arg.startsWith("-") && !isMode(arg));
  return args.some(isMode) && !(operands.length > 0 && operands.every(isTemporary));
}
