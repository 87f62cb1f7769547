// Finds the characters with a Unicode property. JavaScript offers this only by matching each character.
import type { AddVariants } from "./case-variants.ts";
import type { CodePoints } from "./code-points.ts";

/** Takes a property as written in a pattern, such as `\p{Lu}` or `\P{Script=Greek}`. */
export type PropertyPoints = (property: string) => CodePoints;

const SURROGATES = 0xd800;
const BEHIND_SURROGATES = 0xe000;
const BEHIND_BMP = 0x10000;
const BEHIND_ALL = 0x110000;

/** A property takes some ten milliseconds, so each is computed once. */
export function createPropertyPoints(addVariants: AddVariants): PropertyPoints {
  const known = new Map<string, CodePoints>();
  let all: string | null = null;
  return (property) => {
    all ??= allCharacters();
    const points = known.get(property) ?? addVariants(pointsOf(property, all));
    known.set(property, points);
    return points;
  };
}

function pointsOf(property: string, all: string): CodePoints {
  const runs = all.matchAll(new RegExp(`${property}+`, "gu"));
  return Array.from(runs, ({ index, 0: run }) => [pointAt(index), pointAt(index + run.length - 1)]);
}

/** A text of all characters in order, without the surrogates. */
function allCharacters(): string {
  const below = BEHIND_BMP - (BEHIND_SURROGATES - SURROGATES);
  const units = new Uint16Array(below + 2 * (BEHIND_ALL - BEHIND_BMP));
  for (let place = 0; place < below; place++) units[place] = pointAt(place);
  for (let place = below, beyond = 0; place < units.length; place += 2, beyond++) {
    units[place] = 0xd800 + (beyond >> 10);
    units[place + 1] = 0xdc00 + (beyond & 0x3ff);
  }
  return Buffer.from(units.buffer).toString("utf16le");
}

/** The character at this index in the text of all characters, by either of its UTF-16 units. */
function pointAt(place: number): number {
  if (place < SURROGATES) return place;
  const behind = place + (BEHIND_SURROGATES - SURROGATES);
  return behind < BEHIND_BMP ? behind : BEHIND_BMP + ((behind - BEHIND_BMP) >> 1);
}
