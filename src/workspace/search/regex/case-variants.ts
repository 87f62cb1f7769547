import { type CodePoints, unite } from "./code-points.ts";

/**
 * Adds to a set all characters that JavaScript's `i` flag treats as equal to a member. Above U+FFFF there is no case
 * unless the flag `u` is set too.
 */
export type AddVariants = (points: CodePoints) => CodePoints;

const ASCII = 0x80;
const BMP = 0x10000;

export function createCaseVariants(): AddVariants {
  const ascii = variantsBelow(ASCII);
  // This takes some milliseconds, and few patterns need it.
  let all: Variants | null = null;
  return (points) => {
    if (points.every(([, last]) => last < ASCII)) return addFrom(ascii, points);
    all ??= variantsBelow(BMP);
    return addFrom(all, points);
  };
}

/** Characters that have case variants, each with all variants. */
type Variants = ReadonlyMap<number, readonly number[]>;

function addFrom(variants: Variants, points: CodePoints): CodePoints {
  const added = variantsOf(variants, points).map((unit) => [unit, unit] as const);
  return added.length === 0 ? points : unite([...points, ...added]);
}

function variantsOf(variants: Variants, points: CodePoints): readonly number[] {
  const [only] = points;
  if (points.length === 1 && only![0] === only![1]) return variants.get(only![0]) ?? [];
  const has = (unit: number) => points.some(([first, last]) => unit >= first && unit <= last);
  return [...variants].flatMap(([unit, kind]) => (has(unit) ? kind : []));
}

function variantsBelow(end: number): Variants {
  const variants = new Map<number, number[]>();
  for (let unit = 0; unit < end; unit++) {
    const upper = canonicalize(unit);
    if (upper === unit) continue;
    const kind = variants.get(upper) ?? [upper];
    kind.push(unit);
    variants.set(upper, kind).set(unit, kind);
  }
  return variants;
}

/** https://tc39.es/ecma262/#sec-runtime-semantics-canonicalize-ch, without `u`: never from beyond ASCII into it. */
function canonicalize(unit: number): number {
  const upper = String.fromCharCode(unit).toUpperCase();
  if (upper.length !== 1) return unit;
  const code = upper.charCodeAt(0);
  return unit >= ASCII && code < ASCII ? unit : code;
}
