// Where the commands of a line run, as far as the line shows it.
import type { ShellWord } from "./command-line.ts";

/** Where a line begins; also stands for a directory that the line does not show. */
export const LINE_START = ".";

/** The path that a word names, from the directory in which its command runs. */
export function pathFrom(directory: string, { text, source }: ShellWord): string {
  return text === null || /^[/~]/.test(text) ? (text ?? source) : `${directory}/${text}`;
}

/** Where the next command runs. */
export function directoryAfter([name, ...args]: readonly ShellWord[], before: string): string {
  const command = name?.text ?? "";
  if (!["cd", "pushd", "popd"].includes(command)) return before;
  const [to] = args.filter(({ text }) => !/^-[LPe@-]+$/.test(text ?? ""));
  if (to === undefined) return command === "cd" ? "~" : LINE_START;
  const path = pathFrom(before, to);
  return to.text !== "-" && /^([./~]|"?\$\{?HOME\b)/.test(path) ? path : LINE_START;
}
