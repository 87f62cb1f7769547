import { describe, expect, test } from "vitest";
import { serveModel } from "../../test/kit/worlds/model-server.ts";
import { openTempCell } from "../../test/kit/worlds/temp-cell.ts";
import { WIRE_CASES } from "../../test/kit/worlds/wire-cases.ts";
import { openModel } from "../models/open-model.ts";
import type { AgentEvent } from "./agent-event.ts";
import { runAgent } from "./run-agent.ts";
import { asTextMessages, readTextCalls } from "./text-calls.ts";

const OFFERED = new Set(["read_file", "time.now"]);
const HERMES = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>';
const QWEN = "<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>";
const names = (text: string) =>
  readTextCalls(text, OFFERED).calls.map(({ name, arguments: args }) => [name, JSON.parse(args)]);

describe("a call in text", () => {
  test.each([
    ["Hermes' tag", HERMES],
    ["Hermes' tag on one line", HERMES.replaceAll("\n", "")],
    ["Qwen's tag", QWEN],
    ["Qwen's tag within Hermes'", `<tool_call>\n${QWEN}\n</tool_call>`],
    ["after prose", `I look into it.\n\n${HERMES}`],
    ["before prose", `${HERMES}\nThat should do.`],
    ["after a code block that ended", `\`\`\`js\nx\n\`\`\`\n${HERMES}`],
    ["after a code block that a longer fence ended", `\`\`\`\nx\n  \`\`\`\`  \n${HERMES}`],
    ["after a code block with line ends of Windows", `\`\`\`\r\nx\r\n\`\`\`\r\n${HERMES}`],
    ["after backticks within a line", `\`\`\`x\`\`\` is code.\n${HERMES}`],
    ["after backticks that are indented as code", `    \`\`\`\n${HERMES}`],
    ["JSON as the whole answer", '{"tool_call":{"name":"read_file","arguments":{"path":"a"}}}'],
  ])("%s is a call", (_, text) => {
    expect(names(text)).toEqual([["read_file", { path: "a" }]]);
  });

  test.each([
    ["a name that was not offered", HERMES.replace("read_file", "rm")],
    ["in the middle of a line", `Write ${HERMES.replaceAll("\n", "")} to read.`],
    ["in a code block", `\`\`\`\n${HERMES}\n\`\`\``],
    ["in a code block with tildes", `~~~\n${HERMES}\n~~~`],
    ["in a code block that never ends", `\`\`\`\n${HERMES}`],
    ["in a code block with a longer fence", `\`\`\`\`md\n\`\`\`\n${HERMES}\n\`\`\`\n\`\`\`\``],
    ["after a fence with a language in a code block", `\`\`\`\n\`\`\`xml\n${HERMES}\n\`\`\``],
    ["after a fence with text in a code block", `\`\`\`\n\`\`\` not a close\n${HERMES}\n\`\`\``],
    ["after a fence of the other kind in a code block", `~~~\n\`\`\`\n${HERMES}\n~~~`],
    ["after a fence that is indented as code in a code block", `\`\`\`\n    \`\`\`\n${HERMES}\n\`\`\``],
    ["in an indented code block", `   ~~~ a \` b\n${HERMES}\n   ~~~`],
    ["without its end", HERMES.replace("</tool_call>", "")],
    ["JSON after prose", 'Here: {"tool_call":{"name":"read_file"}}'],
    ["JSON before prose", '{"tool_call":{"name":"read_file"}} reads it.'],
    ["JSON with a call somewhere in it", '{"target":"prod","why":{"name":"read_file"}}'],
    ["JSON that lists tools", '{"tools":[{"name":"read_file"}]}'],
    ["JSON with other keys beside the call", '{"tool_call":{"name":"read_file"},"note":"an example"}'],
    ["JSON without its end", '{"tool_call":{"name":"read_file","arguments":{"path":"a"'],
    ["a quotation", `> ${HERMES.replaceAll("\n", "\n> ")}`],
  ])("%s is no call", (_, text) => {
    const { content, calls } = readTextCalls(text, OFFERED);
    expect(calls).toEqual([]);
    expect(content.trim()).toBe(text.trim());
  });

  test("several calls keep their order, and the prose around them is kept", () => {
    const { content, calls } = readTextCalls(`One.\n${HERMES}\n${QWEN}\nTwo.`, OFFERED);
    expect(calls).toHaveLength(2);
    expect(content).toBe("One.\nTwo.");
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  test.each([
    ["", "</tool_call> and <tool_call>"],
    ["after a quotation mark", '"</tool_call>'],
    ["after a backslash", "\\</tool_call>\\"],
    ["after a line end", `\n${HERMES}\n`],
  ])("the closing tag in a string of its arguments does not end it %s", (_, content) => {
    const call = { name: "read_file", arguments: { path: content } };
    const text = `I read.\n<tool_call>\n${JSON.stringify(call)}\n</tool_call>\n${HERMES}\nDone.`;
    expect(names(text)).toEqual([
      ["read_file", { path: content }],
      ["read_file", { path: "a" }],
    ]);
    expect(readTextCalls(text, OFFERED).content).toBe("I read.\nDone.");
  });

  describe("in Qwen's tags, a value that holds the closing tags", () => {
    const writing = (content: string) =>
      `<function=read_file>\n<parameter=path>\n${content}\n</parameter>\n</function>`;
    const END = '"</parameter></function>"';
    test.each([
      ["", writing(`const END = ${END};\nrest`)],
      [
        "within Hermes' tag",
        `<tool_call>\n${writing("</parameter>\n</function>\n</tool_call>\nrest")}\n</tool_call>`,
      ],
      ["before an opening tag", writing(`${END} + "<function=read_file><parameter=path>";`)],
      ["before another call", `${writing(`${END};`)}\n${QWEN}`],
      ["before a code block", writing(`${END};\n\`\`\`\nx`)],
      ["before a whole call", writing(`</parameter></function>\n${QWEN}\nrest`)],
    ])("makes it unreadable, and no part of it is written %s", (_, text) => {
      const [first] = readTextCalls(text, OFFERED).calls;
      expect(first).toMatchObject({
        name: "read_file",
        arguments: expect.stringMatching(/^<(?:function|tool_call)/),
      });
    });

    test("a call of a tool that was not offered casts no doubt on the one before it", () => {
      expect(names(`${QWEN}\n${QWEN.replace("read_file", "rm")}`)).toEqual([["read_file", { path: "a" }]]);
    });
  });

  test("a string that never ends takes no later call with it", () => {
    const { calls } = readTextCalls(
      `<tool_call>\n{"name": "read_file", "arguments": {"path: "a"}}\n</tool_call>\n${HERMES}`,
      OFFERED,
    );
    expect(calls).toMatchObject([
      { name: "read_file", arguments: expect.stringContaining("<tool_call>") },
      { name: "read_file", arguments: '{"path":"a"}' },
    ]);
  });

  test.each(["<tool_call>\n", "<function=a>\n", "<tool_call>\n<function=\n"])(
    "many openings %j without an end are read in linear time",
    (opening) => {
      const text = opening.repeat(500_000);
      expect(readTextCalls(text, OFFERED)).toEqual({ content: text.trim(), calls: [] });
    },
  );

  test("one that can't be read goes on as it is, so that the model is told what is wrong", () => {
    const { calls } = readTextCalls(
      '<tool_call>\n{"name": "read_file", "arguments": {"path": \n</tool_call>',
      OFFERED,
    );
    expect(calls).toMatchObject([{ name: "read_file", arguments: expect.stringContaining("<tool_call>") }]);
  });
});

test("a conversation for a model without tools has calls in tags and results as messages of the user", () => {
  const messages = asTextMessages([
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: "I look.",
      calls: [{ id: "1", name: "time.now", arguments: "", complete: true }],
    },
    { role: "tool", callId: "1", name: "time.now", content: "noon", isError: false },
  ]);
  expect(messages).toEqual([
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: 'I look.\n<tool_call>\n{"name": "time.now", "arguments": {}}\n</tool_call>',
      calls: [],
    },
    { role: "user", content: '<tool_response>\n{"name":"time.now","content":"noon"}\n</tool_response>' },
  ]);
  expect(readTextCalls(messages[1]!.content, new Set(["time.now"])).calls).toMatchObject([
    { name: "time.now" },
  ]);
});

test.each(["openai", "ollama"] as const)(
  "a call that %s streams as text is run, and its result goes back as text",
  async (dialect) => {
    const [text] = WIRE_CASES[dialect];
    const called = WIRE_CASES[dialect].find(({ name }) => name === "a call as text")!;
    const bytes = [...Buffer.from(called.body.join(""))].map((byte) => Uint8Array.of(byte));
    const server = await serveModel({ body: bytes }, { body: text!.body });
    const model = openModel({ model: `${dialect}/m`, baseUrl: server.url, apiKey: "k" });
    const { cell } = await openTempCell({}, { "é😀.txt": "hello" });
    const prompt = [{ role: "user", content: "go" }] as const;
    const events: AgentEvent[] = [];
    for await (const event of runAgent({ cell, model, messages: prompt })) events.push(event);
    expect(events.filter(({ kind }) => kind === "call.result")).toMatchObject([
      { outcome: "executed_ok", message: { name: "read_file", content: expect.stringContaining("hello") } },
    ]);
    expect(events.at(-1)).toMatchObject({ kind: "run.end", stop: "done" });
    expect(JSON.stringify(server.requests[1]!.body)).toContain("hello");
    await model.close();
    await server.close();
  },
);
