import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { openTempCell } from "../../test/kit/worlds/temp-cell.ts";
import { LIMITS } from "../core/limits.ts";
import { defineTool, type Kit } from "./define-tool.ts";

const spec = {
  name: "x.y",
  description: "Test.",
  input: { type: "object", properties: {}, additionalProperties: false },
  category: "info",
  danger: "safe",
  effect: "read",
  toolset: "test",
  subject: "none",
} as const;

const kit: Kit = {
  workspace: {} as Kit["workspace"],
  session: {} as Kit["session"],
  kv: {} as Kit["kv"],
  commands: {} as Kit["commands"],
  http: {} as Kit["http"],
  search: {} as Kit["search"],
  guests: {} as Kit["guests"],
  model: {} as Kit["model"],
  clock: () => new Date(0),
  limits: { ...LIMITS.mounts, observationBytes: LIMITS.observationBytes },
  progress: () => {},
};
const { signal } = new AbortController();

test("a tool gets only what it declares, also at run time", () => {
  const tool = defineTool({
    ...spec,
    needs: ["clock"],
    run: (_args, given) => ({ keys: Object.keys(given) }),
  });
  expect(tool.run({}, kit, signal)).toEqual({ keys: ["clock"] });
});

test("using an undeclared capability does not compile", () => {
  defineTool({
    ...spec,
    needs: ["clock"],
    // @ts-expect-error: "workspace" is not in needs
    run: (_args, { workspace }) => ({ seen: workspace === undefined }),
  });
  defineTool({
    ...spec,
    needs: [],
    // @ts-expect-error: "clock" is not in needs
    run: (_args, { clock }) => ({ seen: clock === undefined }),
  });
  const withNetwork = () =>
    defineTool({
      ...spec,
      // @ts-expect-error: no such capability
      needs: ["network"],
      run: () => ({}),
    });
  expect(withNetwork).toThrow('needs[0] is "network"');
  const tool = defineTool({
    ...spec,
    needs: ["workspace", "clock"],
    run: (_args, { workspace, clock }) => ({ both: workspace !== undefined && clock !== undefined }),
  });
  expect(tool.run({}, kit, signal)).toEqual({ both: true });
});

test("the type of the arguments is the one that run and subjects say", () => {
  const tool = defineTool({
    ...spec,
    needs: [],
    subject: "path",
    subjects: (args: { path: string }) => [args.path],
    run: (args: { path: string }) => ({ upper: args.path.toUpperCase() }),
  });
  expect(tool.subjects({ path: "a" })).toEqual(["a"]);
  expect(tool.run({ path: "a" }, kit, signal)).toEqual({ upper: "A" });
});

test("a subject that is no argument is refused, for no rule and no protected path would apply", () => {
  const input = { type: "object", properties: { file: { type: "string" } } } as const;
  expect(() => defineTool({ ...spec, input, subject: "path", run: () => ({}) })).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(
        'its subject is "path", but its input has no "path". Give the argument that name, or define subjects.',
      ),
    }),
  );
  const tool = defineTool({
    ...spec,
    input,
    subject: "path",
    subjects: ({ file = "." }) => [file],
    run: () => ({}),
  });
  expect(tool.subjects({ file: "a" })).toEqual(["a"]);
});

test("what is not said has its default, and the tool can't be changed afterwards", () => {
  const tool = defineTool({ ...spec, needs: [], run: () => ({}) });
  expect([tool.listed, tool.timeoutMs]).toEqual([true, null]);
  expect([tool, tool.inputSchema, tool.inputSchema.properties].every(Object.isFrozen)).toBe(true);
});

test.each(["", "fs read", "1x", ".x", "x\n", "é", "x".repeat(65)])(
  "a name that no wire takes is refused: %j",
  (name) => {
    expect(() => defineTool({ ...spec, name, needs: [], run: () => ({}) })).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID" }),
    );
  },
);

