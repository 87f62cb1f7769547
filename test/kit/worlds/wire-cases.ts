// Answers of each provider, byte for byte: common ones, and difficult ones that real servers send.
import type { ModelChunk, StopReason } from "../../../src/models/model.ts";

export interface WireCase {
  readonly name: string;
  readonly body: readonly string[];
  readonly expected: ExpectedAnswer;
}

export interface ExpectedAnswer {
  readonly text?: string;
  readonly thinking?: string;
  /** Name, arguments, and whether the call is complete. */
  readonly calls?: readonly (readonly [string, string, boolean])[];
  /** How the answer ends: a reason, or the code of an error. */
  readonly ends: StopReason | `MODEL_${string}`;
}

export type Dialect = "anthropic" | "openai" | "openai-responses" | "ollama";

/** The same facts about a received answer. */
export function summarize(chunks: readonly ModelChunk[]): ExpectedAnswer {
  const join = (type: "chunk" | "thinking") =>
    chunks.flatMap((chunk) => (chunk.type === type ? [chunk.content] : [])).join("");
  const last = chunks.at(-1);
  const calls = chunks.flatMap((chunk) =>
    chunk.type === "tool_call_start" ? [callOf(chunk.toolId, chunk.toolName, chunks)] : [],
  );
  const text = join("chunk");
  const thinking = join("thinking");
  return {
    ...(text !== "" && { text }),
    ...(thinking !== "" && { thinking }),
    ...(calls.length > 0 && { calls }),
    ends:
      last?.type === "end"
        ? last.stop
        : last?.type === "error"
          ? (last.error.code as "MODEL_")
          : "MODEL_NONE",
  };
}

function callOf(id: string, name: string, chunks: readonly ModelChunk[]): readonly [string, string, boolean] {
  const text = chunks.flatMap((chunk) =>
    chunk.type === "tool_call_delta" && chunk.toolId === id ? [chunk.content] : [],
  );
  const complete = chunks.some(
    (chunk) => chunk.type === "tool_call_end" && chunk.toolId === id && chunk.complete,
  );
  return [name, text.join(""), complete];
}

type SseEvent = readonly [name: string | null, data: unknown];

const sse = (...events: readonly SseEvent[]): string[] =>
  events.map(([name, data]) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    return `${name === null ? "" : `event: ${name}\n`}data: ${text}\n\n`;
  });

/** What a small model writes that has learned its calls as text. */
const TEXT_CALL = 'Sure.\n<tool_call>\n{"name": "read_file", "arguments": {"path": "é😀.txt"}}\n</tool_call>';

// Anthropic.

const named = (type: string, rest: object = {}): SseEvent => [type, { type, ...rest }];
const messageStart = named("message_start", {
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [],
    model: "claude-x",
    usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 4 },
  },
});
const blockStart = (index: number, content_block: object): SseEvent =>
  named("content_block_start", { index, content_block });
const toolStart = (index: number, id: string, name: string): SseEvent =>
  blockStart(index, { type: "tool_use", id, name, input: {} });
const delta = (index: number, type: string, fields: object): SseEvent =>
  named("content_block_delta", { index, delta: { type, ...fields } });
const json = (index: number, partial_json: string): SseEvent =>
  delta(index, "input_json_delta", { partial_json });
