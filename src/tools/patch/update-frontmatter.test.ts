import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import { HotcellError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import type { FrontmatterUpdate } from "./frontmatter-changes.ts";
import { parseFrontmatter } from "./parse-frontmatter.ts";
import { updateFrontmatter } from "./update-frontmatter.ts";

const front = (yaml: string): string => `---\n${yaml}---\nbody\n`;
const steps = (...append: string[]): FrontmatterUpdate => ({ stepsCompleted: { append } });
const variables = (set: Record<string, Json>): FrontmatterUpdate => ({ variables: { set } });

describe("an update", () => {
  test.each<[what: string, before: string, update: FrontmatterUpdate, after: string]>([
    [
      "adds items to a flow list",
      "stepsCompleted: [a, 'b'] # c\n",
      steps("c", "d e"),
      "stepsCompleted: [a, 'b', c, d e] # c\n",
    ],
    ["adds the first item of a flow list", "stepsCompleted: []\n", steps("a"), "stepsCompleted: [a]\n"],
    [
      "adds items to a flow list of many lines",
      "stepsCompleted: [\n  a, # first\n  b # last\n]\n",
      steps("c"),
      "stepsCompleted: [\n  a, # first\n  b, c # last\n]\n",
    ],
    [
      "adds items to a block list, indented as it is",
      "stepsCompleted:\n    - a\n    - b # last\n    # about b\n# about x\nx: 1\n",
      steps("c"),
      "stepsCompleted:\n    - a\n    - b # last\n    # about b\n    - c\n# about x\nx: 1\n",
    ],
    [
      "adds items to a block list that is not indented",
      "stepsCompleted:\n- a\nx: 1\n",
      steps("b"),
      "stepsCompleted:\n- a\n- b\nx: 1\n",
    ],
    [
      "adds items behind a text that keeps its newlines",
      "artifacts:\n  - |+\n    a\n\nx: 1\n",
      { artifacts: { append: ["b"] } },
      "artifacts:\n  - |+\n    a\n\n  - b\nx: 1\n",
    ],
    [
      "adds only strings that are new",
      "artifacts: [a]\n",
      { artifacts: { append: ["a", "b", "b"] } },
      "artifacts: [a, b]\n",
    ],
    [
      "makes a list of a null",
      "stepsCompleted: null # none\nx: 1\n",
      steps("a"),
      "stepsCompleted: # none\n  - a\nx: 1\n",
    ],
    ["makes a list of nothing", "stepsCompleted:\nx: 1\n", steps("a"), "stepsCompleted:\n  - a\nx: 1\n"],
    [
      "adds objects, also the same again",
      "decisionLog:\n  - node: n1\n",
      { decisionLog: { append: [{ node: "n1" }, { node: "n2", why: ["a", { b: [] }] }] } },
      "decisionLog:\n  - node: n1\n  - node: n1\n  - node: n2\n    why:\n      - a\n      - b: []\n",
    ],
    [
      "merges members into a block map",
      "variables:\n  # first\n  a: 1 # one\n  b:\n    - 1\n  c: 'x'\nx: 1\n",
      variables({ d: { e: 1 }, b: "two", a: 3 }),
      "variables:\n  # first\n  a: 3 # one\n  b: two\n  c: 'x'\n  d:\n    e: 1\nx: 1\n",
    ],
    [
      "merges members into a flow map",
      "variables: {a: 1, 'b': }\n",
      variables({ b: [], c: null }),
      "variables: {a: 1, 'b': [], c: null }\n",
    ],
    [
      "replaces a member as a whole",
      "variables: {a: {b: 1}}\n",
      variables({ a: { c: 1 } }),
      "variables: {a: {c: 1}}\n",
    ],
    [
      "replaces a value and keeps its comment",
      "currentNodeId: 'n1'   # now\n",
      { currentNodeId: { set: "n2" } },
      "currentNodeId: n2   # now\n",
    ],
    [
      "replaces a text of many lines",
      "updatedAt: >\n  a\n  b\n\nx: 1\n",
      { updatedAt: { set: "c" } },
      "updatedAt: c\n\nx: 1\n",
    ],
    [
      "replaces nothing by a value",
      "updatedAt: # when\nx: 1\n",
      { updatedAt: { set: "2026-01-01" } },
      'updatedAt: "2026-01-01" # when\nx: 1\n',
    ],
    [
      "adds keys behind all others and behind comments",
      "# c\nx: 1 # d\nartifacts:\n  - a\n",
      { ...steps("s"), artifacts: { append: ["b"] }, currentNodeId: { set: "n1" } },
      "# c\nx: 1 # d\nartifacts:\n  - a\n  - b\nstepsCompleted:\n  - s\ncurrentNodeId: n1\n",
    ],
    [
      "adds keys to empty braces",
      "{}\n",
      { ...steps("s"), currentNodeId: { set: "n1" } },
      "{stepsCompleted: [s], currentNodeId: n1}\n",
    ],
    [
      "adds keys to a map in braces",
      '{"x": 1}\n',
      { ...steps("s"), currentNodeId: { set: "n1" } },
      '{"x": 1, stepsCompleted: [s], currentNodeId: n1}\n',
    ],
    ["adds keys to a map that is indented", "  x: 1\n", steps("s"), "  x: 1\n  stepsCompleted:\n    - s\n"],
    [
      "adds keys where only comments are",
      "# c\n",
      { currentNodeId: { set: "n1" } },
      "# c\ncurrentNodeId: n1\n",
    ],
    [
      "leaves numbers as they are written",
      "variables: {big: 12345678901234567890, hex: 0x1F, float: 1.50}\n",
      variables({ a: 1 }),
      "variables: {big: 12345678901234567890, hex: 0x1F, float: 1.50, a: 1}\n",
    ],
    [
      "leaves scalars as they are written (fm-078)",
      "a: 2026-01-01\nb: 0o17\nc: 1_000\nd: yes\ne: 12:30:45\n",
      { currentNodeId: { set: "n1" } },
      "a: 2026-01-01\nb: 0o17\nc: 1_000\nd: yes\ne: 12:30:45\ncurrentNodeId: n1\n",
    ],
    [
      "keeps comments (fm-079)",
      "# comment\na: 1 # c\n",
      { currentNodeId: { set: "n1" } },
      "# comment\na: 1 # c\ncurrentNodeId: n1\n",
    ],
    [
      "keeps a comment above the old value",
      "currentNodeId: # c\n  x: 1\n",
      { currentNodeId: { set: "n1" } },
      "currentNodeId: # c\n  n1\n",
    ],
    [
      "escapes what YAML does not print",
      "variables: {}\n",
      variables({ a: "\x7f\x85\u2028\ufeff" }),
      'variables: {a: "\\u007f\\u0085\\u2028\\ufeff"}\n',
    ],
    [
      "quotes what would be a fence (fm-071)",
      "a: 1\n",
      { currentNodeId: { set: "---\nevil: 1\n---" } },
      'a: 1\ncurrentNodeId: "---\\nevil: 1\\n---"\n',
    ],
  ])("%s", (_, before, update, after) => {
    expect(updateFrontmatter(front(before), update)).toBe(front(after));
  });

  test.each<[what: string, text: string, after: string]>([
    ["an empty file", "", "---\ncurrentNodeId: n1\n---\n"],
    ["a file without any, with its line ending", "a\r\nb", "---\r\ncurrentNodeId: n1\r\n---\r\na\r\nb"],
    ["a file with a byte order mark", "\ufeffa", "\ufeff---\ncurrentNodeId: n1\n---\na"],
    ["an empty one", "---\n---", "---\ncurrentNodeId: n1\n---"],
    ["CRLF", "---\r\na: |\r\n  b\r\n---\r\nc\n", "---\r\na: |\r\n  b\r\ncurrentNodeId: n1\r\n---\r\nc\n"],
    [
      "a body that has front matter too (fm-034)",
      "---\na: 1\n---\n---js\n1\n---\n",
      "---\na: 1\ncurrentNodeId: n1\n---\n---js\n1\n---\n",
    ],
  ])("of %s keeps all else", (_, text, after) => {
    expect(updateFrontmatter(text, { currentNodeId: { set: "n1" } })).toBe(after);
  });

  test.each<[what: string, update: FrontmatterUpdate]>([
    ["nothing", {}],
    ["no strings", steps()],
    ["what is there", { ...steps("a"), ...variables({ b: { d: 2, c: 1 } }), currentNodeId: { set: "n1" } }],
  ])("of %s leaves the file as it is", (_, update) => {
    const text = "---\nstepsCompleted: [a]\nvariables: {b: {c: 1, d: 2}}\ncurrentNodeId: 'n1'\n---\n";
    expect(updateFrontmatter(text, update)).toBe(text);
    expect(updateFrontmatter("body", steps())).toBe("body");
  });

  const unlike = "after the change, a YAML parser would read another value";
  test.each<[what: string, yaml: string, update: FrontmatterUpdate, reason: string]>([
    ["a string as a list (fm-064)", "stepsCompleted: a\n", steps("b"), '"stepsCompleted" is not a list'],
    [
      "a string as a list of objects",
      "decisionLog: a\n",
      { decisionLog: { append: [{}] } },
      '"decisionLog" is not a list',
    ],
    ["a list as a map (fm-066)", "variables: [1]\n", variables({ a: 1 }), '"variables" is not a map'],
    [
      "an alias",
      "x: &x [a]\nstepsCompleted: *x\n",
      steps("b"),
      '"stepsCompleted" is not a literal value at its key',
    ],
    ["what others stand for", "stepsCompleted: &x [a]\nx: *x\n", steps("b"), unlike],
    ["what a tag makes another thing", "currentNodeId: !!str\n", { currentNodeId: { set: "n1" } }, unlike],
    [
      "a key that YAML can't hold",
      "a: 1\n",
      variables({ ["k".repeat(2000)]: 1 }),
      "after the change, it could not be parsed: line 4: The : indicator must be at most 1024 chars after the start of an implicit block mapping key",
    ],
  ])("of %s is refused", (_, yaml, update, reason) => {
    expect(() => updateFrontmatter(front(yaml), update)).toThrow(
      new HotcellError(
        "INVALID_FRONTMATTER",
        `Could not update the front matter: ${reason}. Read the file, and correct its front matter first.`,
      ),
    );
  });

  test("that makes it longer than its limit is refused", () => {
    expect(() => updateFrontmatter("", variables({ a: "x".repeat(LIMITS.maxFrontmatterChars) }))).toThrow(
      "Could not update the front matter: after the change, it could not be parsed: it has ",
    );
  });
});

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("yes", "1", "---", "a: b", "\ud800", "- x", "<<", "e0", "E-12"),
);
const anyValue = fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }) as fc.Arbitrary<Json>;

