// The agent loop: a turn of the model, its calls, their results, the next turn. Every event is written to the run log
// first, so that a run which was killed can be continued, and nothing runs twice.
import { randomUUID } from "node:crypto";
import { BOOLEAN, checkTypes, NAME, type OptionSchemas, TEXT } from "../call/check-options.ts";
import type { Cell } from "../cell.ts";
import { CONFIG_PROPERTIES, type Schema } from "../config/schema.ts";
import { startDeadline } from "../core/deadline.ts";
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { isSuspended } from "../core/suspension.ts";
import type { AnyObservation, CallEvent } from "../core/types.ts";
import type {
  AssistantMessage,
  ModelCall,
  ModelMessage,
  ModelProvider,
  ModelTool,
  ModelUsage,
  StopReason,
} from "../models/model.ts";
import type { AgentEvent, AgentEventBody, RunStop } from "./agent-event.ts";
import { type Budget, createLedger, type Ledger, type ModelPrices } from "./budget.ts";
import { createCallReporter } from "./call-reporter.ts";
import { combineDeltas } from "./combine-deltas.ts";
import { createEventQueue } from "./event-queue.ts";
import { findInterrupted } from "./interrupted-calls.ts";
import { createRepeatCounter, type RepeatCounter, STOP_AFTER, WARN_AFTER } from "./repeated-calls.ts";
import { failedResult, resultOf } from "./result-message.ts";
import { openRunLog, type RunLog } from "./run-log.ts";
import { systemPrompt, type ToolMode } from "./system-prompt.ts";
import { asTextMessages, readTextCalls } from "./text-calls.ts";
import { type PendingCall, readTranscript } from "./transcript.ts";
import { sizeOf, trimContext } from "./trim-context.ts";

/** The options of `runAgent`. */
export interface AgentOptions {
  readonly cell: Cell;
  readonly model: ModelProvider;
  /** What the caller says: mostly one prompt. None to continue a run that was interrupted. */
  readonly messages?: readonly ModelMessage[];
  /**
   * A run of the cell's session to continue: with more messages, or where it was interrupted.
   * @default a new run
   */
  readonly run?: string;
  /** Cancels the run. */
  readonly signal?: AbortSignal;
  /**
   * What the run may spend.
   * @default no limit but `maxTurns`
   */
  readonly budget?: Budget;
  /** @default null: costs are not counted */
  readonly prices?: ModelPrices | null;
  /**
   * Text before hotcell's own instructions.
   * @default none
   */
  readonly system?: string;
  /**
   * How tools are called: `native` by the provider's own form, `text` as text for models that have none, `auto` as native,
   * and as text if the provider says that the model has no tools; text calls in its answers count, too.
   * @default "auto"
   */
  readonly toolMode?: ToolMode;
  /**
   * The most turns with tools; then the model gets one last turn without.
   * @default 200
   */
  readonly maxTurns?: number;
  /** The longest answer in tokens. */
  readonly maxTokens?: number;
}

/** Runs an agent until the model has answered. The last event is `run.end`; leaving the loop early cancels the run. */
export async function* runAgent(options: AgentOptions): AsyncGenerator<AgentEvent> {
  checkAgentOptions(options);
  const { cell, run = `run_${randomUUID().replaceAll("-", "")}` } = options;
  const log = openRunLog(cell.agentDir, run);
  const queue = createEventQueue<AgentEvent>();
  const leaving = new AbortController();
  const cancelled = AbortSignal.any([leaving.signal, ...(options.signal ? [options.signal] : [])]);
  const deadline = startDeadline(options.budget?.timeMs ?? null, "The run", cancelled);
  const running = runWhole(options, log, queue.push, deadline.signal).then(() => queue.end(), queue.end);
  try {
    yield* queue;
  } finally {
    leaving.abort();
    await running;
    deadline.end();
    log.close();
  }
}