const blockStop = (index: number): SseEvent => named("content_block_stop", { index });
const messageEnd = (stop_reason: string): SseEvent[] => [
  named("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 9 } }),
  named("message_stop"),
];
const textBlock = (index: number, text: string): SseEvent[] => [
  blockStart(index, { type: "text", text: "" }),
  delta(index, "text_delta", { text }),
  blockStop(index),
];

const ANTHROPIC: readonly WireCase[] = [
  {
    name: "text",
    body: sse(messageStart, named("ping"), ...textBlock(0, "héllo 😀"), ...messageEnd("end_turn")),
    expected: { text: "héllo 😀", ends: "stop" },
  },
  {
    name: "lines that end with CR LF",
    body: sse(messageStart, ...textBlock(0, "a"), ...messageEnd("end_turn")).map((part) =>
      part.replaceAll("\n", "\r\n"),
    ),
    expected: { text: "a", ends: "stop" },
  },
  {
    name: "thinking, text and two calls",
    body: sse(
      messageStart,
      blockStart(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, "thinking_delta", { thinking: "hm" }),
      delta(0, "signature_delta", { signature: "SIG" }),
      blockStop(0),
      ...textBlock(1, "Look:"),
      toolStart(2, "t1", "read_file"),
      json(2, '{"path":'),
      json(2, '"a"}'),
      blockStop(2),
      toolStart(3, "t2", "read_file"),
      json(3, '{"path":"b"}'),
      blockStop(3),
      ...messageEnd("tool_use"),
    ),
    expected: {
      thinking: "hm",
      text: "Look:",
      calls: [
        ["read_file", '{"path":"a"}', true],
        ["read_file", '{"path":"b"}', true],
      ],
      ends: "tool_calls",
    },
  },
  {
    name: "redacted thinking and a call",
    body: sse(
      messageStart,
      blockStart(0, { type: "redacted_thinking", data: "ENCRYPTED" }),
      blockStop(0),
      toolStart(1, "t1", "read_file"),
      json(1, '{"path":"é'),
      json(1, '😀"}'),
      blockStop(1),
      ...messageEnd("tool_use"),
    ),
    expected: { calls: [["read_file", '{"path":"é😀"}', true]], ends: "tool_calls" },
  },
  {
    name: "a call without arguments",
    body: sse(messageStart, toolStart(0, "t1", "list"), json(0, ""), blockStop(0), ...messageEnd("tool_use")),
    expected: { calls: [["list", "", true]], ends: "tool_calls" },
  },
  {
    name: "a call cut off by the token limit",
    body: sse(
      messageStart,
      toolStart(0, "t1", "read_file"),
      json(0, '{"path": "src/ind'),
      blockStop(0),
      ...messageEnd("max_tokens"),
    ),
    expected: { calls: [["read_file", '{"path": "src/ind', false]], ends: "length" },
  },
  {
    name: "a whole call before one cut off by the token limit",
    body: sse(
      messageStart,
      toolStart(0, "t1", "list"),
      json(0, "{}"),
      blockStop(0),
      toolStart(1, "t2", "write_file"),
      json(1, "{}"),
      blockStop(1),
      ...messageEnd("max_tokens"),
    ),
    expected: {
      calls: [
        ["list", "{}", true],
        ["write_file", "{}", false],
      ],
      ends: "length",
    },
  },
  {
    name: "an end in the middle of a call",
    body: sse(messageStart, toolStart(0, "t1", "write_file"), json(0, '{"path":"a","con')),
    expected: { calls: [["write_file", '{"path":"a","con', false]], ends: "MODEL_STREAM_CUT" },
  },
  {
    name: "an end before message_stop",
    body: sse(messageStart, ...textBlock(0, "a"), messageEnd("end_turn")[0]!),
    expected: { text: "a", ends: "MODEL_STREAM_CUT" },
  },
  {
    name: "an error within the stream",
    body: sse(
      messageStart,
      toolStart(0, "t1", "read_file"),
      named("error", { error: { type: "overloaded_error", message: "Overloaded" } }),
    ),
    expected: { calls: [["read_file", "", false]], ends: "MODEL_OVERLOADED" },
  },
  {
    name: "a block of an unknown type",
    body: sse(
      messageStart,
      blockStart(0, { type: "future_block", x: 1 }),
      delta(0, "future_delta", { y: 1 }),
      blockStop(0),
      toolStart(1, "t1", "read_file"),
      json(1, '{"path":"a"}'),
      blockStop(1),
      ...messageEnd("tool_use"),
    ),
    expected: { calls: [["read_file", '{"path":"a"}', true]], ends: "tool_calls" },
  },
  {
    name: "a delta of a block that never began",
    body: sse(messageStart, json(7, "{}"), ...messageEnd("end_turn")),
    expected: { ends: "stop" },
  },
  {
    name: "an end for an unknown reason",
    body: sse(messageStart, toolStart(0, "t1", "list"), json(0, "{}"), blockStop(0), ...messageEnd("abort")),
    expected: { calls: [["list", "{}", false]], ends: "MODEL_STREAM_CUT" },
  },
  {
    name: "an end without a reason",
    body: sse(messageStart, ...textBlock(0, "a"), named("message_stop")),
    expected: { text: "a", ends: "MODEL_STREAM_CUT" },
  },
  {
    name: "a turn that pauses",
    body: sse(messageStart, ...messageEnd("pause_turn")),
    expected: { ends: "pause" },
  },
  { name: "a refusal", body: sse(messageStart, ...messageEnd("refusal")), expected: { ends: "refusal" } },
  {
    name: "a call cut off by a refusal",
    body: sse(
      messageStart,
      toolStart(0, "t1", "write_file"),
      json(0, '{"path":"a"}'),
      blockStop(0),
      ...messageEnd("refusal"),
    ),
    expected: { calls: [["write_file", '{"path":"a"}', false]], ends: "refusal" },
  },
  {
    name: "data that is not JSON",
    body: [...sse(messageStart), 'data: {"type"\n\n'],
    expected: { ends: "MODEL_PROTOCOL" },
  },
  {
    name: "a page in HTML",
    body: ["<html><body>Sign in</body></html>\n\n"],
    expected: { ends: "MODEL_STREAM_CUT" },
  },
];

// OpenAI's chat completions.

const choice = (delta: object, finish_reason: string | null = null): SseEvent => [
  null,
  {
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  },
];
const call = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args: unknown,
): SseEvent =>
  choice({
    tool_calls: [
      {
        ...(index !== undefined && { index }),
        ...(id !== undefined && { id }),
        type: "function",
        function: { ...(name !== undefined && { name }), arguments: args },
      },
    ],
  });