test("any value is read back, by another reader and by YAML 1.1 too", () => {
  assertProperty(
    fc.property(
      fc.dictionary(anyText, fc.oneof(anyText, anyValue)),
      anyText,
      fc.array(anyText),
      (set, node, append) => {
        const update = { ...variables(set), ...steps(...append), currentNodeId: { set: node } };
        const result = updateFrontmatter("---\nvariables: {}\nstepsCompleted: []\n---\n", update);
        const { range } = parseFrontmatter(result);
        const yaml = result.slice(range!.start, range!.end);
        for (const version of ["1.2", "1.1"] as const) {
          const data = parse(yaml, { version });
          expect(data.currentNodeId).toBe(node);
          expect(data.stepsCompleted).toEqual([...new Set(append)]);
        }
      },
    ),
  );
});

/** Keys as they are written, each way with all that belongs to it. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  stepsCompleted: [
    "[]",
    "[a, 'b'] # c",
    "",
    " # none",
    "null",
    "\n- a\n- b",
    "\n   - a # x\n   # y\n   -",
    "[\n  a, # x\n  b,\n]",
  ],
  artifacts: [
    "~",
    "\n  - a\n  - |\n    text\n",
    "\n  - >+\n    text\n\n",
    "[a: 1, {b: 2}]",
    "\n  - k: v\n    l:\n      - m # n",
  ],
  variables: [
    "{}",
    "{a: 1, 'b': }",
    "\n  a: 1 # one\n  b: 'x'",
    "\n    a:\n      - 1\n    # about a\n",
    "null # none",
    "\n  b: |-\n    text\n\n",
  ],
  currentNodeId: ["n1", "'n1' # now", "", "\n  n1", "|\n  n1\n", "# later", "{x: 1}", "\n  x: 1\n  y: 2"],
  other: ["1 # one", "\n  - a\n\n  # b", "&x [1, 2]", '"a\\\n  b"', "2026-01-01"],
};

const entry = (key: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom("", "# about it\n", "\n"), fc.constantFrom(...WRITTEN[key]!))
    .map(([above, value]) => `${above}${key}: ${value}\n`);

const document = fc
  .shuffledSubarray(Object.keys(WRITTEN))
  .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, entry(key)]))));

const anyUpdate: fc.Arbitrary<FrontmatterUpdate> = fc.oneof(
  fc.array(anyText).map((append) => ({ stepsCompleted: { append } })),
  fc.array(anyText).map((append) => ({ artifacts: { append } })),
  fc.dictionary(fc.constantFrom("a", "b", "c"), anyValue).map(variables),
  anyText.map((set) => ({ currentNodeId: { set } })),
);

test("any update keeps every byte outside of its key, and the second time changes nothing", () => {
  assertProperty(
    fc.property(
      document,
      anyUpdate,
      fc.constantFrom("\n", "\r\n"),
      fc.constantFrom("", "\ufeff"),
      (entries, update, newline, mark) => {
        const inFile = (text: string): string => text.replaceAll("\n", newline);
        const [key] = Object.keys(update);
        const keys = Object.keys(entries);
        const at = keys.indexOf(key!) === -1 ? keys.length : keys.indexOf(key!);
        const join = (some: readonly string[]): string => inFile(some.map((name) => entries[name]).join(""));
        const before = `${mark}---${newline}${join(keys.slice(0, at))}`;
        const after = `${join(keys.slice(at + 1))}---${newline}body\n---\r\n`;
        const text = before + join(keys.slice(at, at + 1)) + after;
        const result = updateFrontmatter(text, update);
        expect(result.startsWith(before)).toBe(true);
        expect(result.endsWith(after)).toBe(true);
        expect(updateFrontmatter(result, update)).toBe(result);
      },
    ),
    { numRuns: 1000 },
  );
});

test("any YAML is updated or refused, and nothing else is thrown", () => {
  const marks = [
    "a",
    ": ",
    ":",
    "- ",
    "\n",
    "\n  ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "? ",
    "&x ",
    "*x",
    "!!str ",
    "!t ",
    "|+",
    '"',
    "'",
    "# c",
    "\t",
  ];
  const words = [
    "variables:",
    "stepsCompleted: ",
    "currentNodeId:",
    "1",
    "null",
    "__proto__",
    "...",
    "---",
    "\r\n",
    "\\",
  ];
  assertProperty(
    fc.property(fc.array(fc.constantFrom(...marks, ...words)), anyUpdate, (pieces, update) => {
      try {
        expect(updateFrontmatter(front(`${pieces.join("")}\n`), update)).toMatch(/^---\n.*---\nbody\n$/s);
      } catch (error) {
        expect((error as HotcellError).code, String(error)).toBe("INVALID_FRONTMATTER");
      }
    }),
    { numRuns: 1000 },
  );
});
