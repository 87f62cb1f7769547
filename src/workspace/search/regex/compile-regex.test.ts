import { describe, expect, test } from "vitest";
import { HotcellError } from "../../../core/errors.ts";
import { compileRegex } from "./compile-regex.ts";

/** The offset behind the first match, or -1. */
function find(pattern: string, text: string, ignoreCase = false): number {
  const bytes = Buffer.from(text);
  return compileRegex(pattern, { ignoreCase }).matcher!.find(bytes, 0, bytes.length);
}

function refusalOf(pattern: string): string {
  try {
    compileRegex(pattern, { ignoreCase: false });
  } catch (error) {
    if (error instanceof HotcellError && error.code === "INVALID_ARGUMENTS") return error.message;
    throw error;
  }
  return "";
}

describe("lines", () => {
  test.each<[pattern: string, text: string, end: number]>([
    ["b", "a\nb\n", 3],
    ["a.b", "a\nb", -1],
    ["[^]b", "a\nb", -1],
    ["a[\\s\\S]*b", "a\nb", -1],
    ["a\\nb", "a\nb", -1],
    ["a\\s+b", "a\n b", -1],
    ["^b", "ab\nb", 4],
    ["a$", "ab\na", 4],
    ["a$", "a\r\n", 1],
    ["a$", "a\r", -1],
    ["a\\r$", "a\r", 2],
    ["a\\r", "a\r\n", -1],
    ["a\\r$", "a\r\r\n", 2],
    ["a\\rb", "a\rb", 3],
    ["a.b", "a\rb", 3],
    ["a.b", "a\u2028b", 5],
    ["a$", "a\u2028b", -1],
    ["^$", "a\n\nb", 2],
    ["^$", "a\r\n\r\nb", 3],
    ["^$", "a\n", -1],
    ["^", "", -1],
    ["^", "\n", 0],
    ["x*", "yy", 0],
    ["$", "x", 1],
    ["x\\b", "yx\r\n", 2],
    ["x\\b", "yx\rz", 2],
    ["a\\b\\r", "a\rb", 2],
  ])("%j in %j ends at %d", (pattern, text, end) => {
    expect(find(pattern, text)).toBe(end);
  });

  test("the match that ends first is given, in the first line that has one", () => {
    expect(find("cd|bcde", "a\nabcdef\ncd")).toBe(6);
  });

  test("only the range is searched", () => {
    const { matcher } = compileRegex("b$", { ignoreCase: false });
    const bytes = Buffer.from("b\nab\nbc");
    expect([matcher!.find(bytes, 2, 5), matcher!.find(bytes, 5, 7), matcher!.find(bytes, 2, 2)]).toEqual([
      4, -1, -1,
    ]);
  });
});

