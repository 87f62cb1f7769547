import { quote } from "../../../core/quote.ts";
import type { Strategy } from "../../../workspace/layers/record.ts";
import { usage } from "../io.ts";

const STRATEGIES: readonly Strategy[] = ["kernel", "clone"];

/** Reads --strategy. An existing session already has a strategy. */
export function readStrategy(given: string | undefined, session?: string): Strategy | undefined {
  const strategy = STRATEGIES.find((known) => known === given);
  if (strategy !== given) throw usage(`--strategy is ${quote(given)}; allowed are ${STRATEGIES.join(", ")}.`);
  if (strategy !== undefined && session !== undefined)
    throw usage(
      "--strategy applies to a new session, and --session continues an existing one. Omit one of them.",
    );
  return strategy;
}
