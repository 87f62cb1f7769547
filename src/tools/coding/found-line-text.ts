import type { FoundLine } from "../builtin-types.ts";

/** A match and the lines around it as grep shows them: `-` marks a line that is only context. */
export function foundLineText({ path, line, text, before = [], after = [] }: FoundLine): string {
  const around = (shown: string, offset: number) => `${path}-${line + offset}- ${shown}`;
  return [
    ...before.map((shown, index) => around(shown, index - before.length)),
    `${path}:${line}: ${text}`,
    ...after.map((shown, index) => around(shown, index + 1)),
    ...(before.length + after.length > 0 ? ["--"] : []),
  ].join("\n");
}
