// The fields of a call's record: those of an audit event in their order, then the rule and the outcome.
import { inertJson } from "../core/inert-json.ts";
import type { Outcome, RuleOrigin } from "../core/types.ts";
import type { Encoder } from "./encode.ts";
import type { Fields, LogRecord } from "./record.ts";

interface CallEvent {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly agentId: string | null;
}

export interface IntentEvent extends CallEvent {
  readonly input: unknown;
  readonly digest: string;
  readonly rule: RuleOrigin;
  /** Whether the call may change something. If so, its intent is on the disk before it runs. */
  readonly changes: boolean;
}

/** A call with a recorded intent and no recorded outcome yet. */
export interface OpenCall {
  readonly event: IntentEvent;
  /** The input as written in the intent record. */
  readonly input: string;
}

export interface ExecEvent extends CallEvent {
  /** The number of the intent record; null for a call that never began. */
  readonly intent: number | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly outcome: Outcome;
  readonly rule: RuleOrigin | null;
  readonly durationMs: number;
  /** The id of its recording, if it was deterministic. */
  readonly recording?: string | undefined;
  readonly stack?: string;
}

export function intentFields(event: IntentEvent, writer: string, encoder: Encoder) {
  const { toolCallId, toolName, agentId } = callFields(event, encoder);
  return {
    toolCallId,
    toolName,
    agentId,
    input: encoder.value(event.input),
    digest: encoder.name(event.digest),
    rule: ruleText(event.rule, encoder),
    changes: String(event.changes),
    writer: inertJson(writer),
  } satisfies Fields;
}

/** `open` is undefined for a call that never began. */
export function execFields(event: ExecEvent, open: OpenCall | undefined, encoder: Encoder): Fields {
  const { outcome, rule, intent, recording, stack } = event;
  const { toolCallId, toolName, agentId } = callFields(event, encoder);
  const isSameInput = open !== undefined && open.event.input === event.input;
  return {
    toolCallId,
    toolName,
    agentId,
    input: isSameInput ? open.input : encoder.value(event.input),
    output: encoder.value(event.output),
    durationMs: encoder.value(event.durationMs),
    outcome: inertJson(outcome.status),
    why: "why" in outcome ? inertJson(outcome.why) : undefined,
    rule: rule === null ? "null" : ruleText(rule, encoder),
    intent: intent === null ? undefined : String(intent),
    recording: recording === undefined ? undefined : inertJson(recording),
    stack: stack === undefined ? undefined : encoder.stack(stack),
  };
}

/** Ends a call of this process that will report no outcome. */
export function interruptedFields(event: CallEvent, intent: number, encoder: Encoder): Fields {
  return { ...callFields(event, encoder), ...unknownOutcome(intent) };
}

/** Ends a call of a dead process, with the fields of its intent. */
export function abandonedFields({ seq, toolCallId, toolName, agentId }: LogRecord): Fields {
  const [id, name, agent] = [toolCallId, toolName, agentId].map((value) => inertJson(value ?? null));
  return { toolCallId: id!, toolName: name!, agentId: agent!, ...unknownOutcome(seq) };
}

function unknownOutcome(intent: number): Fields {
  return { outcome: inertJson("unknown"), intent: String(intent) };
}

function callFields({ toolCallId, toolName, agentId }: CallEvent, encoder: Encoder) {
  return {
    toolCallId: encoder.name(toolCallId),
    toolName: encoder.word(toolName),
    agentId: agentId === null ? "null" : encoder.word(agentId),
  } satisfies Fields;
}

function ruleText({ text, source, line }: RuleOrigin, encoder: Encoder): string {
  const place = line === undefined ? "" : `,"line":${encoder.value(line)}`;
  return `{"text":${encoder.word(text)},"source":${encoder.word(source)}${place}}`;
}
