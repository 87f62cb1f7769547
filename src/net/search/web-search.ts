// Asks search providers in order until one has results.
import { startDeadline } from "../../core/deadline.ts";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { FoundResults, SearchProvider } from "./search-provider.ts";

export interface WebSearchAnswer extends FoundResults {
  readonly provider: string;
}

/** Throws NETWORK_ERROR with the reason of each provider if none has an answer. */
export type WebSearch = (query: string, maxResults: number, signal: AbortSignal) => Promise<WebSearchAnswer>;

export function createWebSearch(providers: readonly SearchProvider[]): WebSearch {
  return async (query, maxResults, signal) => {
    const failures: string[] = [];
    for (const [index, provider] of providers.entries()) {
      try {
        const found = await ask(provider, query, maxResults, signal);
        if (isAnswer(found, index === providers.length - 1)) return { ...found, provider: provider.name };
        failures.push(`${provider.name}: ${describeEmpty(found)}`);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof HotcellError)) throw error;
        failures.push(`${provider.name}: ${error.message.replace(/\.$/, "")}`);
      }
    }
    const reasons = failures.map((failure) => ` ${failure}.`).join("");
    throw new HotcellError("NETWORK_ERROR", `Could not search the web.${reasons}`, { failures });
  };
}

/** No results are an answer only if nobody else can be asked and every engine was heard. */
function isAnswer({ results, unresponsive }: FoundResults, isLast: boolean): boolean {
  return results.length > 0 || (isLast && unresponsive.length === 0);
}

function describeEmpty({ unresponsive }: FoundResults): string {
  return unresponsive.length === 0
    ? "it found nothing"
    : `it found nothing, and engines did not answer (${unresponsive.join("; ")})`;
}

async function ask(
  { name, search }: SearchProvider,
  query: string,
  maxResults: number,
  signal: AbortSignal,
): Promise<FoundResults> {
  const deadline = startDeadline(LIMITS.searchProviderMs, `The search with ${name}`, signal);
  try {
    return await deadline.wait(search(query, maxResults, deadline.signal));
  } finally {
    deadline.end();
  }
}
