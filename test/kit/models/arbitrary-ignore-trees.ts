// Random trees with .gitignore files: few names, and rules with many special characters.
import fc from "fast-check";

export interface Tree {
  /** The text of its .gitignore. */
  readonly rules: string | null;
  /** Null is a file. */
  readonly entries: ReadonlyMap<string, Tree | null>;
}

const NAMES = [
  ..."abcA1-]^!#* é",
  ...["aa", "ab", "abc", "a.b", "b.b", ".b", "a-b", "a b", "a ", "ba", "[a", "a]", "a\\", "\\", "a\r", "\t"],
  ...["éa", "\uDCFF", "a\uDCC3", "\uDCA9", "日", "😀"],
];
const name = fc.constantFrom(...NAMES);
const letter = fc.constantFrom(..."aabbc.A1é-");
const classMember = fc.oneof(
  { weight: 4, arbitrary: letter },
  fc.constantFrom(..."]-^![:\\/\uDCFF", "a-c", "c-a", "+--", "\\]", "\\-", "[:", ":]", "\\"),
  fc
    .constantFrom("alpha", "digit", "alnum", "upper", "space", "punct", "nothing", "")
    .map((it) => `[:${it}:]`),
);
const byteClass = fc
  .tuple(fc.constantFrom("", "", "!", "^"), fc.array(classMember, { minLength: 1, maxLength: 4 }))
  .map(([negation, members]) => `[${negation}${members.join("")}]`);
const atom = fc.oneof(
  { weight: 6, arbitrary: letter },
  { weight: 3, arbitrary: name },
  { weight: 4, arbitrary: fc.constantFrom("*", "*", "?", "**") },
  {
    weight: 3,
    arbitrary: fc.constantFrom("/", "/", "/*/", "**/", "/**", "/**/", "***/", "\\/", "/**\\/", "//"),
  },
  { weight: 2, arbitrary: byteClass },
  { weight: 1, arbitrary: fc.constantFrom("\\", "\\a", "\\*", "\\?", "\\[", "\\ ", "[", "\0", "\r", "\t") },
);
const glob = fc.oneof(
  { weight: 3, arbitrary: fc.array(atom, { minLength: 1, maxLength: 6 }).map((atoms) => atoms.join("")) },
  { weight: 1, arbitrary: name },
  { weight: 1, arbitrary: fc.array(name, { minLength: 2, maxLength: 3 }).map((names) => names.join("/")) },
  { weight: 1, arbitrary: letter.map((it) => `*${it}`) },
  { weight: 1, arbitrary: fc.constantFrom("*.b", "*", "**", "/*", "?", "??", "[ab]*") },
);
const line = fc
  .tuple(
    fc.constantFrom("", "", "", "", "/", "!", "!", "!/", "**/", "\\", "#", " ", "!!"),
    glob,
    fc.constantFrom("", "", "", "", "", "/", "/", "/**", "/*", " ", "\\ ", "  ", " \\", "\r", "//", "\\/"),
  )
  .map((parts) => parts.join(""));
const ruleFile = fc
  .tuple(
    fc.constantFrom("", "", "", "\uFEFF", "\uFEFF\uFEFF"),
    fc.array(line, { minLength: 1, maxLength: 7 }),
    fc.constantFrom("\n", "\n", "\n", "\r\n", "\n\n"),
    fc.constantFrom("", "\n", "\r"),
  )
  .map(([start, lines, newline, end]) => start + lines.join(newline) + end);

function treeOf(depth: number, rules: fc.Arbitrary<string | null>): fc.Arbitrary<Tree> {
  const below =
    depth === 0 ? fc.constant(null) : fc.option(treeOf(depth - 1, fc.option(ruleFile, { freq: 2 })));
  const entry = fc.tuple(name, below);
  return fc
    .tuple(rules, fc.array(entry, { minLength: depth, maxLength: 8 }))
    .map(([text, entries]) => ({ rules: text, entries: new Map(entries) }));
}

export const ignoreTrees: fc.Arbitrary<Tree> = treeOf(3, ruleFile);
