import fc from "fast-check";
import { directory, file, type Planted, symlink } from "../worlds/planted-tree.ts";

export interface TwoTrees {
  readonly before: Map<string, Planted>;
  readonly after: Map<string, Planted>;
  /** Paths of the second tree that a layer contains, changed or not. */
  readonly alsoTouched: readonly string[];
}

const NAMES = [
  "a",
  "b",
  "a.b",
  "a b",
  " ",
  "é",
  "\uDCFF\uDCFE",
  'q"',
  "n\nl",
  "t\t",
  "back\\",
  "-x",
  "=>",
  "x\u0001",
  "\u202E",
];
const LINES = [
  "\n",
  "a\n",
  "a\n",
  "b\n",
  "c\r\n",
  "\xc3\xa9\n",
  "\xe9\xff\n",
  "-- \n",
  "+\n",
  "\\ No newline\n",
  "\r\n",
  " \t\n",
];

/** None of the names above: git fails on a link to itself at the path of a directory. */
const TARGETS = ["no", "../no", "ñ", "no\n\nno", "\uDCF0", "no ", "\n"];

/** Few different lines, so that there is more than one way to align them. */
const shortText = fc
  .tuple(fc.array(fc.constantFrom(...LINES), { maxLength: 12 }), fc.constantFrom("", "", "last", "a", "\r"))
  .map(([lines, rest]) => lines.join("") + rest);

/** Numbered lines with some replaced, so that there is more than one hunk. */
const longText = fc.array(fc.nat(60), { maxLength: 6 }).map((edited) => {
  const lines = Array.from({ length: 60 }, (_, line) => `${line}${edited.includes(line) ? "!" : ""}\n`);
  return lines.filter((_, line) => line !== edited[5]).join("");
});

const binary = fc.uint8Array({ maxLength: 200 }).map((bytes) => `\0${Buffer.from(bytes).toString("latin1")}`);
const content = fc.oneof(shortText, longText, binary, fc.constantFrom("", "same", `${"x".repeat(9000)}\0\n`));

export const texts: fc.Arbitrary<string> = fc.oneof(shortText, longText);

const planted: fc.Arbitrary<Planted> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(content, fc.constantFrom(0o644, 0o644, 0o755, 0o600)).map((parts) => file(...parts)),
  },
  { weight: 1, arbitrary: fc.constantFrom(...TARGETS).map(symlink) },
  { weight: 1, arbitrary: fc.constantFrom(0o755, 0o700).map(directory) },
);

const names = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 });
const entry = fc.record({
  names,
  newNames: names,
  before: planted,
  after: planted,
  fate: fc.constantFrom("kept", "touched", "changed", "changed", "added", "deleted", "moved"),
});

export const twoTrees: fc.Arbitrary<TwoTrees> = fc.array(entry, { maxLength: 14 }).map((entries) => {
  const trees = { before: new Map<string, Planted>(), after: new Map<string, Planted>() };
  const alsoTouched: string[] = [];
  for (const { names, newNames, before, after, fate } of entries) {
    if (fate !== "added") put(trees.before, names, before);
    if (fate === "moved") put(trees.after, newNames, before);
    else if (fate !== "deleted") put(trees.after, names, fate === "changed" ? after : before);
    if (fate === "touched") alsoTouched.push(names.join("/"));
  }
  return { ...trees, alsoTouched: alsoTouched.filter((path) => trees.after.has(path)) };
});

/** Keeps the first entry of each path, and drops entries below a path that is not a directory. */
export function put(tree: Map<string, Planted>, names: readonly string[], planted: Planted): void {
  const trail = names.map((_, index) => names.slice(0, index + 1).join("/"));
  const path = trail.pop()!;
  if (trail.some((above) => (tree.get(above)?.kind ?? "directory") !== "directory")) return;
  for (const above of trail) if (!tree.has(above)) tree.set(above, directory());
  if (!tree.has(path)) tree.set(path, planted);
}
