// Commands that are denied at every trust level unless a configured rule allows them: they harm the machine or use the
// network. The list only detects intent; the sandbox enforces the limits.
import type { SimpleCommand } from "./shell/command-line.ts";
import { baseName } from "./shell/look-through.ts";

interface Blocked {
  /** In the notation of a rule. */
  readonly pattern: string;
  blocks(name: string, args: readonly string[]): boolean;
}

export const BLOCKED_COMMANDS: readonly Blocked[] = [
  ...["sudo", "shutdown", "reboot", "format", "dd", "curl", "wget", "nc", "netcat"].map(named),
  { pattern: "mkfs *", blocks: (name) => name === "mkfs" || name.startsWith("mkfs.") },
  { pattern: "rm -rf /*", blocks: (name, args) => isForcedRemoval(name, args) && args.some(isAbsolute) },
  { pattern: "rm -rf ~*", blocks: (name, args) => isForcedRemoval(name, args) && args.some(isHome) },
  { pattern: "chmod 777 *", blocks: (name, args) => name === "chmod" && args.some(opensToAll) },
];

/** The pattern that blocks a command, or null. */
export function findBlocked({ words: [first, ...rest] }: SimpleCommand): string | null {
  const name = baseName(first!.text ?? "");
  const args = rest.map(({ text, source }) => text ?? source);
  return BLOCKED_COMMANDS.find(({ blocks }) => blocks(name, args))?.pattern ?? null;
}

function named(command: string): Blocked {
  return { pattern: `${command} *`, blocks: (name) => name === command };
}

function isForcedRemoval(name: string, args: readonly string[]): boolean {
  return (
    name === "rm" &&
    args.some(isOption(/^-[^-]*[rR]/, "--recursive")) &&
    args.some(isOption(/^-[^-]*f/, "--force"))
  );
}

/** A long option may be abbreviated. */
function isOption(short: RegExp, long: string): (arg: string) => boolean {
  return (arg) => short.test(arg) || (arg.length > 2 && long.startsWith(arg));
}

function isAbsolute(arg: string): boolean {
  return arg.startsWith("/");
}

function isHome(arg: string): boolean {
  return /^(~|"?\$\{?HOME\b)/.test(arg);
}

function opensToAll(arg: string): boolean {
  return /^([0-7]*777|(a|[ugo]{3})[+=][rwx]{3})$/.test(arg);
}