const AMOUNT: Schema = { type: "number", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const COUNT: Schema = { ...AMOUNT, type: "integer" };
const MESSAGE: Schema = {
  type: "object",
  required: ["role", "content"],
  properties: {
    role: { type: "string", enum: ["user", "assistant", "tool"] },
    content: TEXT,
    calls: { type: "array" },
    native: { type: "object" },
    callId: TEXT,
    name: TEXT,
    isError: BOOLEAN,
    images: { type: "array" },
  },
};
const BUDGET: Readonly<Record<keyof Budget, Schema>> = {
  tokens: COUNT,
  costUsd: AMOUNT,
  timeMs: AMOUNT,
  calls: COUNT,
};

const OPTIONS: OptionSchemas<AgentOptions> = {
  cell: null,
  model: null,
  messages: { type: "array", items: MESSAGE },
  run: NAME,
  signal: null,
  budget: { type: "object", properties: BUDGET },
  prices: CONFIG_PROPERTIES.model.properties.prices,
  system: TEXT,
  toolMode: CONFIG_PROPERTIES.model.properties.toolMode,
  maxTurns: COUNT,
  maxTokens: { ...COUNT, minimum: 1 },
};

/** Throws CONFIG_INVALID: a misspelled budget would limit nothing. */
function checkAgentOptions(options: AgentOptions): void {
  // Null also means that there are no prices.
  checkTypes(
    options?.prices === null ? { ...options, prices: undefined } : options,
    "run the agent",
    OPTIONS,
  );
  const { cell, model, messages = [], run } = options;
  if (typeof cell?.callBatch !== "function") throw wrong("cell is no cell; open one with openCell");
  if (typeof model?.sendMessage !== "function") throw wrong("model is no model; open one with openModel");
  if (run === undefined && messages.length === 0)
    throw wrong("a new run has no messages; give a prompt, or the run to continue");
}

function wrong(problem: string): HotcellError {
  return new HotcellError("CONFIG_INVALID", `Could not run the agent: ${problem}.`);
}

/** What the steps of a run share. */
interface Run {
  readonly options: AgentOptions;
  readonly id: string;
  readonly signal: AbortSignal;
  readonly ledger: Ledger;
  readonly repeats: RepeatCounter;
  readonly events: AgentEvent[];
  readonly tools: readonly ModelTool[];
  /** Writes an event to the log, then tells it. */
  readonly report: (body: AgentEventBody) => void;
  /** Tells a piece of streamed text or output, joined with others. */
  readonly reportDelta: ReturnType<typeof combineDeltas>["add"];
  toolMode: ToolMode;
  /** The longest conversation to send; smaller once the provider has refused a longer one. */
  maxChars: number;
}

async function runWhole(
  options: AgentOptions,
  log: RunLog,
  push: (event: AgentEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const { cell, model, messages = [], budget = {}, prices = null, toolMode = "auto" } = options;
  const events = [...log.earlier];
  const ledger = createLedger(budget, prices, () => performance.now());
  for (const event of events) ledger.add(event);
  let isOver = false;
  const write = (body: AgentEventBody) => {
    // A run that is suspended leaves the log as a kill would. A tool may go on asking the model after its run has ended.
    if (isSuspended(signal) || isOver) return;
    const event = log.append(body);
    isOver = body.kind === "run.end";
    events.push(event);
    ledger.add(event);
    push(event);
  };
  const deltas = combineDeltas(write);
  const report = (body: AgentEventBody) => {
    deltas.flush();
    write(body);
  };
  const run: Run = {
    options,
    id: log.run,
    signal,
    ledger,
    repeats: createRepeatCounter(),
    events,
    tools: cell.tools("mcp"),
    report,
    reportDelta: deltas.add,
    toolMode,
    maxChars: Number.POSITIVE_INFINITY,
  };
  cell.recordRun({ kind: "run.start", run: run.id, model: `${model.provider}/${model.model}` });
  report({
    kind: "run.start",
    run: run.id,
    session: cell.session,
    model: `${model.provider}/${model.model}`,
  });
  let stop: RunStop = "error";
  let failure: HotcellError | null = null;
  try {
    const { results, waiting } = await findInterrupted(events, cell);
    for (const result of results) report(result);
    const isResumed = messages.length === 0;
    const stopped = waiting.length > 0 ? await finishCalls(run, waiting, isResumed) : null;
    for (const message of messages) report({ kind: "message", message });
    stop = stopped ?? (await loop(run));
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    if (signal.aborted) stop = stopOf(signal);
    else failure = error;
  } finally {
    deltas.drop();
  }
  if (isSuspended(signal)) return;
  cell.recordRun({ kind: "run.end", run: run.id, stop });
  const reported = failure === null ? {} : { error: { code: failure.code, message: failure.message } };
  report({ kind: "run.end", stop, usage: ledger.usage(), ...reported });
}

async function loop(run: Run): Promise<RunStop> {
  const { maxTurns = LIMITS.maxAgentTurns } = run.options;
  for (let turn = 1; ; turn++) {
    if (run.signal.aborted) return stopOf(run.signal);
    if (run.ledger.spent() !== null) return "budget";
    const isLast = turn > maxTurns;
    const answer = await takeTurn(run, turn, isLast ? [] : run.tools);
    if (answer.stop === "cancelled") return stopOf(run.signal);
    if (isLast) return "iterations";
    if (answer.calls.length === 0 && answer.stop === "pause") continue;
    if (answer.calls.length === 0) return ENDINGS.get(answer.stop) ?? "done";
    const stop = await runCalls(run, answer.calls);
    if (stop !== null) return stop;
    if (answer.stop === "refusal") return "refusal";
  }
}

/** Why a signal that has aborted ends the run. */
function stopOf(signal: AbortSignal): RunStop {
  return isTimeUp(signal) ? "budget" : "cancelled";
}

function isTimeUp({ reason }: AbortSignal): boolean {
  return reason instanceof HotcellError && reason.code === "TIMEOUT";
}

const ENDINGS: ReadonlyMap<StopReason, RunStop> = new Map([
  ["length", "length"],
  ["refusal", "refusal"],
]);

interface Answer {
  readonly calls: readonly PendingCall[];
  readonly stop: StopReason | "cancelled";
}

/** One answer of the model. What the provider can't take, too long a conversation or tools, is sent again without. */
async function takeTurn(run: Run, turn: number, tools: readonly ModelTool[]): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await streamAnswer(run, turn, tools);
    } catch (error) {
      if (!(error instanceof HotcellError) || attempt > LIMITS.maxTrims || !adapt(run, error)) throw error;
    }
  }
}