describe("characters", () => {
  test.each<[pattern: string, text: string, found: boolean]>([
    ["^.$", "é", true],
    ["^.$", "日", true],
    ["^.$", "🚀", true],
    ["^..$", "🚀", false],
    ["^🚀{2}$", "🚀🚀", true],
    ["^[🚀x]$", "🚀", true],
    ["^[^🚀]$", "🚁", true],
    ["^[^🚀]$", "🚀", false],
    ["^\\ud83d\\ude80+$", "🚀🚀", true],
    ["\\ud83d", "🚀", false],
    ["^[\\u0080-\\uffff]$", "🚀", true],
    ["^[^\\x00-\\x7f]$", "🚀", true],
    ["^[^\\u0080-\\uffff]$", "🚀", false],
    ["^[é-ü]$", "ö", true],
    ["^[é-ü]$", "ý", false],
    ["^\\W$", "é", true],
    ["\\bé", "é", false],
    ["a\\bé", "aé", true],
    ["\\B", "aéa", false],
    ["^\\s$", "\ufeff", true],
    ["^\\S$", "\u3000", false],
    ["[]", "a", false],
    ["a|[]", "a", true],
    ["^a||b$", "c", true],
    ["\\x41\\103\\u0042\\cJ?\\0?", "ACB", true],
    ["\\-\\_", "-_", true],
    ["a{,2}", "a{,2}", true],
    ["^}]$", "}]", true],
    ["^\\p{L}$", "é", true],
    ["^\\p{L}$", "𝒳", true],
    ["^\\p{L}$", "1", false],
    ["\\p{L}", "p{L}", true],
    ["^\\\\p{2}$", "\\pp", true],
    ["\\p{Lu}+", "straße", false],
    ["^\\P{Lu}$", "𝐀", false],
    ["^[\\P{Lu}]$", "𝐀", false],
    ["^[^\\p{Lu}\\d]$", "é", true],
    ["^\\p{Script=Greek}+$", "σς", true],
    ["^\\u{1F680}{2}$", "🚀🚀", true],
    ["^[\\u{1F680}-\\u{1F681}]$", "🚁", true],
    ["^\\p{L}?[\\u0080-\\uffff]$", "🚀", false],
    ["^\\p{L}?[^\\u0000-\\uffff]$", "🚀", true],
    ["(?<year>\\d{4})-(?<month>\\d\\d)", "on 2024-05", true],
    ["^a{2,3}?$", "aaa", true],
    ["^a{2,3}$", "aaaa", false],
    ["^(?:a{0}b){2}$", "bb", true],
  ])("%j in %j: %j", (pattern, text, found) => {
    expect(find(pattern, text) >= 0).toBe(found);
  });

  test.each<[pattern: string, text: string, found: boolean]>([
    ["straSSe", "STRASse", true],
    ["É", "é", true],
    ["[à-ÿ]", "Ö", true],
    ["[^k]", "K", false],
    ["k", "\u212a", false],
    ["s", "\u017f", false],
    ["\\w", "\u017f", false],
    ["σ", "ς", true],
    ["µ", "μ", true],
    ["ß", "ẞ", false],
    ["[^\\W]", "K", true],
    ["𐐨", "𐐀", false],
  ])("%j in %j, ignoring case: %j", (pattern, text, found) => {
    expect(find(pattern, text, true) >= 0).toBe(found);
    expect(new RegExp(pattern, "i").test(text)).toBe(found);
  });

  test.each<[pattern: string, text: string, found: boolean]>([
    ["^\\p{Lu}+$", "éÉ", true],
    ["^\\P{Lu}$", "É", true],
    ["[^\\p{Lu}]", "é", false],
    ["^\\u{e9}$", "É", true],
    ["\\p{Nd}", "x", false],
  ])("%j in %j, with properties and ignoring case: %j", (pattern, text, found) => {
    expect(find(pattern, text, true) >= 0).toBe(found);
    expect(new RegExp(pattern, "iu").test(text)).toBe(found);
  });

  test.each<[pattern: string, bytes: number[], end: number]>([
    ["é", [0xff, 0xc3, 0xa9], 3],
    ["^.", [0xff, 0x61], -1],
    ["^.", [0xc3], -1],
    ["[^a]", [0xc3, 0x62], 2],
    ["[^b]", [0x80, 0xbf], -1],
    [".", [0xed, 0xa0, 0x80], -1],
    [".", [0xc0, 0x80], -1],
    [".", [0xf4, 0x90, 0x80, 0x80], -1],
    ["a", [0xff, 0x61], 2],
    ["\\b", [0xff, 0x61], 1],
    ["$", [0xff], 1],
  ])("bytes that are no UTF-8 match nothing: %j in %j ends at %d", (pattern, bytes, end) => {
    expect(
      compileRegex(pattern, { ignoreCase: false }).matcher!.find(Uint8Array.from(bytes), 0, bytes.length),
    ).toBe(end);
  });
});

