import { collectCalls } from "../../../models/collect-calls.ts";
import type { ModelProvider } from "../../../models/model.ts";
import { type AnswerPart, streamAnswer } from "../../../models/stream-answer.ts";

/** The model of a case: its answers in order, and then the last one again. */
export function createCaseModel(answers: readonly string[]): ModelProvider {
  let asked = 0;
  return {
    provider: "scripted",
    model: "case",
    sendMessage(_request, signal) {
      const answer = answers[Math.min(asked++, answers.length - 1)] ?? "The case has no answer of the model.";
      return streamAnswer(
        { provider: "scripted", host: "The case", calls: collectCalls(), parts: play(answer) },
        signal,
      );
    },
    validateCredentials: async () => {},
    listModels: async () => ["case"],
    close: async () => {},
  };
}

async function* play(content: string): AsyncGenerator<AnswerPart> {
  yield { type: "start", model: "case" };
  yield { type: "chunk", content };
  yield { type: "end", stop: "stop", usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 } };
}
