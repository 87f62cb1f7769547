/** What a terminal obeys; tabs and line ends are the shell's own. */
export function hasControlCharacter(text: string): boolean {
  return /[\0-\x08\x0b-\x1f\x7f-\x9f]/.test(text);
}