describe("patterns that need backtracking", () => {
  test.each<[pattern: string, required: string[] | null]>([
    ["foo(?=bar)", ["foo"]],
    ["(?<!un)known", ["known"]],
    ["(['\"])name\\1", ['"name', "'name"]],
    ["(?:fo(?!x)o|bar)", ["foo", "bar"]],
    ["(\\w)\\1", null],
  ])("%j has no matcher, and requires %j", (pattern, required) => {
    expect(compileRegex(pattern, { ignoreCase: false })).toMatchObject({
      matcher: null,
      required,
      exact: false,
    });
  });

  test("their RegExp knows properties of characters", () => {
    const { regexp } = compileRegex("(?<=x)\\p{Lu}\\u{1F680}", { ignoreCase: false });
    expect([regexp.test("xÉ🚀"), regexp.test("xé🚀")]).toEqual([true, false]);
  });

  test("their RegExp takes a line's ends for its own, and the dot for any character of it", () => {
    const { regexp } = compileRegex("^a.(?=b)", { ignoreCase: true });
    expect([regexp.test("A\u2028B"), regexp.test("x\ra.b")]).toEqual([true, false]);
  });
});

describe("whether every match has a line break in it", () => {
  test.each<[pattern: string, needs: boolean]>([
    ["a\\nb", true],
    ["a\\r\\nb", true],
    ["(?:\\n|b\\x0a)+", true],
    ["a[\\n]b(?=c)", true],
    ["\\n", true],
    ["a\\n?b", false],
    ["a\\n*", false],
    ["a(?:\\n|b)", false],
    ["[\\n,]", false],
    ["[^\\n]", false],
    ["a\\sb", false],
    ["a(?!\\n)", false],
    ["\\r", false],
    ["", false],
  ])("%j: %j", (pattern, needs) => {
    expect(compileRegex(pattern, { ignoreCase: false }).needsLineBreak).toBe(needs);
  });
});

