import { quote } from "../../../core/quote.ts";
import type { Strategy } from "../../../workspace/layers/record.ts";
import { usage } from "../io.ts";

const STRATEGIES: readonly Strategy[] = ["kernel", "clone"];

/** What --strategy says; a session that is there already has its own. */
export function readStrategy(given: string | undefined, session?: string): Strategy | undefined {
  const strategy = STRATEGIES.find((known) => known === given);
  if (strategy !== given) throw usage(`--strategy is ${quote(given)}; allowed are ${STRATEGIES.join(", ")}.`);
  if (strategy !== undefined && session !== undefined)
    throw usage("--strategy is for a new session, and --session goes on with one: leave one of them out.");
  return strategy;
}
