import { describe, expect, test } from "vitest";
import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { BUILTIN_TOOLS } from "./builtin-tools.ts";
import { defineTool, type Tool } from "./define-tool.ts";
import { createValidator } from "./validate.ts";

const MOUNT_TOOLS = BUILTIN_TOOLS.filter(({ toolset }) => toolset === "mounts");

function toolWith(name: string, inputSchema: JsonObject): Tool {
  return defineTool({
    name,
    input: inputSchema,
    description: "Test.",
    category: "info",
    danger: "safe",
    effect: "read",
    toolset: "test",
    needs: [],
    subject: "none",
    run: () => ({}),
  });
}

const tool = toolWith("edit", {
  type: "object",
  properties: {
    path: { type: "string", format: "path" },
    line: { type: "integer", minimum: 1 },
    ratio: { type: "number", exclusiveMaximum: 1 },
    force: { type: "boolean" },
    mode: { enum: ["fast", "safe"] },
    note: { type: ["string", "null"], maxLength: 3 },
    tag: { type: "string", pattern: "^[a-z]+$", minLength: 2 },
    patch: {
      type: "object",
      properties: { op: { const: "set" }, lines: { type: "array", items: { type: "integer" } } },
      required: ["op"],
      additionalProperties: false,
    },
  },
  required: ["path"],
  additionalProperties: false,
});
const nothing = toolWith("nothing", { type: "object", additionalProperties: false });
const free = toolWith("free", { type: "object", properties: { any: { type: ["string", "integer"] } } });
const validate = await createValidator([tool, nothing, free]);

function refusal(args: JsonObject, of: Tool = tool): string {
  try {
    validate(of, args);
  } catch (error) {
    if (error instanceof HotcellError && error.code === "INVALID_ARGUMENTS") return error.message;
    throw error;
  }
  throw new Error("was accepted");
}

const TAKES = "edit takes path (required), line, ratio, force, mode, note, tag, patch.";

describe("P5.2 arguments that match the schema pass as they are", () => {
  test.each<JsonObject>([
    { path: "a" },
    { path: "a", line: 1, ratio: -2.5, force: false, mode: "safe", note: null, tag: "ab" },
    { path: "a", patch: { op: "set", lines: [1, 2] } },
    { path: "5", note: "5", tag: "true" },
    { path: "a", line: 9007199254740991 },
  ])("%j", (args) => {
    expect(validate(tool, args)).toEqual({ arguments: args, repairs: [] });
  });

  test("1.0 is an integer", () => {
    expect(validate(tool, JSON.parse('{"path":"a","line":1.0}')).arguments).toEqual({ path: "a", line: 1 });
  });
});

describe("lossless repairs are made where the schema says what was meant, and named", () => {
  test.each<[JsonObject, JsonObject, string]>([
    [{ line: "5" }, { line: 5 }, 'Converted the text "5" in arguments.line to the number 5.'],
    [{ ratio: "-0.5" }, { ratio: -0.5 }, 'Converted the text "-0.5" in arguments.ratio to the number -0.5.'],
    [{ force: "true" }, { force: true }, 'Converted the text "true" in arguments.force to the boolean true.'],
    [
      { force: "false" },
      { force: false },
      'Converted the text "false" in arguments.force to the boolean false.',
    ],
    [{ line: null }, {}, "Left out arguments.line: it was null."],
    [
      { patch: '{"op":"set"}' },
      { patch: { op: "set" } },
      'Converted the text "{\\"op\\":\\"set\\"}" in arguments.patch to an object.',
    ],
    [
      { patch: { op: "set", lines: ["1"] } },
      { patch: { op: "set", lines: [1] } },
      'Converted the text "1" in arguments.patch.lines[0] to the number 1.',
    ],
    [
      { patch: { op: "set", lines: null } },
      { patch: { op: "set" } },
      "Left out arguments.patch.lines: it was null.",
    ],
  ])("%j", (given, expected, repair) => {
    const validated = validate(tool, { path: "a", ...given });
    expect(validated).toEqual({ arguments: { path: "a", ...expected }, repairs: [repair] });
  });

  test.each<JsonObject>([
    { line: "5.0" },
    { line: "05" },
    { line: " 5" },
    { line: "+5" },
    { line: "1e3" },
    { line: "9007199254740993" },
    { line: "" },
    { line: true },
    { ratio: "-0" },
    { ratio: "Infinity" },
    { ratio: "0x1" },
    { force: "True" },
    { force: "yes" },
    { force: 1 },
    { force: "" },
    { patch: "[]" },
    { patch: '{"op":"set","op":"set"}' },
    { patch: "op" },
    { path: null },
    { path: 5 },
  ])("nothing is guessed: %j is refused", (args) => {
    expect(refusal({ path: "a", ...args })).toContain("Could not call edit: arguments.");
  });

  test("ten repairs are listed, the rest is counted", () => {
    const lines = Array.from({ length: 1000 }, (_, index) => String(index));
    const { arguments: args, repairs } = validate(tool, { path: "a", patch: { op: "set", lines } });
    expect(args).toEqual({ path: "a", patch: { op: "set", lines: lines.map(Number) } });
    expect(repairs).toHaveLength(11);
    expect(repairs.at(-1)).toBe("Made 990 more repairs of this kind.");
  });

  test("text stays text where text is allowed", () => {
    expect(validate(free, { any: "5", more: "true" })).toEqual({
      arguments: { any: "5", more: "true" },
      repairs: [],
    });
  });

  test("what is returned is frozen, and what was given is untouched", () => {
    const given = { path: "a", patch: { op: "set", lines: ["1"] } };
    const { arguments: args } = validate(tool, given) as unknown as { arguments: typeof given };
    expect([args, args.patch, args.patch.lines].every(Object.isFrozen)).toBe(true);
    expect(given).toEqual({ path: "a", patch: { op: "set", lines: ["1"] } });
  });
});

