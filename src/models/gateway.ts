// The model for tools: one typed request and its answer, over the same providers. A tool gets it only where the operator
// grants `model_access`, and what it uses counts against the budget of the run.
import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import type { ModelProvider, ModelRequest, ModelUsage, StopReason } from "./model.ts";

export interface ModelGateway {
  /**
   * Throws with the provider's error, or with CAPABILITY_DENIED if the tool may not use the model. The request ends with
   * the tool's call, and before that if `signal` aborts.
   */
  chat(request: GatewayRequest, signal?: AbortSignal): Promise<GatewayAnswer>;
}

export interface GatewayRequest {
  readonly system?: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: string }[];
  /** The longest answer, in tokens. */
  readonly maxTokens?: number;
}

export interface GatewayAnswer {
  readonly content: string;
  readonly stop: StopReason;
  readonly usage: ModelUsage;
  /** As `PROVIDER/NAME`. */
  readonly model: string;
}

/** Where the use of a model is counted. */
export interface ModelSpending {
  /** What is used up, for a message; null while nothing is. */
  spent(): string | null;
  addUsage(usage: ModelUsage): void;
}

export interface GatewayOptions {
  readonly tool: string;
  /** Null if the cell has no model. */
  readonly model: ModelProvider | null;
  readonly isGranted: boolean;
  /** Null for a call outside a run. */
  readonly spending: ModelSpending | null;
  readonly signal: AbortSignal;
}

export function createGateway({ tool, model, isGranted, spending, signal }: GatewayOptions): ModelGateway {
  return {
    async chat(request, ending) {
      if (!isGranted)
        throw new HotcellError(
          "CAPABILITY_DENIED",
          `${tool} may not use the model. To grant it, add ${quote(tool)} to modelAccess.`,
        );
      if (model === null)
        throw new HotcellError(
          "NOT_SUPPORTED",
          `${tool} could not ask a model: the cell has none. Set MODEL_PROVIDER and MODEL_NAME, or give openCell a model.`,
        );
      const spent = spending?.spent() ?? null;
      if (spent !== null)
        throw new HotcellError(
          "DENIED",
          `${tool} could not ask the model: the budget of the run (${spent}) is spent.`,
        );
      const either = ending === undefined ? signal : AbortSignal.any([signal, ending]);
      return ask(model, request, spending, either);
    },
  };
}

async function ask(
  model: ModelProvider,
  { system, messages, maxTokens }: GatewayRequest,
  spending: ModelSpending | null,
  signal: AbortSignal,
): Promise<GatewayAnswer> {
  const request: ModelRequest = {
    messages: messages.map(({ role, content }) =>
      role === "user" ? { role, content } : { role, content, calls: [] },
    ),
    ...(system !== undefined && { system }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
  for await (const chunk of model.sendMessage(request, signal)) {
    if (chunk.type !== "end" && chunk.type !== "error") continue;
    if (chunk.usage !== undefined) spending?.addUsage(chunk.usage);
    if (chunk.type === "error") throw chunk.error;
    const { stop, usage, message } = chunk;
    return { content: message.content, stop, usage, model: `${model.provider}/${model.model}` };
  }
  throw new HotcellError("MODEL_STREAM_CUT", "The model's answer ended before it was complete.");
}
