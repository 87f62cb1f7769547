/** Finds characters that control a terminal. Tabs and line ends are part of shell syntax. */
export function hasControlCharacter(text: string): boolean {
  return /[\0-\x08\x0b-\x1f\x7f-\x9f]/.test(text);
}
