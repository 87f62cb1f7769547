import { describe, expect, test } from "vitest";
import type { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { parseFrontmatter } from "./parse-frontmatter.ts";

const front = (...lines: string[]): string => ["---", ...lines, "---", ""].join("\n");

/** What a refusal says between its first words and its last. */
function reasonOf(text: string): string {
  try {
    parseFrontmatter(text);
  } catch (error) {
    const { code, message } = error as HotcellError;
    expect(code).toBe("INVALID_FRONTMATTER");
    return /^Could not read the front matter: (.*)\. Correct the YAML between the --- lines first\.$/.exec(
      message,
    )![1]!;
  }
  throw new Error("it was not refused");
}

describe("front matter", () => {
  test.each<[what: string, text: string, yaml: string | null]>([
    ["a file without any", "# title\n---\n", null],
    ["an empty file", "", null],
    ["a rule of four dashes", "----\na: 1\n----\n", null],
    ["an indented fence", " ---\na: 1\n ---\n", null],
    ["nothing between the fences", "---\n---\n", ""],
    ["fences with blanks behind them", "--- \na: 1\n---\t\nbody", "a: 1\n"],
    ["CRLF and a byte order mark", "\ufeff---\r\na: 1\r\n---\r\nbody", "a: 1\r\n"],
    ["a fence in the body", "---\na: 1\n---\nb\n---\n", "a: 1\n"],
    ["a longer line of dashes in it", "---\na: |\n ----\n---\n", "a: |\n ----\n"],
  ])("is found in %s", (_, text, yaml) => {
    const { range } = parseFrontmatter(text);
    expect(range && text.slice(range.start, range.end)).toBe(yaml);
  });

  test("is read by the core schema: dates, underscores and yes are strings", () => {
    const yaml = ["a: 2026-01-01", "b: 0o17", "c: 1_000", "d: yes", "e: ~", "f: 1.5", "<<: {g: 1}"];
    expect(parseFrontmatter(front(...yaml)).data).toEqual({
      ...{ a: "2026-01-01", b: 15, c: "1_000", d: "yes", e: null, f: 1.5 },
      "<<": { g: 1 },
    });
  });

  test("has __proto__ as a key like others, and no prototype from it", () => {
    const { data } = parseFrontmatter(front("__proto__: {a: 1}", "b: {__proto__: {c: 1}}"));
    expect(Object.keys(data)).toEqual(["__proto__", "b"]);
    expect([data.a, (data.b as { c?: number }).c]).toEqual([undefined, undefined]);
  });

  test("has for an alias what was named last before it", () => {
    const yaml = ["a: &x [1]", "b: &y {c: *x}", "d: &x 2", "e: *y", "f: *x"];
    expect(parseFrontmatter(front(...yaml)).data).toEqual({
      a: [1],
      b: { c: [1] },
      d: 2,
      e: { c: [1] },
      f: 2,
    });
  });

  test.each<[what: string, text: string, reason: string]>([
    [
      "in another language",
      "---js\n1\n---\n",
      "its first line must be --- alone, because hotcell reads only YAML",
    ],
    ["without an end", "---\na: 1\n", "it has no closing line ---"],
    ["with an end that is more than a fence", "---\na: 1\n--- x\n", "it has no closing line ---"],
    ["that is null", front("# c", "null"), "line 3: it must be a map of keys and values"],
    ["that is an empty string", front('""'), "line 2: it must be a map of keys and values"],
    ["that is a list", front("- a"), "line 2: it must be a map of keys and values"],
    ["with a key twice", front("a: 1", "b:", "  c: 1", "  c: 2"), 'line 5: the key "c" occurs twice'],
    ["with a key twice, once in quotes", front("1: a", '"1": b'), 'line 3: the key "1" occurs twice'],
    ["with a tag of its own", front("a: 1", "b: !custom x"), "line 3: Unresolved tag: !custom"],
    ["with bytes", front("a: !!binary gA=="), "line 2: Unresolved tag: tag:yaml.org,2002:binary"],
    ["with an alias of nothing", front("a: *x"), 'line 2: the alias "x" has no anchor'],
    ["with an alias of what it stands in", front("a: &x [*x]"), "line 2: it is nested deeper than 64 levels"],
    ["with two documents", front("a: 1", "...", "b: 1"), "line 4: a second document begins there"],
    ["with a control character", front("a: 1", "b: \x1b"), "line 3: a control character is not allowed"],
  ])("%s is refused", (_, text, reason) => expect(reasonOf(text)).toBe(reason));

  test("may be as long as its limit, and no longer", () => {
    const line = `a: ${"x".repeat(LIMITS.maxFrontmatterChars - 4)}`;
    expect(parseFrontmatter(front(line)).range!.end).toBe(4 + LIMITS.maxFrontmatterChars);
    const length = LIMITS.maxFrontmatterChars + 1;
    expect(reasonOf(front(`${line}x`))).toBe(`it has ${length} characters, the limit is ${length - 1}`);
  });

  test.each<[what: string, yaml: (depth: number) => string]>([
    ["flow sequences", (depth) => `a: ${"[".repeat(depth)}${"]".repeat(depth)}`],
    ["flow maps", (depth) => `a: ${"{a: ".repeat(depth)}${"}".repeat(depth)}`],
    ["block sequences", (depth) => `a:\n  ${"- ".repeat(depth)}x`],
    ["block maps", (depth) => Array.from({ length: depth }, (_, at) => `${" ".repeat(at)}a:`).join("\n")],
    ["explicit keys", (depth) => `a:\n  ${"? ".repeat(depth)}x`],
  ])("with %s one in the other is refused before the stack ends", (_, yaml) => {
    expect(reasonOf(front(yaml(500)))).toMatch(/^line \d+: it is nested deeper than 64 levels$/);
    if (!yaml(1).includes("?")) expect(parseFrontmatter(front(yaml(30))).data).toHaveProperty("a");
  });

  test("whose aliases stand for too much is refused", () => {
    const ten = (name: string): string => `[${`*${name},`.repeat(10)}]`;
    const yaml = [
      "a: &a 1",
      ..."bcdef".split("").map((name, at) => `${name}: &${name} ${ten("abcde"[at]!)}`),
    ];
    expect(parseFrontmatter(front(...yaml.slice(0, 4))).data).toHaveProperty("d");
    expect(reasonOf(front(...yaml))).toBe(`line 3: it has more than ${LIMITS.maxFrontmatterEntries} values`);
  });
});