function adapt(run: Run, { code }: HotcellError): boolean {
  if (code === "MODEL_WITHOUT_TOOLS" && run.toolMode === "auto") {
    run.toolMode = "text";
    run.report({
      kind: "note",
      text: "The model has no tool calls of its own; from here on it writes them as text.",
    });
    return true;
  }
  if (code !== "MODEL_CONTEXT_LENGTH") return false;
  const { messages } = trimContext(readTranscript(run.events), run.maxChars);
  run.maxChars = Math.floor(sizeOf(messages) / 2);
  const { dropped } = trimContext(readTranscript(run.events), run.maxChars);
  if (dropped > 0)
    run.report({
      kind: "note",
      text: `The conversation is too long; the oldest ${dropped} messages are left out.`,
    });
  return dropped > 0;
}

async function streamAnswer(run: Run, turn: number, tools: readonly ModelTool[]): Promise<Answer> {
  const { options, signal, toolMode } = run;
  const { messages } = trimContext(readTranscript(run.events), run.maxChars);
  const asText = toolMode === "text";
  const request = {
    system: systemPrompt(options.system, asText ? tools : []),
    messages: asText ? asTextMessages(messages) : messages,
    ...(!asText && { tools }),
    ...(options.maxTokens !== undefined && { maxTokens: options.maxTokens }),
  };
  const said: string[] = [];
  for await (const chunk of options.model.sendMessage(request, signal)) {
    if (chunk.type === "chunk") {
      said.push(chunk.content);
      run.reportDelta({ kind: "text", content: chunk.content });
    } else if (chunk.type === "thinking") run.reportDelta({ kind: "thinking", content: chunk.content });
    else if (chunk.type === "end") {
      return keepAnswer(run, turn, chunk, withTextCalls(run, chunk.message, tools));
    } else if (chunk.type === "error") {
      const { error, usage } = chunk;
      if (!signal.aborted && usage !== undefined) run.report({ kind: "model.usage", usage });
      if (!signal.aborted) throw error;
      const message = { role: "assistant", content: said.join(""), calls: [] } as const;
      return keepAnswer(run, turn, { stop: "cancelled", usage: usage ?? NOTHING_USED }, message);
    }
  }
  throw new HotcellError("MODEL_STREAM_CUT", "The model's answer ended before it was complete.");
}

const NOTHING_USED: ModelUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

function withTextCalls(
  { toolMode }: Run,
  message: AssistantMessage,
  tools: readonly ModelTool[],
): AssistantMessage {
  if (toolMode === "native" || message.calls.length > 0) return message;
  const { content, calls } = readTextCalls(message.content, new Set(tools.map(({ name }) => name)));
  // The provider's own form of the answer has no such calls, so it is not sent back.
  return calls.length === 0 ? message : { role: "assistant", content, calls };
}

