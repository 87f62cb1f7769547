// The events of a run as frames of the chat protocol: a fold of the run log. The same log gives the same frames, live and
// after a restart. An event becomes one frame or none, and the frame has the event's number.
import type { AgentEvent } from "../../../agent/agent-event.ts";
import { isJsonObject, type JsonObject } from "../../../core/json.ts";

export interface ChatFrame {
  readonly type: `chat:${string}`;
  readonly seq: number;
  /** The run's id. */
  readonly conversationId: string;
  readonly [field: string]: unknown;
}

/** Takes the events of one run in their order, from the first. */
export function createChatFold(run: string): (event: AgentEvent) => ChatFrame | null {
  const inputs = new Map<string, JsonObject>();
  const messages = new Map<string, string>();
  let answers = 0;
  const messageId = () => `${run}.m${answers + 1}`;
  const ofCall = (callId: string, toolName: string) => ({
    messageId: messages.get(callId) ?? messageId(),
    toolId: callId,
    toolName,
    input: inputs.get(callId) ?? {},
  });

  const fieldsOf = (event: AgentEvent): (JsonLike & { readonly type: ChatFrame["type"] }) | null => {
    switch (event.kind) {
      case "run.start":
        return {
          type: "chat:stream-start",
          messageId: messageId(),
          sessionId: event.session,
          model: event.model,
        };
      case "message":
        return event.message.role === "user" || event.message.role === "assistant"
          ? { type: "chat:message", role: event.message.role, content: event.message.content }
          : null;
      case "text":
        return { type: "chat:text-delta", messageId: messageId(), content: event.content };
      case "thinking":
        return { type: "chat:thinking-delta", messageId: messageId(), content: event.content };
      case "answer":
        for (const [at, call] of event.message.calls.entries()) {
          inputs.set(event.callIds[at]!, readInput(call.arguments));
          messages.set(event.callIds[at]!, messageId());
        }
        answers++;
        return null;
      case "call.asked": {
        const { callId, tool, arguments: input, digest, rule, reason, preview: diff } = event;
        return { ...ofCall(callId, tool), type: "chat:tool-confirm", input, digest, rule, reason, diff };
      }
      case "call.answered":
      case "model.usage":
        return null;
      case "call.started":
        return { ...ofCall(event.callId, event.tool), type: "chat:tool-start" };
      case "call.output": {
        const { messageId: id, toolId } = ofCall(event.callId, event.tool);
        return { type: "chat:tool-delta", messageId: id, toolId, chunk: event.text, stream: event.stream };
      }
      case "call.result": {
        const { input: _, ...call } = ofCall(event.callId, event.message.name);
        const { isError, content } = event.message;
        return {
          ...call,
          type: "chat:tool-result",
          status: isError ? "error" : "success",
          result: content,
          metadata: { outcome: event.outcome },
        };
      }
      case "note":
        return { type: "chat:note", content: event.text };
      case "run.end":
        return event.error === undefined
          ? { type: "chat:stream-end", messageId: `${run}.m${answers}`, stop: event.stop, usage: event.usage }
          : { type: "chat:error", ...event.error, stop: event.stop, usage: event.usage };
    }
  };
  return (event) => {
    const fields = fieldsOf(event);
    return fields === null ? null : { ...fields, seq: event.seq, conversationId: run };
  };
}

type JsonLike = Readonly<Record<string, unknown>>;

/** The model wrote it: it may be anything. */
function readInput(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
