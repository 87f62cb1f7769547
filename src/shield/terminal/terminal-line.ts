// The command line that gives a program a terminal of the sandbox's own. `script` of util-linux makes the terminal, so
// that Node needs no native code for it.

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/**
 * `words` are the program and its arguments, and `shell` the variable SHELL, all quoted for a shell. A helper in the
 * terminal reads further sizes from `sizesFd`, one line each. It ignores Ctrl-C, like everything that a shell without job
 * control starts in the background.
 */
export function terminalLine(
  words: string,
  shell: string,
  { rows, columns }: TerminalSize,
  sizesFd: number,
): string[] {
  const line = [
    `export SHELL=${shell}; stty sane iutf8 rows ${rows} cols ${columns}`,
    `while read -r rows columns <&${sizesFd}; do stty rows "$rows" cols "$columns"; done < /dev/tty > /dev/null 2>&1 &`,
    `exec ${words} ${sizesFd}<&-`,
  ].join("\n");
  return ["env", "SHELL=/bin/sh", "script", "--quiet", "--return", "--command", line, "/dev/null"];
}