describe("P5.5 the message names the path, what was expected and what came", () => {
  test.each<[JsonObject, string]>([
    [{}, "arguments.path is missing"],
    [{ path: "" }, "arguments.path: a path cannot be empty"],
    [{ path: "a\0" }, "arguments.path: a path cannot contain a NUL character"],
    [{ path: "é".repeat(2049) }, "arguments.path: a path cannot be longer than 4096 bytes"],
    [{ path: null }, "arguments.path: expected a string, got null"],
    [{ path: ["a"] }, "arguments.path: expected a string, got an array of 1"],
    [{ path: "a", line: "abc" }, 'arguments.line: expected an integer, got "abc"'],
    [{ path: "a", line: 0 }, "arguments.line: expected a number >= 1, got 0"],
    [{ path: "a", ratio: 1 }, "arguments.ratio: expected a number < 1, got 1"],
    [{ path: "a", mode: "quick" }, 'arguments.mode: expected one of "fast", "safe", got "quick"'],
    [{ path: "a", note: 1 }, "arguments.note: expected a string or null, got 1"],
    [{ path: "a", note: "long" }, 'arguments.note: expected at most 3 characters, got "long"'],
    [{ path: "a", tag: "AB" }, 'arguments.tag: expected text that matches "^[a-z]+$", got "AB"'],
    [{ path: "a", tag: "x" }, 'arguments.tag: expected at least 2 characters, got "x"'],
    [{ path: "a", patch: { op: "get" } }, 'arguments.patch.op: expected "set", got "get"'],
    [
      { path: "a", patch: { op: "set", lines: [1, {}] } },
      "arguments.patch.lines[1]: expected an integer, got an object",
    ],
    [{ path: "a", Line: 1 }, 'arguments.Line is unknown (did you mean "line"?)'],
    [{ path: "a", patch: { op: "set", line: 1 } }, 'arguments.patch.line is unknown (did you mean "lines"?)'],
    [{ path: "a", "x/y~z": 1 }, 'arguments["x/y~z"] is unknown'],
    [{ path: "a", toString: "x" }, "arguments.toString is unknown"],
    [
      { path: "a", line: 2 ** 53 },
      "arguments.line: 9007199254740992 is beyond 2^53, so it would lose digits",
    ],
    [
      { path: "\ud800" },
      "arguments.path: the text contains an unpaired surrogate, which has no bytes in UTF-8",
    ],
    [
      { path: "a", note: "\udc00" },
      "arguments.note: the text contains an unpaired surrogate, which has no bytes in UTF-8",
    ],
    [{ filename: "a" }, "arguments.path is missing; arguments.filename is unknown"],
  ])("%j", (args, problems) => {
    expect(refusal(args)).toBe(`Could not call edit: ${problems}. ${TAKES}`);
  });

  test("a key counts as text too", () => {
    expect(refusal({ "\ud800": 1 }, free)).toBe(
      'Could not call free: the key arguments["\\ud800"]: the text contains an unpaired surrogate, which has no bytes in UTF-8. free takes any.',
    );
  });

  test("a tool without arguments says so", () => {
    expect(refusal({ a: 1 }, nothing)).toBe(
      "Could not call nothing: arguments.a is unknown. nothing takes no arguments.",
    );
  });

  test("five problems are listed, the rest is counted", () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`unknown${index}`, index]));
    expect(refusal({ path: "a", ...many })).toBe(
      `Could not call edit: ${[0, 1, 2, 3, 4].map((n) => `arguments.unknown${n} is unknown`).join("; ")}; and 49995 more. ${TAKES}`,
    );
  });

  test("a required property on the prototype does not count", () => {
    const free = MOUNT_TOOLS.find((one) => one.name === "fs.list")!;
    const schema = { type: "object", properties: { toString: { type: "string" } }, required: ["toString"] };
    const hostile = toolWith("hostile", schema);
    return createValidator([free, hostile]).then((check) => {
      expect(() => check(hostile, {})).toThrow("arguments.toString is missing");
      expect(() => check(free, Object.create({ path: "a" }))).toThrow("arguments.path is missing");
    });
  });
});

describe("a schema that can't be used is an error when the validator is made", () => {
  test.each<[string, JsonObject]>([
    ["an unknown keyword", { type: "object", propertys: {} }],
    ["an unknown format", { type: "object", properties: { a: { type: "string", format: "pathh" } } }],
    ["an unknown type", { type: "object", properties: { a: { type: "objekt" } } }],
  ])("%s", async (_, schema) => {
    await expect(createValidator([toolWith("broken", schema)])).rejects.toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        message: expect.stringContaining('input schema of "broken"'),
      }),
    );
  });

  test("an asynchronous schema lets nothing pass", async () => {
    const asynchronous = toolWith("later", { $async: true, type: "object" });
    const check = await createValidator([asynchronous]);
    expect(() => check(asynchronous, {})).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENTS" }));
  });

  test("a tool that was not prepared is not validated by another's schema", () => {
    expect(() => validate(toolWith("edit", { type: "object" }), {})).toThrow(
      expect.objectContaining({ code: "INTERNAL_ERROR" }),
    );
  });
});