/** Each call has an id of its own that is unique in the log; the provider's id stays on its wire. */
function keepAnswer(
  run: Run,
  turn: number,
  { stop, usage }: { readonly stop: Answer["stop"]; readonly usage: ModelUsage },
  given: AssistantMessage,
): Answer {
  const message = stop === "refusal" ? withoutWholeCalls(given) : given;
  const first = run.events.at(-1)?.seq ?? 0;
  const callIds = message.calls.map((_, at) => `${run.id}.${turn}.${first}.${at + 1}`);
  run.report({ kind: "answer", message, callIds, stop, usage });
  return { calls: message.calls.map((call, at) => ({ callId: callIds[at]!, call })), stop };
}

/** No call of a refused answer is executed, whether it came in text or was whole before the refusal. */
function withoutWholeCalls(message: AssistantMessage): AssistantMessage {
  return { ...message, calls: message.calls.map((call) => ({ ...call, complete: false })) };
}

/** Calls that waited when the run was killed are run now; if the caller says something new, they are not. */
async function finishCalls(
  run: Run,
  waiting: readonly PendingCall[],
  isResumed: boolean,
): Promise<RunStop | null> {
  if (isResumed) return runCalls(run, waiting);
  for (const { callId, call } of waiting) refuseCall(run, callId, call, STOPPED);
  return null;
}

/** The call does not reach the cell. */
function refuseCall({ report }: Run, callId: string, call: ModelCall, why: string): void {
  const message = failedResult(call, why);
  report({ kind: "call.result", callId, outcome: "not_executed", message, notCalled: true });
}

/** Runs calls and tells one result for each. Returns why the run must stop, if it must. */
async function runCalls(run: Run, pending: readonly PendingCall[]): Promise<RunStop | null> {
  const calls = pending.map(({ call }) => call);
  const callIds = pending.map(({ callId }) => callId);
  const { signal, ledger, report, reportDelta } = run;
  const counts = calls.map((call) => run.repeats.count(call));
  const isRepeated = counts.some((count) => count >= STOP_AFTER);
  const left = ledger.callsLeft();
  const allowed = isRepeated || signal.aborted ? 0 : Math.min(calls.length, left, LIMITS.maxBatchCalls);
  const open = new Map(callIds.map((callId, at) => [callId, at]));
  const reportResult = (callId: string, observation: AnyObservation) => {
    const at = open.get(callId)!;
    const message = resultOf(calls[at]!, observation, counts[at]! >= WARN_AFTER ? REPEATED : "");
    report({ kind: "call.result", callId, outcome: observation.meta.outcome, message });
    open.delete(callId);
  };
  const requests = calls.slice(0, allowed).map(({ name, arguments: text, complete }, at) => ({
    id: callIds[at]!,
    name,
    // Several wires send no arguments as an empty text.
    arguments: complete && text.trim() === "" ? "{}" : text,
    truncated: !complete,
  }));
  const reportCall = createCallReporter({ report, reportDelta, reportResult });
  let failure: unknown = null;
  const unlogged = new AbortController();
  /** A call whose event can't be logged is ended, and the run fails. */
  const onEvent = (event: CallEvent) => {
    try {
      reportCall(event);
    } catch (error) {
      failure ??= error;
      unlogged.abort();
    }
  };
  await run.options.cell.callBatch(requests, {
    signal: AbortSignal.any([signal, unlogged.signal]),
    spending: { spent: ledger.spent, addUsage: (usage) => report({ kind: "model.usage", usage }) },
    onEvent,
  });
  if (failure !== null) throw failure;
  const refusal = isRepeated
    ? REPEATED
    : signal.aborted
      ? isTimeUp(signal)
        ? NO_TIME_LEFT
        : CANCELLED
      : left < calls.length
        ? NO_CALLS_LEFT
        : TOO_MANY;
  for (const [callId, at] of open) refuseCall(run, callId, calls[at]!, refusal);
  if (signal.aborted) return stopOf(signal);
  if (isRepeated) return "repeated";
  return left < calls.length ? "budget" : null;
}

const REPEATED =
  "You have made this same call several times in a row. Its result will not change: do something else.";
const STOPPED = "The call was not executed: hotcell was stopped before it began.";
const CANCELLED = "The call was not executed: the run was cancelled.";
const NO_TIME_LEFT = "The call was not executed: the time of the run is over.";
const NO_CALLS_LEFT = "The call was not executed: the run may make no more calls.";
const TOO_MANY = `The call was not executed: one answer may make ${LIMITS.maxBatchCalls} calls.`;
