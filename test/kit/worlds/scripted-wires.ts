// The answers of a scripted model on the wires of three providers. Clients find the wire by the path.

export interface ScriptedTurn {
  readonly text?: string;
  /** The end of a tool's name, and its arguments: clients put a prefix before the names of MCP tools. */
  readonly call?: readonly [tool: string, args: object];
}

export interface ScriptedMessage {
  readonly role?: string;
  readonly content?: unknown;
  readonly type?: string;
  readonly parts?: readonly { readonly functionResponse?: unknown }[];
}

interface WireBody {
  readonly messages?: readonly ScriptedMessage[];
  readonly input?: readonly ScriptedMessage[];
  readonly contents?: readonly ScriptedMessage[];
  readonly tools?: readonly { readonly function?: { readonly name: string } }[];
}

interface Wire {
  readonly path: RegExp;
  messages(body: WireBody): readonly ScriptedMessage[];
  /** Whether a message is the result of a call. */
  isResult(message: ScriptedMessage): boolean;
  /** The events of an answer, without the names of server-sent events. */
  events(turn: ScriptedTurn, body: WireBody): readonly unknown[];
}

const CHAT: Wire = {
  path: /\/chat\/completions$/,
  messages: ({ messages = [] }) => messages,
  isResult: ({ role }) => role === "tool",
  events: (turn, { tools = [] }) => [
    ...choicesOf(turn, tools).map((choice) => ({
      id: "x",
      object: "chat.completion.chunk",
      created: 0,
      model: "scripted",
      choices: [choice],
    })),
    "[DONE]",
  ],
};

const RESPONSES: Wire = {
  path: /\/responses$/,
  messages: ({ input = [] }) => input,
  isResult: ({ type }) => type === "function_call_output",
  events: ({ text, call }) => [
    { type: "response.created", response: { id: "x" } },
    {
      type: "response.output_item.done",
      output_index: 0,
      item:
        call === undefined
          ? { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text }] }
          : {
              type: "function_call",
              id: "c",
              call_id: "c",
              name: call[0],
              arguments: JSON.stringify(call[1]),
            },
    },
    {
      type: "response.completed",
      response: { id: "x", usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
    },
  ],
};

const GEMINI: Wire = {
  path: /:streamGenerateContent/,
  messages: ({ contents = [] }) => contents,
  isResult: ({ parts = [] }) => parts.some(({ functionResponse }) => functionResponse !== undefined),
  events: ({ text, call }) => {
    const part = call === undefined ? { text } : { functionCall: { name: call[0], args: call[1] } };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return [
      { candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP" }], usageMetadata },
    ];
  },
};

/** Null for a path that no model has. */
export function findWire(path: string): Wire | null {
  return [CHAT, RESPONSES, GEMINI].find((wire) => wire.path.test(path)) ?? null;
}

function choicesOf({ text, call }: ScriptedTurn, tools: NonNullable<WireBody["tools"]>): object[] {
  if (call === undefined)
    return [
      { index: 0, delta: { role: "assistant", content: text }, finish_reason: null },
      { index: 0, delta: {}, finish_reason: "stop" },
    ];
  const [tool, args] = call;
  const name = tools.map((each) => each.function?.name ?? "").find((each) => each.endsWith(tool)) ?? tool;
  const calls = [
    { index: 0, id: `call_${tool}`, type: "function", function: { name, arguments: JSON.stringify(args) } },
  ];
  return [
    { index: 0, delta: { role: "assistant", tool_calls: calls }, finish_reason: null },
    { index: 0, delta: {}, finish_reason: "tool_calls" },
  ];
}
