// The rules that each provider has for the conversation in a request. They are written from the providers' own descriptions
// and errors, and share no code with the adapters: what breaks one of them is refused by the provider.
import type { Dialect } from "./wire-cases.ts";

type Value = Readonly<Record<string, unknown>>;

/** One part of a conversation, in the same words for every wire. */
type Step =
  | { readonly is: "said"; readonly by: string }
  | { readonly is: "call" | "result"; readonly id: string };

interface Reading {
  readonly steps: Step[];
  readonly faults: string[];
}

interface Rules {
  read(body: Value, reading: Reading): void;
  /** What an id of a call must look like. Null: the wire has none, and results are found by their order and name. */
  readonly id: RegExp | null;
  /** Whether an id may come again in a later answer. */
  readonly idsComeAgain: boolean;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const asList = (value: unknown): readonly Value[] =>
  Array.isArray(value) ? value.map((one) => (isObject(one) ? one : {})) : [];
const isObject = (value: unknown): value is Value =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isBlank = (value: unknown) => typeof value !== "string" || value.trim() === "";

function isJsonObject(text: unknown): boolean {
  try {
    return isObject(JSON.parse(String(text)));
  } catch {
    return false;
  }
}

const ANTHROPIC: Rules = {
  id: /^[A-Za-z0-9_-]+$/,
  idsComeAgain: false,
  read({ messages }, { steps, faults }) {
    for (const [at, { role, content }] of asList(messages).entries()) {
      const where = `messages[${at}]`;
      if (role !== (at % 2 === 0 ? "user" : "assistant"))
        faults.push(`${where}: the role ${role} is not next`);
      const blocks = asList(content);
      if (blocks.length === 0) faults.push(`${where}: no content`);
      let hasSpoken = false;
      for (const block of blocks) {
        if (block.type === "tool_result" && hasSpoken) faults.push(`${where}: a result after other content`);
        hasSpoken ||= block.type !== "tool_result";
        readBlock(String(role), block, where, { steps, faults });
      }
    }
    if (asList(messages).at(-1)?.role !== "user") faults.push("the last message is not the user's");
  },
};

const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image", "tool_result"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use"],
};

function readBlock(role: string, block: Value, where: string, { steps, faults }: Reading): void {
  const { type, text, id, name, input, tool_use_id, content } = block;
  if (!BLOCKS[role]?.includes(String(type))) faults.push(`${where}: a block ${type} of the role ${role}`);
  if (type === "tool_use") {
    if (!NAME.test(String(name))) faults.push(`${where}: the name ${name}`);
    if (!isObject(input)) faults.push(`${where}: the input is not an object`);
    steps.push({ is: "call", id: String(id) });
  } else if (type === "tool_result") {
    const parts = asList(content);
    const isEmpty = parts.length === 0 || parts.some((part) => part.type === "text" && isBlank(part.text));
    if (isEmpty) faults.push(`${where}: an empty result`);
    steps.push({ is: "result", id: String(tool_use_id) });
  } else {
    if (type === "text" && isBlank(text)) faults.push(`${where}: an empty text`);
    steps.push({ is: "said", by: role });
  }
}

/** What the chat messages of OpenAI and Ollama have in common. Both take a result without text. */
function readChat(
  { messages }: Value,
  { steps, faults }: Reading,
  readCall: (call: Value, where: string) => string,
  readResult: (message: Value) => unknown,
): void {
  for (const [at, message] of asList(messages).entries()) {
    const where = `messages[${at}]`;
    const { role, content, tool_calls } = message;
    if (role === "tool") {
      if (typeof content !== "string") faults.push(`${where}: the result is not text`);
      steps.push({ is: "result", id: String(readResult(message)) });
      continue;
    }
    if (role !== "user" && role !== "assistant" && !(role === "system" && at === 0))
      faults.push(`${where}: the role ${role} is not next`);
    const calls = asList(tool_calls);
    if (tool_calls !== undefined && (role !== "assistant" || calls.length === 0))
      faults.push(`${where}: tool_calls without a call`);
    const isEmpty = Array.isArray(content) ? content.length === 0 : isBlank(content);
    if (isEmpty && calls.length === 0) faults.push(`${where}: no content`);
    steps.push({ is: "said", by: String(role) });
    for (const call of calls) steps.push({ is: "call", id: readCall(call, where) });
  }
}

