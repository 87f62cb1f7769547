import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openTempCell } from "../../test/kit/worlds/temp-cell.ts";
import { defineTool } from "../tools/define-tool.ts";
import { toToolMessage } from "./to-tool-message.ts";

const FILES = { "a.js": 'const a = "x";\nconst b = 2;\n', "dir/b.js": "const b = 3;\n" };
const PNG = Buffer.from("89504e470d0a1a0a00", "hex");

const open = async () => {
  const world = await openTempCell({ trust: "autonomous" }, FILES);
  fs.writeFileSync(path.join(world.root, "a.png"), PNG);
  const text = async (name: string, args: object) =>
    toToolMessage(await world.cell.call({ id: "c1", name, arguments: args }), "openai").content;
  return { ...world, text };
};

describe("a call object", () => {
  const path = "a.js";
  test.each<[string, Parameters<Awaited<ReturnType<typeof open>>["cell"]["callBatch"]>[0][number]]>([
    [
      "of OpenAI's chat completions",
      { id: "c1", type: "function", function: { name: "read_file", arguments: '{"path":"a.js"}' } },
    ],
    [
      "of OpenAI's responses",
      {
        type: "function_call",
        call_id: "c1",
        name: "read_file",
        arguments: '{"path":"a.js"}',
        status: "completed",
      },
    ],
    ["of Anthropic's messages", { type: "tool_use", id: "c1", name: "read_file", input: { path } }],
    ["of hotcell", { id: "c1", name: "read_file", arguments: { path } }],
  ])("%s is run as it comes, and keeps its id", async (_, request) => {
    const { cell, records } = await open();
    const [observation] = await cell.callBatch([request]);
    expect(observation).toMatchObject({ success: true, tool: "read_file", meta: { callId: "c1" } });
    expect(records().at(-1)).toMatchObject({ toolCallId: "c1", toolName: "read_file", input: { path } });
  });

  test("of Ollama, which has no id, gets one", async () => {
    const { cell } = await open();
    const observation = await cell.call({ function: { name: "read_file", arguments: { path } } });
    expect(observation).toMatchObject({ success: true, meta: { callId: expect.stringMatching(/^call_/) } });
    expect(toToolMessage(observation, "ollama")).toEqual({
      role: "tool",
      tool_name: "read_file",
      content: '1\tconst a = "x";\n2\tconst b = 2;',
    });
  });

  test.each([
    { type: "function_call", call_id: "c1", name: "read_file", arguments: '{"pa', status: "incomplete" },
    { type: "tool_use", id: "c1", name: "read_file", input: { path }, truncated: true },
  ] as const)("that was cut off is not run: %j", async (request) => {
    const { cell } = await open();
    expect((await cell.call(request)).meta).toMatchObject({ outcome: "not_executed", why: "truncated" });
  });

  test("of a custom tool is refused", async () => {
    const { cell } = await open();
    const request = { type: "custom", id: "c1", custom: { name: "shell", input: "ls" } } as const;
    expect((await cell.call(request)).error?.code).toBe("INVALID_ARGUMENTS");
  });
});

describe("the message", () => {
  test("has the form of each provider", async () => {
    const { cell } = await open();
    const observation = await cell.call({ id: "c1", name: "read_file", arguments: { path: "none" } });
    const content = expect.stringMatching(/^Error NOT_FOUND: /);
    expect(toToolMessage(observation, "openai")).toEqual({ role: "tool", tool_call_id: "c1", content });
    expect(toToolMessage(observation, "openai-responses")).toEqual({
      type: "function_call_output",
      call_id: "c1",
      output: content,
    });
    expect(toToolMessage(observation, "anthropic")).toEqual({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "c1", content, is_error: true }],
    });
    expect(toToolMessage(observation, "ollama")).toEqual({ role: "tool", tool_name: "read_file", content });
    expect(() => toToolMessage(observation, "gemini" as "ollama")).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENTS" }),
    );
  });

  test("shows an image where the provider takes one", async () => {
    const { cell } = await open();
    const observation = await cell.call({ id: "c1", name: "read_file", arguments: { path: "a.png" } });
    const text = "a.png: image/png, 9 bytes\n[This is an image.]";
    const data = PNG.toString("base64");
    expect(toToolMessage(observation, "anthropic").content[0]?.content).toEqual([
      { type: "text", text },
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
    ]);
    expect(toToolMessage(observation, "openai-responses").output).toEqual([
      { type: "input_text", text },
      { type: "input_image", image_url: `data:image/png;base64,${data}`, detail: "auto" },
    ]);
    expect(toToolMessage(observation, "ollama")).toMatchObject({ content: text, images: [data] });
    expect(toToolMessage(observation, "openai").content).toBe(
      `${text}\n[This API takes no image from a tool.]`,
    );
  });

  test.each([
    ["read_file", { path: "a.js", end_line: 1 }, '1\tconst a = "x";'],
    ["write_file", { path: "c.js", content: "c" }, "Created c.js: 1 bytes."],
    ["edit_file", { path: "a.js", edits: [{ old_text: "2", new_text: "4" }] }, "Edited a.js: 1 replacement."],
    ["list_directory", {}, "a.js (28 bytes)\na.png (9 bytes)\ndir/"],
    ["find_files", { pattern: "*.js" }, "a.js\ndir/b.js"],
    ["find_files", { pattern: "*.py" }, "No files."],
    ["search_files", { pattern: "b =" }, "a.js:2: const b = 2;\ndir/b.js:1: const b = 3;"],
    ["search_files", { pattern: "2", context: 1 }, 'a.js-1- const a = "x";\na.js:2: const b = 2;\n--'],
    ["search_files", { pattern: "b", show: "counts" }, "a.js: 1\ndir/b.js: 1"],
    ["search_files", { pattern: "nothing" }, /^No matches in \d files\./],
    ["read_file", { path: "a.js", end_line: "1" }, /\n\[Converted the text "1" in arguments.end_line/],
  ])("of %s %j is text without hashes and ids", async (name, args, expected) => {
    const { text } = await open();
    const content = await text(name, args);
    if (typeof expected === "string") expect(content).toBe(expected);
    else expect(content).toMatch(expected);
  });

  test("of your own tool is its JSON, or its only text", async () => {
    const common = {
      toolset: "own",
      category: "info",
      danger: "safe",
      effect: "read",
      needs: [],
      subject: "none",
    } as const;
    const input = { type: "object", properties: {} };
    const make = (name: string, output: object) =>
      defineTool({ ...common, name, description: name, input, run: () => ({ ...output }) });
    const tools = [make("pair", { a: false, b: null }), make("text", { answer: "one\ntwo" })];
    const { cell } = await openTempCell({ tools });
    const text = async (name: string) => toToolMessage(await cell.call({ name }), "openai").content;
    expect([await text("pair"), await text("text")]).toEqual(['{"a":false,"b":null}', "one\ntwo"]);
  });
});
