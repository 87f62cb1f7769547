// What a record says of a call: 002's fields in their order, then what decided and how it ended.
import { inertJson } from "../core/inert-json.ts";
import type { Outcome, RuleOrigin } from "../core/words.ts";
import { encodeName, encodeStack, encodeValue } from "./encode.ts";
import type { Fields, LogRecord } from "./record.ts";
import type { Redactor } from "./redact.ts";

interface CallEvent {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly agentId: string | null;
}

export interface IntentEvent extends CallEvent {
  readonly input: unknown;
  readonly digest: string;
  readonly rule: RuleOrigin;
  /** Whether the call may change something: its intent is on the disk before it runs. */
  readonly changes: boolean;
}

/** A call whose intent is recorded and whose outcome is not. */
export interface OpenCall {
  readonly event: IntentEvent;
  /** As it stands in the intent. */
  readonly input: string;
}

export interface ExecEvent extends CallEvent {
  /** The number that its intent got; null for a call that never began. */
  readonly intent: number | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly outcome: Outcome;
  readonly rule: RuleOrigin | null;
  readonly durationMs: number;
  readonly stack?: string;
}

export function intentFields(event: IntentEvent, writer: string, redactor: Redactor) {
  return {
    ...callFields(event, redactor),
    input: encodeValue(event.input, redactor),
    digest: encodeName(event.digest, redactor),
    rule: ruleText(event.rule, redactor),
    changes: String(event.changes),
    writer: inertJson(writer),
  } satisfies Fields;
}

/** `open` is undefined for a call that never began. */
export function execFields(event: ExecEvent, open: OpenCall | undefined, redactor: Redactor): Fields {
  const { outcome, intent, stack } = event;
  const isSameInput = open !== undefined && open.event.input === event.input;
  return {
    ...callFields(event, redactor),
    input: isSameInput ? open.input : encodeValue(event.input, redactor),
    output: encodeValue(event.output, redactor),
    durationMs: encodeValue(event.durationMs, redactor),
    outcome: inertJson(outcome.status),
    ...("why" in outcome ? { why: inertJson(outcome.why) } : {}),
    rule: event.rule === null ? "null" : ruleText(event.rule, redactor),
    ...(intent === null ? {} : { intent: String(intent) }),
    ...(stack === undefined ? {} : { stack: encodeStack(stack, redactor) }),
  };
}

/** Ends a call of this process of which nobody will tell how it went. */
export function interruptedFields(event: CallEvent, intent: number, redactor: Redactor): Fields {
  return { ...callFields(event, redactor), ...unknownOutcome(intent) };
}

/** The same for a recorded intent of a dead process, in its own words. */
export function abandonedFields({ seq, toolCallId, toolName, agentId }: LogRecord): Fields {
  const [id, name, agent] = [toolCallId, toolName, agentId].map((value) => inertJson(value ?? null));
  return { toolCallId: id!, toolName: name!, agentId: agent!, ...unknownOutcome(seq) };
}

function unknownOutcome(intent: number): Fields {
  return { outcome: inertJson("unknown"), intent: String(intent) };
}

function callFields({ toolCallId, toolName, agentId }: CallEvent, redactor: Redactor): Fields {
  return {
    toolCallId: encodeName(toolCallId, redactor),
    toolName: encodeName(toolName, redactor),
    agentId: agentId === null ? "null" : encodeName(agentId, redactor),
  };
}

function ruleText({ text, source, line }: RuleOrigin, redactor: Redactor): string {
  const place = line === undefined ? "" : `,"line":${encodeValue(line, redactor)}`;
  return `{"text":${encodeName(text, redactor)},"source":${encodeName(source, redactor)}${place}}`;
}
