// A model in memory: each turn is the next answer of a list.

import type { ErrorCode } from "../../../src/core/errors.ts";
import { HotcellError } from "../../../src/core/errors.ts";
import { collectCalls } from "../../../src/models/collect-calls.ts";
import type {
  ModelCall,
  ModelProvider,
  ModelRequest,
  ModelUsage,
  StopReason,
} from "../../../src/models/model.ts";
import { type AnswerPart, streamAnswer } from "../../../src/models/stream-answer.ts";

export interface StubTurn {
  /** Several are chunks of the answer. */
  readonly text?: string | readonly string[];
  readonly thinking?: string;
  readonly calls?: readonly (readonly [name: string, args: unknown])[];
  readonly stop?: StopReason;
  /** Reported before the text. */
  readonly usage?: ModelUsage;
  /** The answer fails after its text. */
  readonly error?: ErrorCode;
  /** The answer never ends. */
  readonly hangs?: boolean;
}

export interface StubModel extends ModelProvider {
  readonly requests: ModelRequest[];
}

/** Repeats the last turn after the end of the list. */
export function createStubModel(...turns: readonly StubTurn[]): StubModel {
  const requests: ModelRequest[] = [];
  return {
    provider: "openai",
    model: "stub",
    requests,
    sendMessage(request, signal) {
      requests.push(request);
      const turn = turns[Math.min(requests.length, turns.length) - 1]!;
      const calls = collectCalls();
      return streamAnswer(
        { provider: "openai", host: "stub", calls, parts: play(turn, calls, signal) },
        signal,
      );
    },
    validateCredentials: async () => {},
    listModels: async () => ["stub"],
    close: async () => {},
  };
}

async function* play(
  { text = "", thinking, calls: wanted = [], stop, usage, error, hangs }: StubTurn,
  calls: ReturnType<typeof collectCalls>,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  yield { type: "start", model: "stub" };
  if (thinking !== undefined) yield { type: "thinking", content: thinking };
  if (usage !== undefined) yield { type: "usage", usage };
  for (const content of [text].flat()) if (content !== "") yield { type: "chunk", content };
  if (error !== undefined) throw new HotcellError(error, "The stub fails.");
  if (hangs) await new Promise((_, reject) => signal.addEventListener("abort", reject));
  for (const [at, [name, args]] of wanted.entries()) {
    yield calls.open(at, `p${at}`, name);
    const added = calls.add(at, typeof args === "string" ? args : JSON.stringify(args));
    if (added !== null) yield added;
  }
  const ending = stop ?? (wanted.length > 0 ? "tool_calls" : "stop");
  yield* calls.endAll(ending);
  yield { type: "end", stop: ending, usage: { inputTokens: 100, outputTokens: 10, cachedTokens: 0 } };
}

/** Whether every call of a conversation has exactly one result, directly after its answer. */
export function isWellFormed({ messages }: ModelRequest): boolean {
  let waiting: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (!waiting.includes(message.callId)) return false;
      waiting = waiting.filter((id) => id !== message.callId);
    } else {
      if (waiting.length > 0) return false;
      waiting = message.role === "assistant" ? message.calls.map(({ id }: ModelCall) => id) : [];
    }
  }
  return waiting.length === 0;
}
