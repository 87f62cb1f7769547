// What an agent run tells while it goes on. Every event is in the run log, under its number, before anybody else gets it.
import type { ErrorCode } from "../core/errors.ts";
import type { AskedCall, OutcomeStatus } from "../core/types.ts";
import type {
  AssistantMessage,
  ModelMessage,
  ModelUsage,
  StopReason,
  ToolResultMessage,
} from "../models/model.ts";

export type AgentEvent = {
  /** Counts the events of a run from 1, later prompts included. */
  readonly seq: number;
  /** ISO 8601. */
  readonly ts: string;
} & AgentEventBody;

export type AgentEventBody =
  | {
      readonly kind: "run.start";
      readonly run: string;
      /** Null with `fs: "host"`. */
      readonly session: string | null;
      readonly model: string;
    }
  /** A message of the caller: a prompt, or a part of an earlier conversation. */
  | { readonly kind: "message"; readonly message: ModelMessage }
  | { readonly kind: "text"; readonly content: string }
  | { readonly kind: "thinking"; readonly content: string }
  /** One whole answer of the model. */
  | {
      readonly kind: "answer";
      readonly message: AssistantMessage;
      /** The calls' own ids, in the order of `message.calls`. */
      readonly callIds: readonly string[];
      readonly stop: StopReason | "cancelled";
      readonly usage: ModelUsage;
    }
  | ({ readonly kind: "call.asked"; readonly callId: string; readonly tool: string } & AskedCall)
  | {
      readonly kind: "call.answered";
      readonly callId: string;
      readonly tool: string;
      readonly approved: boolean;
    }
  | { readonly kind: "call.started"; readonly callId: string; readonly tool: string }
  | {
      readonly kind: "call.output";
      readonly callId: string;
      readonly tool: string;
      readonly stream: "stdout" | "stderr";
      readonly text: string;
    }
  | {
      readonly kind: "call.result";
      readonly callId: string;
      readonly outcome: OutcomeStatus | "interrupted";
      readonly message: ToolResultMessage;
      /** True if the run itself refused the call, as after a cancel: it does not count as a call. */
      readonly notCalled?: boolean;
    }
  /** A tool asked the model, or an answer broke off. */
  | { readonly kind: "model.usage"; readonly usage: ModelUsage }
  /** Something that the caller should know: earlier messages were left out, the tool mode changed. */
  | { readonly kind: "note"; readonly text: string }
  | {
      readonly kind: "run.end";
      readonly stop: RunStop;
      readonly usage: RunUsage;
      readonly error?: { readonly code: ErrorCode; readonly message: string };
    };

/**
 * Why a run ended: `done` by the model's last answer; `length` because that answer was cut at a token limit; `refusal`;
 * `iterations` after the most turns; `budget`; `repeated` because the model made the same call again and again;
 * `cancelled`; `error`.
 */
export type RunStop =
  | "done"
  | "length"
  | "refusal"
  | "iterations"
  | "budget"
  | "repeated"
  | "cancelled"
  | "error";

/** What a run has used since it began, later prompts included. */
export interface RunUsage extends ModelUsage {
  readonly calls: number;
  /** Null without prices. */
  readonly costUsd: number | null;
}
