import type { ShellWord } from "./shell/command-line.ts";

/** Options before git's subcommand whose value is the next word. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  "-C",
  "-c",
  "--attr-source",
  "--config-env",
  "--git-dir",
  "--namespace",
  "--super-prefix",
  "--work-tree",
]);

/** `push origin` of `-C . -c a=b push origin`: what git does, without the options that say where and how. */
export function withoutGitOptions(args: readonly ShellWord[]): readonly ShellWord[] {
  let at = 0;
  while (at < args.length && (args[at]!.text ?? "").startsWith("-"))
    at += WITH_VALUE.has(args[at]!.text!) ? 2 : 1;
  return args.slice(at);
}
