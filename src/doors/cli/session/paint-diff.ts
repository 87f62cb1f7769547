import { makeVisible } from "../../../core/quote.ts";
import type { Io } from "../io.ts";

const BOLD = 1;
const COLOURS: ReadonlyMap<string, number> = new Map([
  ["+", 32],
  ["-", 31],
  ["@", 36],
]);

/** A diff whose only terminal escapes are hotcell's colours. */
export function paintDiff(text: string, coloured: boolean): string {
  let inHunk = false;
  return text.replace(/[^\n]+/g, (line) => {
    if (line.startsWith("@@ ")) inHunk = true;
    // Lines of a hunk begin with a sign.
    else if (line.startsWith("diff --git ")) inHunk = false;
    const colour = inHunk ? COLOURS.get(line[0]!) : BOLD;
    const visible = line.split("\t").map(makeVisible).join("\t");
    return coloured && colour !== undefined ? `\u001b[${colour}m${visible}\u001b[m` : visible;
  });
}

/** See no-color.org. */
export function wantsColour({ env }: Io, isTerminal: boolean): boolean {
  return isTerminal && !env.NO_COLOR;
}