describe("a tool with name, description, input and run", () => {
  const minimal = {
    name: "add",
    description: "Add two numbers.",
    input: z.object({ a: z.number(), b: z.number().default(1) }),
    run: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
  };

  test("has safe defaults: guided asks before it, and it runs alone", () => {
    expect(defineTool(minimal)).toMatchObject({
      toolset: "own",
      category: "info",
      danger: "dangerous",
      effect: "change",
      contained: false,
      subject: "none",
      needs: [],
    });
  });

  test("of zod tells a model its JSON Schema, and runs with what zod makes of the arguments", async () => {
    const add = defineTool({ ...minimal, run: ({ a, b }) => ({ sum: a + b }) });
    expect(add.inputSchema).toEqual({
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number", default: 1 } },
      required: ["a"],
    });
    const { cell } = await openTempCell({ tools: [add], rules: ["allow add"] });
    expect((await cell.call({ name: "add", arguments: { a: 2 } })).output).toEqual({ sum: 3 });
    expect(await cell.call({ name: "add", arguments: { a: "x" } })).toMatchObject({
      error: {
        code: "INVALID_ARGUMENTS",
        message: expect.stringMatching(/^Could not call add: arguments\.a: /),
      },
      meta: { outcome: "not_executed", why: "invalid_args" },
    });
    expect((await cell.call({ name: "add", arguments: '{"a":"5"}' })).output).toEqual({ sum: 6 });
  });

  test("of valibot, wrapped by toStandardJsonSchema, tells a model its JSON Schema and infers the arguments", async () => {
    const input = toStandardJsonSchema(v.object({ text: v.string(), times: v.optional(v.number(), 2) }));
    const repeat = defineTool({
      name: "repeat",
      description: "R.",
      input,
      run: ({ text, times }) => ({ text: text.repeat(times) }),
    });
    expect(repeat.inputSchema).toEqual({
      type: "object",
      properties: { text: { type: "string" }, times: { type: "number", default: 2 } },
      required: ["text"],
    });
    const { cell } = await openTempCell({ tools: [repeat], trust: "autonomous" });
    expect((await cell.call({ name: "repeat", arguments: { text: "ab" } })).output).toEqual({ text: "abab" });
  });

  test("of valibot without that wrapper needs inputSchema too", async () => {
    const input = v.object({ text: v.pipe(v.string(), v.minLength(2)) });
    const spec = { name: "upper", description: "U.", input, run: ({ text }: { text: string }) => ({ text }) };
    expect(() => defineTool(spec)).toThrow(
      'Could not define the tool "upper": the library of its input makes no JSON Schema. Wrap the input in toStandardJsonSchema of the package @valibot/to-json-schema, or give inputSchema too.',
    );
    const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
    const { cell } = await openTempCell({
      tools: [defineTool({ ...spec, inputSchema })],
      trust: "autonomous",
    });
    expect((await cell.call({ name: "upper", arguments: { text: "ab" } })).output).toEqual({ text: "ab" });
    expect((await cell.call({ name: "upper", arguments: { text: "a" } })).error?.code).toBe(
      "INVALID_ARGUMENTS",
    );
  });

  test("of a library that cannot represent a part of it in JSON Schema needs inputSchema too", () => {
    const input = z.object({ a: z.date() });
    const spec = { name: "dated", description: "D.", input, run: () => ({}) };
    expect(() => defineTool(spec)).toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        message:
          'Could not define the tool "dated": its input has no JSON Schema (Date cannot be represented in JSON Schema). Give inputSchema too.',
      }),
    );
    const inputSchema = { type: "object", properties: { a: { type: "string" } } };
    expect(defineTool({ ...spec, inputSchema }).inputSchema).toEqual(inputSchema);
  });

  test("of JSON Schema infers the arguments of run", () => {
    const tool = defineTool({
      name: "pick",
      description: "Pick.",
      input: {
        type: "object",
        properties: {
          path: { type: "string" },
          mode: { enum: ["a", "b"] },
          sizes: { type: "array", items: { type: "integer" } },
        },
        required: ["path"],
      },
      run(args) {
        expectTypeOf(args).toEqualTypeOf<{
          readonly path: string;
          readonly mode?: "a" | "b";
          readonly sizes?: readonly number[];
        }>();
        return {};
      },
    });
    expect(tool.name).toBe("pick");
  });

  test.each<[object, string]>([
    [{ danger: "Dangerous" }, 'danger is "Dangerous"; allowed are "safe", "dangerous"'],
    [{ danger: null }, 'danger is null; allowed are "safe", "dangerous"'],
    [{ effect: "reads" }, 'effect is "reads"; allowed are "read", "change", "session"'],
    [{ subject: "file" }, 'subject is "file"; allowed are "path", "command", "host", "none"'],
    [{ category: 5 }, 'category is 5; allowed are "file", "exec", "search", "mcp", "info"'],
    [{ naming: "mount" }, 'naming is "mount"; allowed are "project", "mounts", "storage"'],
    [{ needs: "workspace" }, 'needs is "workspace"; allowed is a list'],
    [
      { needs: ["clock", "network"] },
      'needs[1] is "network"; allowed are "workspace", "commands", "guests", "http", "search", "model", "clock", "limits", "session", "kv", "progress"',
    ],
    [{ toolset: "" }, 'toolset is ""; allowed is text that is not empty'],
    [{ timeoutMs: "5" }, 'timeoutMs is "5"; allowed are whole numbers from 1 to 2147483647'],
    [{ timeoutMs: -5 }, "timeoutMs is -5; allowed are whole numbers from 1 to 2147483647"],
    [{ contained: "false" }, 'contained is "false"; allowed are true, false'],
    [{ keepsTime: 1 }, "keepsTime is 1; allowed are true, false"],
    [{ listed: "no" }, 'listed is "no"; allowed are true, false'],
    [{ inputSchema: "x" }, 'inputSchema is "x"; allowed is an object'],
    [{ outputSchema: [] }, "outputSchema is an array of 0; allowed is an object"],
    [{ subjects: ["a"] }, "subjects is an array of 1; allowed is a function"],
    [{ preview: "a" }, 'preview is "a"; allowed is a function'],
  ])("with %j fails when it is defined", (part, problem) => {
    const message = `Could not define the tool "add": ${problem}.`;
    expect(() => defineTool({ ...minimal, ...part })).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message }),
    );
  });

  test("may have undefined for what it leaves out", () => {
    expect(defineTool({ ...minimal, danger: undefined, timeoutMs: undefined } as never)).toMatchObject({
      danger: "dangerous",
      timeoutMs: null,
    });
  });

  test.each<[string, object, string]>([
    ["null", null as unknown as object, "it is not an object."],
    ["no name", { ...minimal, name: undefined }, "it has no name."],
    ["no description", { ...minimal, description: undefined }, "it has no description."],
    ["no input", { ...minimal, input: undefined }, "it has no input."],
    ["no run", { ...minimal, run: undefined }, "it has no function run."],
    ["a key that is none", { ...minimal, danger_level: "safe" }, "danger_level is no setting"],
    ["an input that is no object", { ...minimal, input: z.string() }, 'the type of its input is "string"'],
  ])("that is not complete fails when it is defined: %s", (_, spec, message) => {
    expect(() => defineTool(spec as typeof minimal)).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining(message) }),
    );
  });
});