describe("what is refused", () => {
  /** Names of none: they are not looked at. */
  const propertiesOf = (count: number) => Array.from({ length: count }, (_, at) => `\\p{${at}}`).join("");
  const words = (pattern: string, problem: string) =>
    `The pattern ${pattern} cannot be searched for: it ${problem}.`;

  test.each<{ what: string; pattern: string; message: string }>([
    {
      what: "a pattern that JavaScript refuses",
      pattern: "(",
      message: words('"("', "is not a regular expression of JavaScript: Unterminated group. Correct it"),
    },
    {
      what: "a count that is too large",
      pattern: "a{99999}",
      message: words(
        '"a{99999}"',
        "needs more than 20000 states, mostly because of its counted repeats. Give a simpler pattern",
      ),
    },
    {
      what: "a pattern that is too long",
      pattern: "x".repeat(4097),
      message: words(`"${"x".repeat(60)}"…`, "has 4097 characters, more than 4096. Give a simpler pattern"),
    },
    {
      what: "groups that are nested too deep",
      pattern: "(".repeat(251) + ")".repeat(251),
      message: words(`"${"(".repeat(60)}"…`, "has groups nested more than 250 deep. Give a simpler pattern"),
    },
    {
      what: "too many properties",
      pattern: propertiesOf(33),
      message: words(
        `"${propertiesOf(33).slice(0, 60).replaceAll("\\", "\\\\")}"…`,
        "has 33 different properties, more than 32. Give a simpler pattern",
      ),
    },
  ])("$what, in words that help", ({ pattern, message }) => {
    expect(refusalOf(pattern)).toBe(message);
  });

  const STRICT =
    "in a pattern with \\p{…} or \\u{…}, ^ $ \\ . * + ? ( ) [ ] { } | need a backslash as literals, and other punctuation must not have one";
  const FLAGS =
    "flags stand beside a pattern, not in it; to ignore case, give case_sensitive: false, or in fs.search /…/i";

  test.each<[pattern: string, hint: string]>([
    ["(?i)needle", FLAGS],
    ["a(?-i)b", FLAGS],
    ["(?P<name>x)", "a named group is written (?<name>…)"],
    ["(?<n>x)(?P=n)", "a reference to a named group is written \\k<name>"],
    ["\\p{L}\\-", STRICT],
    ["\\u{e9}}", STRICT],
  ])("what JavaScript refuses in %j comes with a hint", (pattern, hint) => {
    expect(refusalOf(pattern)).toMatch(/: it is not a regular expression of JavaScript: .+\. Correct it\.$/);
    expect(refusalOf(pattern)).toContain(` (${hint}). Correct it.`);
  });

  test("a property that there is not is refused, without a hint about other things", () => {
    expect(refusalOf("\\p{Uppr}")).toBe(
      words('"\\\\p{Uppr}"', "is not a regular expression of JavaScript: Invalid property name. Correct it"),
    );
  });

  test.each<[pattern: string, part: string, advice: string]>([
    ["\\Aneedle", "\\A", "^ for the beginning of a line"],
    ["needle\\z", "\\z", "$ for the end of a line"],
    ["needle\\Z", "\\Z", "$ for the end of a line"],
    ["\\<needle", "\\<", "\\b for the edge of a word, or < without the backslash"],
    ["needle\\>", "\\>", "\\b for the edge of a word, or > without the backslash"],
    ["[[:upper:]]+", "[:upper:]", "A-Z between the brackets"],
    ["[^_[:^space:]-]", "[:^space:]", "[^\\s] as a separate class"],
    ["[:digit:]", "[:digit:]", "0-9 between the brackets"],
    ["\\h+", "\\h", "[ \\t]"],
    ["\\pL", "\\p", "a property in braces, as in \\p{Lu}"],
    ["\\xag", "\\x", "two hexadecimal digits after it, as in \\x41"],
    [
      "\\u12",
      "\\u",
      "four hexadecimal digits after it, or any number of digits in braces, as in \\u00e9 or \\u{1F600}",
    ],
    ["\\c1", "\\c", "a letter after it, as in \\cJ"],
    ["a[b\\z]", "\\z", "$ for the end of a line"],
    ["a[[\\y]", "\\y", "y for the letter itself"],
    ["\\p{L}\\y", "\\y", "y for the letter itself"],
  ])("%j has %s, which other engines know", (pattern, part, advice) => {
    expect(refusalOf(pattern)).toBe(
      words(JSON.stringify(pattern), `has ${part}, which JavaScript does not have. Write ${advice}`),
    );
  });

  test.each<{ what: string; pattern: string }>([
    { what: "the longest pattern", pattern: "x".repeat(4096) },
    { what: "the deepest nesting", pattern: "(".repeat(250) + ")".repeat(250) },
    { what: "escaped brackets", pattern: "\\(".repeat(300) },
    { what: "brackets in a class", pattern: `[\\]${"(".repeat(300)}]` },
    {
      what: "every escape of JavaScript",
      pattern: "\\b\\B\\d\\D\\f\\n\\r\\s\\S\\t\\v\\w\\W\\0\\cJ\\x41\\u0041",
    },
    { what: "one property many times", pattern: "\\p{Lu}".repeat(40) },
    { what: "a reference by name", pattern: "(?<n>a)\\k<n>" },
    { what: "an escaped backslash before a letter", pattern: "\\\\A\\\\z" },
    { what: "an escaped bracket in a class", pattern: "[\\<\\>]" },
    { what: "other escaped punctuation", pattern: "\\-\\\"\\'\\#\\@\\!\\ \\:" },
    { what: "colons in a class", pattern: "[:a-z:][[:nothing:]]" },
    { what: "a count that fits", pattern: "a{9999}" },
    { what: "counts of nothing", pattern: "(?:(?:(?:){99999}){99999}){99999}" },
    { what: "counts of what is counted out", pattern: "(?:a{0}){99999}" },
    { what: "counts of empty groups", pattern: `(?:${"()".repeat(1990)}a){9999}` },
  ])("control: $what is taken", ({ pattern }) => {
    expect(refusalOf(pattern)).toBe("");
  });
});
