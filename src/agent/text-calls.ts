// Tool calls of models that write them as text: in Hermes' and Qwen's tags, or as one JSON object that is the whole
// answer. A tag counts only at the start of a line and outside a code block, and only for a tool that was offered: text
// that the model quotes is not a call.
import { type RawCall, readCallText } from "../call/read-call-text.ts";
import type { AssistantMessage, ModelCall, ModelMessage } from "../models/model.ts";
import { newCallId } from "../models/new-call-id.ts";

export interface TextCalls {
  /** The answer without its calls. */
  readonly content: string;
  readonly calls: readonly ModelCall[];
}

export function readTextCalls(text: string, offered: ReadonlySet<string>): TextCalls {
  const whole = text.trim();
  if (whole.startsWith("{")) {
    const call = callOf(tryRead(whole), offered);
    return call === null ? { content: text, calls: [] } : { content: "", calls: [call] };
  }
  return readTagged(text, offered);
}

const TAGS: readonly (readonly [opening: string, closing: string])[] = [
  ["<tool_call>", "</tool_call>"],
  ["<function=", "</function>"],
];

function readTagged(text: string, offered: ReadonlySet<string>): TextCalls {
  const found: FoundCall[] = [];
  const rest: string[] = [];
  /** How many calls came before the last closing tag that belongs to none. */
  let doubtful = 0;
  let fence: string | null = null;
  /** Closing tags that the rest of the text does not have. */
  const missing = new Set<string>();
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at);
    const line = text.slice(at, end);
    const call = fence === null ? findCall(text, at, offered, missing) : null;
    if (call !== null) {
      found.push(call);
      if (call.call === null) rest.push(text.slice(at, call.end));
      at = call.end;
      continue;
    }
    if (/<\/(?:parameter|function)>/.test(line)) doubtful = found.length;
    fence = fenceAfter(line, fence);
    rest.push(line);
    at = end;
  }
  const calls = found.flatMap(({ call, written }, at) =>
    call === null ? [] : at < doubtful && ENDS_AT_TAG.test(written) ? { ...call, arguments: written } : call,
  );
  return { content: rest.join("").trim(), calls };
}

/**
 * A call whose values end at a closing tag. If another closing tag follows in the text after the call, a value may have
 * held the first one, and was cut there. Such a call goes on as it is, which no tool can read.
 */
const ENDS_AT_TAG = /^(?:<tool_call>\s*)?<function=/;

interface FoundCall {
  /** Null for a tool that was not offered. */
  readonly call: ModelCall | null;
  readonly written: string;
  readonly end: number;
}

/** The fence that is open after a line, by CommonMark's rules: only a fence as long as the opening one, alone, closes it. */
function fenceAfter(line: string, open: string | null): string | null {
  const [, fence, rest = ""] = /^ {0,3}(`{3,}|~{3,})([^\n]*)/.exec(line) ?? [];
  if (fence === undefined) return open;
  if (open !== null) return fence.startsWith(open) && /^[ \t\r]*$/.test(rest) ? null : open;
  return fence.startsWith("`") && rest.includes("`") ? null : fence;
}

function lineEnd(text: string, from: number): number {
  const newline = text.indexOf("\n", from);
  return newline < 0 ? text.length : newline + 1;
}

/** A call that begins here and has its end. One without an end was cut off, and is no call. */
function findCall(
  text: string,
  at: number,
  offered: ReadonlySet<string>,
  missing: Set<string>,
): FoundCall | null {
  const tag = TAGS.find(([opening]) => text.startsWith(opening, at));
  if (tag === undefined || missing.has(tag[1])) return null;
  const closing = findClosing(text, at + tag[0].length, tag[1]);
  if (closing < 0) {
    missing.add(tag[1]);
    return null;
  }
  const end = closing + tag[1].length;
  const written = text.slice(at, end);
  const call = readTag(written, offered);
  return { call, written, end: text[end] === "\n" ? end + 1 : end };
}

/** Text in a string of the call's JSON may hold the closing tag, too. */
function findClosing(text: string, from: number, closing: string): number {
  const json = endOfJson(text, from);
  return text.startsWith(closing, json) ? json : text.indexOf(closing, from);
}

/** The first "<" outside a string, or the line end within a string: JSON has neither. */
function endOfJson(text: string, from: number): number {
  let isInString = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === (isInString ? "\n" : "<")) return at;
    if (char === '"') isInString = !isInString;
    else if (isInString && char === "\\" && text[at + 1] !== "\n") at++;
  }
  return text.length;
}

/** A call in tags that can't be read goes on as it is, so that the model is told what is wrong with it. */
function readTag(text: string, offered: ReadonlySet<string>): ModelCall | null {
  const name = /"name"\s*:\s*"([^"]*)"|<function=([^<>\s]+)>/.exec(text)?.slice(1).find(Boolean);
  return callOf(tryRead(text) ?? { name, arguments: text }, offered);
}

function callOf(read: CallParts | null, offered: ReadonlySet<string>): ModelCall | null {
  if (read === null) return null;
  const { name, arguments: args } = read;
  if (typeof name !== "string" || !offered.has(name)) return null;
  const written = typeof args === "string" ? args : JSON.stringify(args ?? {});
  return { id: newCallId(), name, arguments: written, complete: true };
}

type CallParts = Pick<RawCall, "name" | "arguments">;

function tryRead(text: string): CallParts | null {
  try {
    return readCallText(text);
  } catch {
    return null;
  }
}

/** The conversation for a model that gets no tools: calls in tags, results as messages of the user. */
export function asTextMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    if (message.role === "user") return message;
    if (message.role === "assistant") return asTextAnswer(message);
    return {
      role: "user",
      content: `<tool_response>\n${JSON.stringify({ name: message.name, content: message.content })}\n</tool_response>`,
    };
  });
}

function asTextAnswer({ content, calls }: AssistantMessage): AssistantMessage {
  const tagged = calls.map(
    ({ name, arguments: args }) =>
      `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${args === "" ? "{}" : args}}\n</tool_call>`,
  );
  return {
    role: "assistant",
    content: [content, ...tagged].filter((part) => part !== "").join("\n"),
    calls: [],
  };
}
