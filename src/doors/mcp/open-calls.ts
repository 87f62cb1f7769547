// The calls of MCP clients that are under way. A client answers a question with another request: between the two, the
// call waits here.
import { randomUUID } from "node:crypto";
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approve,
  adviceFor,
} from "../../approval/approve.ts";
import { createDesk } from "../../approval/desk.ts";
import type { KeptCell } from "../../cells.ts";
import { LIMITS } from "../../core/limits.ts";
import type { AnyObservation, CallEvent } from "../../core/types.ts";

/** One request of a client about a call: the call itself, or the answer to its question. */
export interface Round {
  readonly signal: AbortSignal;
  /** Whether the signal also covers the time of the question with which the round ends, as in earlier revisions. */
  readonly coversQuestion: boolean;
  readonly onEvent: (event: CallEvent) => void;
}

export interface McpCall {
  readonly name: string;
  readonly arguments?: unknown;
  /** Whether the client can ask its user. */
  readonly canAsk: boolean;
  /** The directories in the project to which the client keeps; all of it if omitted. */
  readonly roots?: readonly string[];
}

/** How a round ends: with the observation, or with a question. */
export type RoundEnd =
  | { readonly kind: "ended"; readonly observation: AnyObservation }
  | { readonly kind: "asks"; readonly request: ApprovalRequest };

export interface OpenCalls {
  /** For `onAsk` of the cell. The desk shows the question in other terminals too: the first answer wins. */
  readonly onAsk: Approve;
  start(call: McpCall, cell: KeptCell, round: Round): Promise<RoundEnd>;
  /** Gives the client's answer to the question of a call. Null if the client has no question to answer: each only once. */
  answer(callId: string, answer: ApprovalAnswer, round: Round): Promise<RoundEnd> | null;
}

interface OpenCall {
  readonly canAsk: boolean;
  readonly cancelled: AbortController;
  round: Round | null;
  /** The end of the present round, or of the next one. */
  end: Deferred<RoundEnd>;
  /** Takes the client's answer. Null unless the client has a question. */
  answer: ((answer: ApprovalAnswer) => void) | null;
  hasEnded: boolean;
}

export function createOpenCalls(
  stateDir: string,
  limitQuestions: (ask: Approve) => Approve = (ask) => ask,
): OpenCalls {
  const calls = new Map<string, OpenCall>();
  /** If a question was answered elsewhere, its client has yet to fetch the end. */
  const forgetIfOver = (id: string, { hasEnded, answer }: OpenCall) => {
    if (hasEnded && answer === null) calls.delete(id);
  };
  const askClient: Approve = (request) => {
    const call = calls.get(request.callId)!;
    return waitForClient(call, request, () => forgetIfOver(request.callId, call));
  };
  const ask = limitQuestions(createDesk({ stateDir, client: askClient }));
  return {
    onAsk(request, signal) {
      const call = calls.get(request.callId);
      if (call?.canAsk && call.answer === null) return ask(request, signal);
      return { approved: false, reason: `this MCP client cannot ask its user${adviceFor(request)}` };
    },
    start({ name, arguments: args, canAsk, roots }, cell, round) {
      const id = `call_${randomUUID()}`;
      const call = createOpenCall(canAsk);
      calls.set(id, call);
      const request = { id, name, ...(args !== undefined && { arguments: args }) };
      const { signal } = call.cancelled;
      const onEvent = (event: CallEvent) => call.round?.onEvent(event);
      cell
        .use((opened) => opened.call<AnyObservation>(request, { signal, onEvent, ...(roots && { roots }) }))
        .then(
          (observation) => call.end.resolve({ kind: "ended", observation }),
          (error) => call.end.reject(error),
        )
        .finally(() => {
          call.hasEnded = true;
          forgetIfOver(id, call);
        });
      return takeRound(call, round);
    },
    answer(callId, answer, round) {
      const call = calls.get(callId);
      if (!call?.answer) return null;
      call.answer(answer);
      return takeRound(call, round);
    },
  };
}

function createOpenCall(canAsk: boolean): OpenCall {
  const cancelled = new AbortController();
  return { canAsk, cancelled, round: null, end: createDeferred(), answer: null, hasEnded: false };
}

/** Resolves when the round ends. */
function takeRound(call: OpenCall, round: Round): Promise<RoundEnd> {
  const cancel = () => call.cancelled.abort(round.signal.reason);
  call.round = round;
  if (round.signal.aborted) cancel();
  round.signal.addEventListener("abort", cancel, { once: true });
  return call.end.promise.finally(() => {
    call.round = null;
    // The signal of a request aborts too when its response has been sent.
    if (!round.coversQuestion) round.signal.removeEventListener("abort", cancel);
  });
}

/** Ends the present round with the question, and waits for the answer in the next one. */
function waitForClient(
  call: OpenCall,
  request: ApprovalRequest,
  answered: () => void,
): Promise<ApprovalAnswer> {
  const asked = call.end;
  call.end = createDeferred();
  return new Promise((resolve) => {
    const give = (answer: ApprovalAnswer) => {
      clearTimeout(timer);
      call.answer = null;
      resolve(answer);
      answered();
    };
    const seconds = LIMITS.mcpAnswerMs / 1000;
    const reason = `the MCP client did not answer within ${seconds} seconds`;
    const expire = () => give({ approved: false, expired: true, reason });
    const timer = setTimeout(expire, LIMITS.mcpAnswerMs).unref();
    call.answer = give;
    asked.resolve({ kind: "asks", request });
  });
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

/** Nobody may be waiting when it is rejected: the client may have left. */
function createDeferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((onValue, onReason) => {
    resolve = onValue;
    reject = onReason;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
