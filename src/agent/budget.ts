// One ledger for the tokens, the cost, the time and the calls of a run. It counts the events of the run log, so a run
// that was killed continues with all that it has used.
import { HotcellError } from "../core/errors.ts";
import type { ModelUsage } from "../models/model.ts";
import type { AgentEventBody, RunUsage } from "./agent-event.ts";

export interface Budget {
  /** Input and output tokens together. */
  readonly tokens?: number;
  /** In US dollars; needs prices. */
  readonly costUsd?: number;
  /** In milliseconds, from the start of the run or its continuation. Then the answer or the call that runs is cancelled. */
  readonly timeMs?: number;
  /** Calls of tools. */
  readonly calls?: number;
}

/** In US dollars for a million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  /** Of input that the provider had cached; `input` if omitted. */
  readonly cachedInput?: number;
}

export interface Ledger {
  /** Counts what an event of the run used. */
  add(event: AgentEventBody): void;
  /** How many calls the budget still allows. */
  callsLeft(): number;
  /** What is used up, for a message; null while nothing is. */
  spent(): string | null;
  usage(): RunUsage;
}

export function createLedger(
  { tokens, costUsd, timeMs, calls }: Budget,
  prices: ModelPrices | null,
  now: () => number,
): Ledger {
  const started = now();
  const used = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, calls: 0 };
  if (costUsd !== undefined && prices === null)
    throw new HotcellError(
      "CONFIG_INVALID",
      "Could not limit the cost of a run: the prices of the model are not known. Give its prices.",
    );
  const cost = () => (prices === null ? null : costOf(used, prices));
  const addUsage = ({ inputTokens, outputTokens, cachedTokens }: ModelUsage) => {
    used.inputTokens += inputTokens;
    used.outputTokens += outputTokens;
    used.cachedTokens += cachedTokens;
  };
  return {
    add(event) {
      if (event.kind === "answer" || event.kind === "model.usage") addUsage(event.usage);
      if (event.kind === "call.result" && !event.notCalled) used.calls += 1;
    },
    callsLeft: () => Math.max(0, (calls ?? Number.POSITIVE_INFINITY) - used.calls),
    spent() {
      if (tokens !== undefined && used.inputTokens + used.outputTokens >= tokens) return `${tokens} tokens`;
      if (costUsd !== undefined && cost()! >= costUsd) return `$${costUsd}`;
      if (timeMs !== undefined && now() - started >= timeMs) return `${timeMs} ms`;
      if (calls !== undefined && used.calls >= calls) return `${calls} calls`;
      return null;
    },
    usage: () => ({ ...used, costUsd: cost() }),
  };
}

function costOf({ inputTokens, outputTokens, cachedTokens }: ModelUsage, prices: ModelPrices): number {
  const { input, output, cachedInput = input } = prices;
  const fresh = Math.max(0, inputTokens - cachedTokens);
  return (fresh * input + cachedTokens * cachedInput + outputTokens * output) / 1_000_000;
}
