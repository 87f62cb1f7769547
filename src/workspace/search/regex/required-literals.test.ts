import { describe, expect, test } from "vitest";
import { compileRegex } from "./compile-regex.ts";

describe("what every match has in it", () => {
  test.each<[pattern: string, required: string[] | null]>([
    ["function\\s+\\w+\\s*\\(", ["function"]],
    ["^import .* from ['\"]", ["import "]],
    ["class (\\w+) extends (\\w+)", [" extends "]],
    ["\\bconst\\s+[A-Z_]+\\b", ["const"]],
    ["(?<name>\\w+)=(?<val>.*)", null],
    ["\\/api\\/v\\d+", ["/api/v"]],
    ["use(State|Effect|Memo)\\(\\w", ["useState(", "useEffect(", "useMemo("]],
    ["console\\.(log|error|warn)\\(.", ["console.log(", "console.error(", "console.warn("]],
    ["fo+bar", ["obar"]],
    ["fo{2,}bar", ["oobar"]],
    ["(?:ab)+c", ["abc"]],
    ["(?:ab){3}.", ["ababab"]],
    ["colou?r\\d", ["colour", "color"]],
    ["[bc]at\\d", ["bat", "cat"]],
    ["[b-f]at\\d", ["at"]],
    ["foo[abcd].*", ["foo"]],
    ["[^b]at\\d", ["at"]],
    ["(?:foo|.*)bar", ["bar"]],
    ["foo|.*", null],
    ["(?:foo)*", null],
    ["(?:foo)*bar.", ["bar"]],
    ["ab\\ncd\\w", ["ab"]],
    ["\\w{2}é日\\w", ["é日"]],
    ["a.b", null],
    ["\\w+@\\w+", ["@"]],
    ["#\\d|\\d%", ["#", "%"]],
    ["#\\d|\\d,", null],
    ["\\w+ \\w+", null],
    ["日\\w", ["日"]],
    [".* from ['\"]", [' from "', " from '"]],
    ["x{3000}\\d", ["x".repeat(16)]],
    ["[]", null],
  ])("%j: %j", (pattern, required) => {
    expect(compileRegex(pattern, { ignoreCase: false })).toMatchObject({ required, exact: false });
  });

  test.each<[pattern: string, required: string[] | null]>([
    ["TODO:\\s", ["todo:"]],
    ["[Ab]C\\d", ["ac", "bc"]],
    ["caféteria\\d", ["teria"]],
    ["Éé", null],
  ])("%j, ignoring case: %j", (pattern, required) => {
    expect(compileRegex(pattern, { ignoreCase: true })).toMatchObject({ required, exact: false });
  });
});

describe("patterns that are nothing but literals", () => {
  test.each<[pattern: string, ignoreCase: boolean, required: string[]]>([
    ["a", false, ["a"]],
    ["TODO|FIXME|XXX", false, ["TODO", "FIXME", "XXX"]],
    ["TODO|FIXME|XXX", true, ["todo", "fixme", "xxx"]],
    ["err(or)?", false, ["err"]],
    ["(?:foo|bar)\\.(?:js|ts)", false, ["foo.js", "foo.ts", "bar.js", "bar.ts"]],
    ["é🚀", false, ["é🚀"]],
    ["x{3}", false, ["xxx"]],
  ])("%j, ignoring case %j: one of %j is a match, and nothing else", (pattern, ignoreCase, required) => {
    expect(compileRegex(pattern, { ignoreCase })).toMatchObject({ required, exact: true });
  });

  test.each(["^foo", "foo$", "\\bfoo", "foo|^bar", "foo(?=bar)", "(foo)\\1", "", "a?", "é|e\\b"])(
    "%j is not one of them",
    (pattern) => {
      expect(compileRegex(pattern, { ignoreCase: false }).exact).toBe(false);
    },
  );
});