/** The first event has the role, and nothing else. */
const chat = (...events: readonly SseEvent[]): string[] =>
  sse(choice({ role: "assistant", content: "" }), ...events);
const DONE = "data: [DONE]\n\n";
const chatUsage: SseEvent = [
  null,
  {
    id: "c1",
    model: "m",
    choices: [],
    usage: { prompt_tokens: 10, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 4 } },
  },
];
const readA = ["read_file", '{"path":"a"}', true] as const;

const OPENAI: readonly WireCase[] = [
  {
    name: "text and usage",
    body: [
      ...chat(choice({ content: "héllo " }), choice({ content: "😀" }), choice({}, "stop"), chatUsage),
      DONE,
    ],
    expected: { text: "héllo 😀", ends: "stop" },
  },
  {
    name: "two calls, in fragments",
    body: [
      ...chat(
        call(0, "c1", "read_file", ""),
        call(0, undefined, undefined, '{"path":'),
        call(0, undefined, undefined, '"a"}'),
        call(1, "c2", "list", "{}"),
        choice({}, "tool_calls"),
        chatUsage,
      ),
      DONE,
    ],
    expected: { calls: [readA, ["list", "{}", true]], ends: "tool_calls" },
  },
  {
    name: "a call as text",
    body: [...chat(choice({ content: TEXT_CALL }), choice({}, "stop")), DONE],
    expected: { text: TEXT_CALL, ends: "stop" },
  },
  {
    name: "reasoning",
    body: [...chat(choice({ reasoning_content: "hm" }), choice({ content: "a" }), choice({}, "stop")), DONE],
    expected: { thinking: "hm", text: "a", ends: "stop" },
  },
  {
    name: "an end in the middle of a call",
    body: chat(call(0, "c", "write_file", '{"path":"a","con')),
    expected: { calls: [["write_file", '{"path":"a","con', false]], ends: "MODEL_STREAM_CUT" },
  },
  {
    name: "[DONE] without a finish reason",
    body: [...chat(call(0, "c", "read_file", '{"path":"a"}')), DONE],
    expected: { calls: [["read_file", '{"path":"a"}', false]], ends: "MODEL_STREAM_CUT" },
  },
  {
    name: "an end for an unknown reason",
    body: [...chat(call(0, "c", "read_file", '{"path":"a"}'), choice({}, "abort"), chatUsage), DONE],
    expected: { calls: [["read_file", '{"path":"a"}', false]], ends: "MODEL_STREAM_CUT" },
  },
  {
    name: "a finish reason of a compatible server",
    body: [...chat(choice({ content: "a" }), choice({}, "end_turn")), DONE],
    expected: { text: "a", ends: "stop" },
  },
  {
    name: "a finish reason without [DONE]",
    body: chat(choice({ content: "a" }), choice({}, "stop")),
    expected: { text: "a", ends: "stop" },
  },
  {
    name: "calls that end with the reason stop",
    body: [...chat(call(0, "c", "read_file", '{"path":"a"}'), choice({}, "stop")), DONE],
    expected: { calls: [readA], ends: "tool_calls" },
  },
  {
    name: "a call without an index",
    body: [
      ...chat(
        call(undefined, "c", "read_file", '{"path":'),
        call(undefined, undefined, undefined, '"a"}'),
        choice({}, "tool_calls"),
      ),
      DONE,
    ],
    expected: { calls: [readA], ends: "tool_calls" },
  },
  {
    name: "two calls without an index",
    body: [
      ...chat(
        call(undefined, "c", "read_file", '{"path":"a"}'),
        call(undefined, "d", "list", "{}"),
        choice({}, "tool_calls"),
      ),
      DONE,
    ],
    expected: { calls: [readA, ["list", "{}", true]], ends: "tool_calls" },
  },
  {
    name: "two calls with the same index",
    body: [
      ...chat(
        call(0, "c1", "read_file", '{"path":"a"}'),
        call(0, "c2", "read_file", '{"path":"b"}'),
        choice({}, "tool_calls"),
      ),
      DONE,
    ],
    expected: { calls: [readA, ["read_file", '{"path":"b"}', true]], ends: "tool_calls" },
  },
  {
    name: "id and name with every fragment",
    body: [
      ...chat(
        call(0, "c", "read_file", ""),
        call(0, "c", "read_file", '{"path":'),
        call(0, "c", "read_file", '"a"}'),
        choice({}, "tool_calls"),
      ),
      DONE,
    ],
    expected: { calls: [readA], ends: "tool_calls" },
  },
  {
    name: "arguments as an object",
    body: [...chat(call(0, "c", "read_file", { path: "a" }), choice({}, "tool_calls")), DONE],
    expected: { calls: [readA], ends: "tool_calls" },
  },
  {
    name: "a call without an id",
    body: [...chat(call(0, undefined, "read_file", '{"path":"a"}'), choice({}, "tool_calls")), DONE],
    expected: { calls: [readA], ends: "tool_calls" },
  },
  {
    name: "two calls with the same id",
    body: [
      ...chat(
        call(0, "c", "read_file", '{"path":"a"}'),
        call(1, "c", "list", "{}"),
        choice({}, "tool_calls"),
      ),
      DONE,
    ],
    expected: { calls: [readA, ["list", "{}", true]], ends: "tool_calls" },
  },
  {
    name: "a call without arguments",
    body: [...chat(call(0, "c", "list", ""), choice({}, "tool_calls")), DONE],
    expected: { calls: [["list", "", true]], ends: "tool_calls" },
  },
  {
    name: "an error within the stream",
    body: chat(choice({ content: "hi" }), [
      null,
      { error: { message: "The server had an error", type: "server_error", code: null } },
    ]),
    expected: { text: "hi", ends: "MODEL_OVERLOADED" },
  },
  {
    name: "a call cut off by the token limit",
    body: [...chat(call(0, "c", "write_file", '{"path":"a","con'), choice({}, "length")), DONE],
    expected: { calls: [["write_file", '{"path":"a","con', false]], ends: "length" },
  },
  {
    name: "a whole call before one cut off by the token limit",
    body: [
      ...chat(call(0, "c", "list", "{}"), call(1, "d", "write_file", '{"path":"a"}'), choice({}, "length")),
      DONE,
    ],
    expected: {
      calls: [
        ["list", "{}", true],
        ["write_file", '{"path":"a"}', false],
      ],
      ends: "length",
    },
  },
  {
    name: "comments that keep the connection alive",
    body: [
      ": PROCESSING\n\n",
      ...chat(choice({ content: "hi" })),
      ": keep-alive\n\n",
      ...chat(choice({}, "stop")),
      DONE,
    ],
    expected: { text: "hi", ends: "stop" },
  },
  {
    name: "a call cut off by a content filter",
    body: [...chat(call(0, "c", "write_file", '{"path":"a"}'), choice({}, "content_filter")), DONE],
    expected: { calls: [["write_file", '{"path":"a"}', false]], ends: "refusal" },
  },
  {
    name: "a content filter",
    body: [...chat(choice({ content: "a" }), choice({}, "content_filter")), DONE],
    expected: { text: "a", ends: "refusal" },
  },
];

