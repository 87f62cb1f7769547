import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import type { JsonObject } from "../../core/json.ts";
import { checkTemplate, fillArguments } from "./fill-arguments.ts";

const fill = (template: readonly string[], args: JsonObject) => fillArguments("t", template, args);
const invalid = (message: string) => expect.objectContaining({ code: "INVALID_ARGUMENTS", message });

describe("a template", () => {
  test.each<[readonly string[], JsonObject, readonly string[]]>([
    [["-l", "{{path}}"], { path: "a b" }, ["-l", "a b"]],
    [["--n={{n}}", "{{yes}}", "{{x}}"], { n: -5, yes: true, x: 1.5 }, ["--n=-5", "true", "1.5"]],
    [["{{a}}/{{b}}{{a}}"], { a: "1", b: "2" }, ["1/21"]],
    [["{{paths}}", "z"], { paths: ["a", 1, false] }, ["a", "1", "false", "z"]],
    [["{{paths}}"], { paths: [] }, []],
    [["{{path}}"], { path: "" }, [""]],
    [["-e", "{{x}}", "--d={{y}}", "z"], {}, ["-e", "z"]],
    [["{{x}}", "{{a}}-{{x}}"], { x: null, a: "a" }, []],
    [
      ["{{.Name}}", "{{ path }}", "{path}", "{{json .}}"],
      { path: "p" },
      ["{{.Name}}", "{{ path }}", "{path}", "{{json .}}"],
    ],
    [["{{{path}}}"], { path: "p" }, ["{p}"]],
  ])("%j with %j is %j", (template, args, filled) => {
    expect(fill(template, args)).toEqual(filled);
  });

  test("names only parameters that there are", () => {
    const parameters = { type: "object", properties: { path: { type: "string" } } };
    expect(() => checkTemplate("t", ["-l", "{{path}}", "{{.Name}}"], parameters)).not.toThrow();
    for (const name of ["pth", "constructor", "__proto__"]) {
      const message = `Could not define the tool "t": its args use "{{${name}}}", but its parameters do not define "${name}". Add it.`;
      expect(() => checkTemplate("t", [`--x={{${name}}}`], parameters)).toThrow(
        expect.objectContaining({ code: "CONFIG_INVALID", message }),
      );
    }
  });
});

describe("what a call gives", () => {
  test.each([
    "; rm -rf .",
    "$(id)",
    "`id`",
    "a\nb",
    "a b  c",
    "'\"\\",
    "&& id | cat > x",
    "*",
    "~",
    "$HOME",
    "{{other}}",
    "$&",
    "$1",
    "$'",
    "\u0000",
  ])("stays one argument, letter by letter: %j", (path) => {
    expect(fill(["{{path}}", "--f={{path}}"], { path, other: "expanded" })).toEqual([path, `--f=${path}`]);
  });

  test("is never split, joined or expanded, whatever it is", () => {
    assertProperty(
      fc.property(fc.array(fc.string({ unit: "binary" })), fc.string(), (list, text) => {
        const args = { list: list.map((item) => `.${item}`), text: `.${text}` };
        expect(fill(["{{text}}", "{{list}}", "x{{text}}"], args)).toEqual([
          args.text,
          ...args.list,
          `x${args.text}`,
        ]);
      }),
    );
  });

  test.each<[readonly string[], JsonObject, string]>([
    [["{{path}}"], { path: "-rf" }, "-rf"],
    [["{{path}}"], { path: "--output=/x" }, "--output=/x"],
    [["{{path}}"], { path: "-" }, "-"],
    [["{{path}}"], { path: -1 }, "-1"],
    [["{{path}}"], { path: ["a", "-x"] }, "-x"],
    [["{{a}}{{b}}"], { a: "", b: "-x" }, "-x"],
    [["{{path}}", "--"], { path: "-x" }, "-x"],
    [["--x", "{{path}}"], { path: "--" }, "--"],
  ])("is no option where the template has none: %j with %j", (template, args, text) => {
    const message = `Could not call t: "${text}" begins with "-", and the program would read it as an option. Write a path as "./…".`;
    expect(() => fill(template, args)).toThrow(invalid(message));
  });

  test("may begin with a dash after --, and where the template itself begins with one", () => {
    expect(fill(["-l", "--", "{{path}}"], { path: "-rf" })).toEqual(["-l", "--", "-rf"]);
    expect(fill(["-n{{n}}", "--sort={{by}}"], { n: 3, by: "-size" })).toEqual(["-n3", "--sort=-size"]);
  });

  test.each<[readonly string[], JsonObject, string]>([
    [["{{x}}"], { x: { a: 1 } }, "an object"],
    [["{{x}}"], { x: [["a"]] }, "an array of 1"],
    [["{{x}}"], { x: [null] }, "null"],
    [["--x={{x}}"], { x: ["a", "b"] }, "an array of 2"],
  ])("must be something that a program can be given: %j with %j", (template, args, given) => {
    const message = `Could not call t: "x" contains ${given}, which cannot be an argument of a program. Give text, a number, true or false.`;
    expect(() => fill(template, args)).toThrow(invalid(message));
  });

  test("is never a property that every object inherits", () => {
    expect(fill(["{{constructor}}", "{{__proto__}}", "{{toString}}"], {})).toEqual([]);
  });
});