const OPENAI: Rules = {
  id: /^.{1,40}$/,
  idsComeAgain: true,
  read(body, reading) {
    const readCall = ({ id, type, function: called }: Value, where: string) => {
      const { name, arguments: args } = isObject(called) ? called : {};
      if (type !== "function") reading.faults.push(`${where}: a call of the type ${type}`);
      if (!NAME.test(String(name))) reading.faults.push(`${where}: the name ${name}`);
      if (!isJsonObject(args)) reading.faults.push(`${where}: the arguments ${args}`);
      return String(id);
    };
    readChat(body, reading, readCall, ({ tool_call_id }) => tool_call_id);
  },
};

const OLLAMA: Rules = {
  id: null,
  idsComeAgain: true,
  read(body, reading) {
    const readCall = ({ function: called }: Value, where: string) => {
      const { name, arguments: args } = isObject(called) ? called : {};
      if (isBlank(name)) reading.faults.push(`${where}: a call without a name`);
      if (!isObject(args)) reading.faults.push(`${where}: the arguments are not an object`);
      return String(name);
    };
    readChat(body, reading, readCall, ({ tool_name }) => tool_name);
  },
};

const RESPONSES: Rules = {
  id: /^.{1,64}$/,
  idsComeAgain: true,
  read({ input }, { steps, faults }) {
    const items = asList(input);
    for (const [
      at,
      { type = "message", role, content, call_id, name, arguments: args, output },
    ] of items.entries()) {
      const where = `input[${at}]`;
      if (type === "function_call") {
        if (!NAME.test(String(name))) faults.push(`${where}: the name ${name}`);
        if (!isJsonObject(args)) faults.push(`${where}: the arguments ${args}`);
        steps.push({ is: "call", id: String(call_id) });
      } else if (type === "function_call_output") {
        if (typeof output !== "string") faults.push(`${where}: the result is not text`);
        steps.push({ is: "result", id: String(call_id) });
      } else if (type === "reasoning") {
        const next = items[at + 1];
        if (next === undefined || next.role === "user" || next.type === "function_call_output")
          faults.push(`${where}: reasoning without what it led to`);
        steps.push({ is: "said", by: "assistant" });
      } else {
        if (type !== "message" || (role !== "user" && role !== "assistant"))
          faults.push(`${where}: an item ${type} of the role ${role}`);
        const isEmpty = Array.isArray(content) ? content.length === 0 : isBlank(content);
        if (isEmpty) faults.push(`${where}: no content`);
        steps.push({ is: "said", by: String(role) });
      }
    }
  },
};

const RULES: Readonly<Record<Dialect, Rules>> = {
  anthropic: ANTHROPIC,
  openai: OPENAI,
  "openai-responses": RESPONSES,
  ollama: OLLAMA,
};

/** Why the provider would refuse a request with this body; empty if it would not. */
export function findWireFaults(dialect: Dialect, body: Value): string[] {
  const rules = RULES[dialect];
  const reading: Reading = { steps: [], faults: [] };
  rules.read(body, reading);
  if (reading.steps.length === 0) reading.faults.push("no conversation");
  return [...reading.faults, ...findCallFaults(reading.steps, rules)];
}

/** Each call has exactly one result, after the calls of its answer and before anything else. */
function findCallFaults(steps: readonly Step[], { id: form, idsComeAgain }: Rules): string[] {
  const faults: string[] = [];
  const used = new Set<string>();
  let waiting: string[] = [];
  let hasResult = false;
  const endAnswer = () => {
    faults.push(...waiting.map((id) => `the call ${id} has no result`));
    waiting = [];
    hasResult = false;
    if (idsComeAgain) used.clear();
  };
  for (const step of steps) {
    if (step.is === "said") {
      // An answer may say something between its calls.
      if (step.by !== "assistant" || hasResult) endAnswer();
    } else if (step.is === "call") {
      if (hasResult) endAnswer();
      if (form !== null && !form.test(step.id)) faults.push(`the id ${step.id} of a call`);
      if (form !== null && used.has(step.id)) faults.push(`the id ${step.id} of two calls`);
      used.add(step.id);
      waiting.push(step.id);
    } else {
      const at = form === null && waiting[0] !== step.id ? -1 : waiting.indexOf(step.id);
      if (at < 0) faults.push(`a result ${step.id} without its call`);
      else waiting.splice(at, 1);
      hasResult = true;
    }
  }
  endAnswer();
  return faults;
}