// OpenAI's responses.

const RESPONSE = { id: "resp_1", object: "response", created_at: 1, model: "m", output: [], error: null };
const created = named("response.created", { response: { ...RESPONSE, status: "in_progress" } });
/** The first event is the same for all, and all are numbered. */
const responses = (...events: readonly SseEvent[]): string[] =>
  sse(
    ...[created, ...events].map(
      ([name, data], at): SseEvent => [name, { ...(data as object), sequence_number: at }],
    ),
  );
const item = (output_index: number, fields: object): SseEvent =>
  named("response.output_item.added", { output_index, item: fields });
const itemDone = (output_index: number, fields: object): SseEvent =>
  named("response.output_item.done", { output_index, item: fields });
const functionCall = (call_id: string, name: string, args: string, status: string) => ({
  id: `fc_${call_id}`,
  type: "function_call",
  call_id,
  name,
  arguments: args,
  status,
});
const startCall = (at: number, id: string, name: string, args: string): SseEvent[] => [
  item(at, functionCall(id, name, "", "in_progress")),
  named("response.function_call_arguments.delta", { output_index: at, item_id: `fc_${id}`, delta: args }),
];
const wholeCall = (at: number, id: string, name: string, args: string): SseEvent[] => [
  ...startCall(at, id, name, args),
  named("response.function_call_arguments.done", {
    output_index: at,
    item_id: `fc_${id}`,
    name,
    arguments: args,
  }),
  itemDone(at, functionCall(id, name, args, "completed")),
];
const message = (text: string, status: string) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  status,
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});
const inMessage = { output_index: 0, item_id: "msg_1", content_index: 0 };
const startMessage = (...texts: readonly string[]): SseEvent[] => [
  item(0, { ...message("", "in_progress"), content: [] }),
  named("response.content_part.added", { ...inMessage, part: message("", "").content[0] }),
  ...texts.map((delta) => named("response.output_text.delta", { ...inMessage, delta, logprobs: [] })),
];
const wholeMessage = (...texts: readonly string[]): SseEvent[] => {
  const text = texts.join("");
  return [
    ...startMessage(...texts),
    named("response.output_text.done", { ...inMessage, text, logprobs: [] }),
    named("response.content_part.done", { ...inMessage, part: message(text, "").content[0] }),
    itemDone(0, message(text, "completed")),
  ];
};
const responseEnd = (output: readonly object[], rest: object = {}): SseEvent =>
  named("incomplete_details" in rest ? "response.incomplete" : "response.completed", {
    response: {
      ...RESPONSE,
      status: "completed",
      output,
      usage: {
        input_tokens: 10,
        output_tokens: 9,
        total_tokens: 19,
        input_tokens_details: { cached_tokens: 4 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
      ...rest,
    },
  });
const failed = (code: string): SseEvent =>
  named("response.failed", { response: { ...RESPONSE, status: "failed", error: { code, message: "no" } } });
const cutAt = (reason: string) => ({ status: "incomplete", incomplete_details: { reason } });
const summary = { type: "summary_text", text: "hm" };
const reasoningItem = { id: "rs_1", type: "reasoning", summary: [summary], encrypted_content: "ENC" };
const inReasoning = { output_index: 0, item_id: "rs_1", summary_index: 0 };
const reasoning: readonly SseEvent[] = [
  item(0, { ...reasoningItem, summary: [] }),
  named("response.reasoning_summary_part.added", { ...inReasoning, part: { ...summary, text: "" } }),
  named("response.reasoning_summary_text.delta", { ...inReasoning, delta: "hm" }),
  named("response.reasoning_summary_text.done", { ...inReasoning, text: "hm" }),
  named("response.reasoning_summary_part.done", { ...inReasoning, part: summary }),
  itemDone(0, reasoningItem),
];

const RESPONSES: readonly WireCase[] = [
  {
    name: "text",
    body: responses(...wholeMessage("héllo ", "😀"), responseEnd([message("héllo 😀", "completed")])),
    expected: { text: "héllo 😀", ends: "stop" },
  },
  {
    name: "reasoning and two calls",
    body: responses(
      ...reasoning,
      ...wholeCall(1, "c1", "read_file", '{"path":"a"}'),
      ...wholeCall(2, "c2", "list", "{}"),
      responseEnd([
        reasoningItem,
        functionCall("c1", "read_file", '{"path":"a"}', "completed"),
        functionCall("c2", "list", "{}", "completed"),
      ]),
    ),
    expected: { thinking: "hm", calls: [readA, ["list", "{}", true]], ends: "tool_calls" },
  },
  {
    name: "a call without arguments",
    body: responses(
      item(0, functionCall("c", "list", "", "in_progress")),
      itemDone(0, functionCall("c", "list", "", "completed")),
      responseEnd([functionCall("c", "list", "", "completed")]),
    ),
    expected: { calls: [["list", "", true]], ends: "tool_calls" },
  },
  {
    name: "reasoning cut off by the token limit",
    body: responses(...reasoning, responseEnd([reasoningItem], cutAt("max_output_tokens"))),
    expected: { thinking: "hm", ends: "length" },
  },
  {
    name: "a call cut off by the token limit",
    body: responses(
      ...startCall(0, "c", "write_file", '{"path":"a","con'),
      responseEnd(
        [functionCall("c", "write_file", '{"path":"a","con', "incomplete")],
        cutAt("max_output_tokens"),
      ),
    ),
    expected: { calls: [["write_file", '{"path":"a","con', false]], ends: "length" },
  },
  {
    name: "a call that is done, but incomplete",
    body: responses(
      ...startCall(0, "c", "write_file", '{"path":"a"}'),
      itemDone(0, functionCall("c", "write_file", '{"path":"a"}', "incomplete")),
      responseEnd(
        [functionCall("c", "write_file", '{"path":"a"}', "incomplete")],
        cutAt("max_output_tokens"),
      ),
    ),
    expected: { calls: [["write_file", '{"path":"a"}', false]], ends: "length" },
  },
  {
    name: "a call cut off by a content filter",
    body: responses(
      ...startCall(0, "c", "write_file", '{"path":"a"}'),
      responseEnd([], cutAt("content_filter")),
    ),
    expected: { calls: [["write_file", '{"path":"a"}', false]], ends: "refusal" },
  },
  {
    name: "an end for an unknown reason",
    body: responses(...startCall(0, "c", "list", "{}"), responseEnd([], cutAt("abort"))),
    expected: { calls: [["list", "{}", false]], ends: "MODEL_STREAM_CUT" },
  },
  {
    name: "an incomplete response without a reason",
    body: responses(
      ...startMessage("a"),
      responseEnd([], { status: "incomplete", incomplete_details: null }),
    ),
    expected: { text: "a", ends: "MODEL_STREAM_CUT" },
  },
  {
    name: "a response that is completed with the status cancelled",
    body: responses(...startCall(0, "c", "list", "{}"), responseEnd([], { status: "cancelled" })),
    expected: { calls: [["list", "{}", false]], ends: "MODEL_STREAM_CUT" },
  },
  {
    name: "an end in the middle of a call",
    body: responses(...startCall(0, "c", "write_file", '{"path":"a","con')),
    expected: { calls: [["write_file", '{"path":"a","con', false]], ends: "MODEL_STREAM_CUT" },
  },
  {
    name: "a failed response",
    body: responses(failed("server_error")),
    expected: { ends: "MODEL_OVERLOADED" },
  },
  {
    name: "too long a conversation",
    body: responses(failed("context_length_exceeded")),
    expected: { ends: "MODEL_CONTEXT_LENGTH" },
  },
  {
    name: "an error event",
    body: responses(named("error", { code: "rate_limit_exceeded", message: "slow down", param: null })),
    expected: { ends: "MODEL_RATE_LIMITED" },
  },
  {
    name: "a content filter",
    body: responses(...startMessage("a"), responseEnd([message("a", "incomplete")], cutAt("content_filter"))),
    expected: { text: "a", ends: "refusal" },
  },
  {
    // The wire has said that the call is whole. The loop does not run it.
    name: "a whole call before a content filter",
    body: responses(
      ...wholeCall(0, "c", "list", "{}"),
      responseEnd([functionCall("c", "list", "{}", "completed")], cutAt("content_filter")),
    ),
    expected: { calls: [["list", "{}", true]], ends: "refusal" },
  },
  {
    name: "events of an unknown type",
    body: responses(
      named("response.future", { x: 1 }),
      ...wholeMessage("a"),
      responseEnd([message("a", "completed")]),
    ),
    expected: { text: "a", ends: "stop" },
  },
  {
    name: "the events of another API",
    body: sse(choice({ content: "a" })),
    expected: { ends: "MODEL_PROTOCOL" },
  },
];

// Ollama.

const line = (value: object): string => `${JSON.stringify({ model: "q", created_at: "x", ...value })}\n`;
const says = (message: object): string =>
  line({ message: { role: "assistant", content: "", ...message }, done: false });
const ollamaEnd = (done_reason?: string): string =>
  line({
    message: { role: "assistant", content: "" },
    done: true,
    done_reason,
    prompt_eval_count: 10,
    eval_count: 9,
  });

const OLLAMA: readonly WireCase[] = [
  {
    name: "text",
    body: [says({ content: "héllo " }), says({ content: "😀" }), ollamaEnd("stop")],
    expected: { text: "héllo 😀", ends: "stop" },
  },
  {
    name: "thinking and two calls",
    body: [
      says({ thinking: "hm" }),
      says({
        tool_calls: [{ id: "call_9", function: { index: 0, name: "read_file", arguments: { path: "a" } } }],
      }),
      says({ tool_calls: [{ function: { name: "list", arguments: {} } }] }),
      ollamaEnd("stop"),
    ],
    expected: { thinking: "hm", calls: [readA, ["list", "{}", true]], ends: "tool_calls" },
  },
  {
    name: "a call without arguments",
    body: [says({ tool_calls: [{ function: { name: "list", arguments: {} } }] }), ollamaEnd("stop")],
    expected: { calls: [["list", "{}", true]], ends: "tool_calls" },
  },
  {
    name: "a call as text",
    body: [says({ content: TEXT_CALL }), ollamaEnd("stop")],
    expected: { text: TEXT_CALL, ends: "stop" },
  },
  {
    name: "the last line without its end",
    body: [says({ content: "a" }), ollamaEnd("stop").trimEnd()],
    expected: { text: "a", ends: "stop" },
  },
  {
    name: "an end in the middle of a line",
    body: ['{"model":"q","message":{"role":"assistant","content":"par'],
    expected: { ends: "MODEL_STREAM_CUT" },
  },
  {
    name: "an end before done",
    body: [says({ content: "hel" })],
    expected: { text: "hel", ends: "MODEL_STREAM_CUT" },
  },
  {
    name: "an error within the stream",
    body: [
      says({ content: "hel" }),
      '{"error":"an error was encountered while running the model: CUDA error"}\n',
    ],
    expected: { text: "hel", ends: "MODEL_OVERLOADED" },
  },
  {
    name: "the token limit",
    body: [says({ content: "a" }), ollamaEnd("length")],
    expected: { text: "a", ends: "length" },
  },
  {
    name: "an end for an unknown reason",
    body: [
      says({ tool_calls: [{ function: { name: "list", arguments: {} } }] }),
      says({ content: "a" }),
      ollamaEnd("abort"),
    ],
    expected: { text: "a", calls: [["list", "{}", true]], ends: "MODEL_STREAM_CUT" },
  },
  {
    name: "an end without a reason",
    body: [says({ content: "a" }), ollamaEnd()],
    expected: { text: "a", ends: "MODEL_STREAM_CUT" },
  },
  { name: "a line that is not JSON", body: ["<html>\n"], expected: { ends: "MODEL_PROTOCOL" } },
];

export const WIRE_CASES: Readonly<Record<Dialect, readonly WireCase[]>> = {
  anthropic: ANTHROPIC,
  openai: OPENAI,
  "openai-responses": RESPONSES,
  ollama: OLLAMA,
};
