// Leaves out the oldest part of a conversation that is too long for the model. A call and its results stay together.
import type { ModelMessage } from "../models/model.ts";

export interface Trimmed {
  readonly messages: readonly ModelMessage[];
  /** How many messages were left out. */
  readonly dropped: number;
}

/** Keeps the first prompt and as many of the newest turns as fit; always the last one. */
export function trimContext(messages: readonly ModelMessage[], maxChars: number): Trimmed {
  if (sizeOf(messages) <= maxChars) return { messages, dropped: 0 };
  const [first = [], ...turns] = splitTurns(messages);
  const kept: ModelMessage[][] = [];
  let left = maxChars - sizeOf(first);
  for (const turn of turns.toReversed()) {
    left -= sizeOf(turn);
    if (left < 0 && kept.length > 0) break;
    kept.unshift(turn);
  }
  const dropped = turns.slice(0, turns.length - kept.length).flat().length;
  if (dropped === 0) return { messages, dropped };
  const note: ModelMessage = {
    role: "user",
    content: `[${dropped} earlier messages were left out here to save space.]`,
  };
  return { messages: [...first, note, ...kept.flat()], dropped };
}

export function sizeOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + messageSize(message), 0);
}

function messageSize(message: ModelMessage): number {
  if (message.role !== "assistant") return message.content.length;
  return message.calls.reduce((sum, call) => sum + call.arguments.length, message.content.length);
}

/** A turn begins with each message that is no result. */
function splitTurns(messages: readonly ModelMessage[]): ModelMessage[][] {
  const turns: ModelMessage[][] = [];
  for (const message of messages) {
    if (message.role === "tool" && turns.length > 0) turns.at(-1)!.push(message);
    else turns.push([message]);
  }
  return turns;
}
