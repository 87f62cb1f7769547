// openCell: the only place where all parts meet. It owns their lifetime.
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Approve } from "./approval/approve.ts";
import { inSession, onHost } from "./call/around.ts";
import { runBatch } from "./call/batch.ts";
import type { CallParts } from "./call/call-parts.ts";
import { createRulebook, explainCall, type RulebookOptions, wrongOption } from "./call/rulebook.ts";
import { runCall } from "./call/run-call.ts";
import { HotcellError } from "./core/errors.ts";
import type { Json, JsonObject } from "./core/json.ts";
import { LIMITS } from "./core/limits.ts";
import type { CallRequest, Meta, Observation, Verdict } from "./core/words.ts";
import { type Log, openLog } from "./log/log.ts";
import { runPaths } from "./log/runs.ts";
import { createBuiltinRunner } from "./runners/builtin.ts";
import { toolDefinitions, type WireFormat } from "./tools/definitions.ts";
import { type Files, type FilesOptions, openFiles } from "./workspace/open-files.ts";
import type { Session } from "./workspace/session/session.ts";
import { type SessionDoor, sessionDoor } from "./workspace/session/session-door.ts";

export interface CellOptions extends FilesOptions, Omit<RulebookOptions, "fs"> {
  /** Asked when a rule or the trust level says so. Without it such calls are denied. */
  readonly approve?: Approve;
  readonly agentId?: string;
  /** Values that must not appear in the log. */
  readonly secrets?: readonly string[];
  /** The longest one call may take, unless its tool or the scope says otherwise. */
  readonly timeoutMs?: number;
}

export interface Cell extends SessionDoor {
  /** The whole life of one call. Never rejects for what a call does: the observation says how it ended. */
  call(request: CallRequest | string, options?: CallOptions): Promise<Observation>;
  /** The calls of one model turn; results in the order of the calls. */
  callBatch(requests: readonly (CallRequest | string)[], options?: CallOptions): Promise<Observation[]>;
  tools(format: WireFormat): Json[];
  /** What would be decided of a call, and by which rule. Nothing is run or logged. */
  explain(tool: string, args: JsonObject): Verdict;
  /** Null on the host. */
  readonly session: string | null;
  readonly logFile: string;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export async function openCell(options: CellOptions): Promise<Cell> {
  const { timeoutMs = LIMITS.toolTimeoutMs } = options;
  if (!(timeoutMs > 0)) throw wrongOption("timeoutMs", timeoutMs, "a number above zero");
  const rulebook = await createRulebook(options);
  const files = await openFiles(options, rulebook.protectionOf);
  const { workspace, session } = files;
  const log = openLogOf(files, options.secrets ?? []);
  const parts: CallParts = {
    ...rulebook,
    workspace,
    approve: options.approve ?? null,
    runner: createBuiltinRunner({ workspace, clock: () => new Date() }),
    around: session === null ? onHost : inSession(session),
    log,
    agentId: options.agentId ?? null,
    timeoutMs,
    cell: { ...namesOf(session), isolation: "none" },
    newId: () => `call_${randomUUID()}`,
    now: () => performance.now(),
  };
  return makeCell(parts, session, () => {
    try {
      log.close();
    } finally {
      files.close();
    }
  });
}

/** A log for each session, and for each workspace on the host: every cell on it goes on with the same chain. */
function openLogOf({ stateDir, run, close }: Files, secrets: readonly string[]): Log {
  try {
    return openLog({ ...runPaths(stateDir, run), secrets });
  } catch (error) {
    close();
    throw error;
  }
}

function namesOf(session: Session | null): Pick<Meta, "session" | "strategy"> {
  if (session === null) return { session: null, strategy: "host" };
  const { id, strategy } = session.record;
  return { session: id, strategy };
}

function makeCell(parts: CallParts, session: Session | null, end: () => void): Cell {
  let open = true;
  const active = new AbortController();
  const running = new Set<Promise<unknown>>();

  const track = async <T>(
    work: (signal: AbortSignal) => Promise<T>,
    { signal }: CallOptions = {},
  ): Promise<T> => {
    if (!open) throw new HotcellError("WORKSPACE_UNUSABLE", "Could not run the call: the cell is closed.");
    const ended = work(signal === undefined ? active.signal : AbortSignal.any([signal, active.signal]));
    running.add(ended);
    return ended.finally(() => running.delete(ended));
  };
  const close = async () => {
    if (!open) return;
    open = false;
    active.abort();
    await Promise.allSettled(running);
    // A call that was cancelled may still be at work, and the session is nobody else's until it has ended.
    if (session !== null)
      await Promise.race([session.idle(), setTimeout(LIMITS.closeWaitMs, null, { ref: false })]);
    end();
  };
  return {
    call: (request, options) => track((signal) => runCall(request, parts, signal), options),
    callBatch: (requests, options) => track((signal) => runBatch(requests, parts, signal), options),
    tools: (format) => toolDefinitions(parts.registry.list(parts.scope), format),
    explain: (tool, args) => explainCall(tool, args, parts),
    ...sessionDoor(session),
    session: session?.record.id ?? null,
    logFile: parts.log.file,
    close,
    [Symbol.asyncDispose]: close,
  };
}
