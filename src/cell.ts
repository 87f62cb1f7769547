// openCell: the only place where all parts meet. It owns their lifetime.
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { setTimeout } from "node:timers/promises";
import { runBatch } from "./call/batch.ts";
import type { CallParts } from "./call/call-parts.ts";
import type { CellOptions } from "./call/cell-options.ts";
import { checkOptions, refuseUnknownKeys, withoutUndefined } from "./call/check-options.ts";
import { inSession, onHost } from "./call/in-session.ts";
import { runCall } from "./call/run-call.ts";
import { createSessionApi, type SessionApi } from "./call/session-api.ts";
import { openPlaces } from "./call/tool-filesystems.ts";
import { createRulebook, explainCall, wrongOption } from "./call/tools-and-policy.ts";
import { HotcellError } from "./core/errors.ts";
import { isJsonObject, type JsonObject } from "./core/json.ts";
import { LIMITS } from "./core/limits.ts";
import { quote } from "./core/quote.ts";
import type {
  AnyObservation,
  CallEvent,
  CallRequest,
  FileLimits,
  Meta,
  Observation,
  Verdict,
} from "./core/types.ts";
import { unlessFailing } from "./core/unless-failing.ts";
import { type Log, openLog } from "./log/log.ts";
import { openFreeLog } from "./log/open-free-log.ts";
import { runPaths } from "./log/runs.ts";
import { createBuiltinRunner } from "./runners/builtin.ts";
import { createCommandsFor } from "./runners/commands.ts";
import { openGround } from "./shield/process/command-view.ts";
import { DEFAULT_LIMITS } from "./shield/process/limits.ts";
import { createProcesses, type Processes } from "./shield/processes.ts";
import { openShield } from "./shield/shield.ts";
import type {
  BuiltinCall,
  BuiltinObservation,
  BuiltinToolName,
  CommandOutput,
  OtherCall,
  RunCommandCall,
  RunCommandObservation,
  ToolObservation,
} from "./tools/builtin-types.ts";
import { type ToolDefinitions, toolDefinitions, type WireFormat } from "./tools/definitions.ts";
import { exec } from "./tools/exec.ts";
import { type Files, openFiles } from "./workspace/open-files.ts";
import type { Session } from "./workspace/session/session-types.ts";

export type { CellOptions } from "./call/cell-options.ts";

export interface Cell extends SessionApi {
  /**
   * Runs one call of any tool, or a call that a model wrote as text. Never rejects for what a call does: the observation
   * says how it ended. `Shape` is the observation of the tool's toolset.
   * @example
   * const observation = await cell.call({ id: toolCall.id, name: toolCall.name, arguments: toolCall.arguments });
   */
  call<Shape extends AnyObservation = Observation, Name extends string = string, Arguments = unknown>(
    request: OtherCall<Name, Arguments> | string,
    options?: CallOptions,
  ): Promise<Shape>;
  /** Runs a command. With `background: true` the call gives the `process_id` and does not wait for the command's end. */
  call<Background extends boolean>(
    request: RunCommandCall<Background>,
    options?: CallOptions,
  ): Promise<RunCommandObservation<Background>>;
  /**
   * Runs one call of a built-in tool: the compiler checks the arguments and knows the output.
   * @example
   * const { output } = await cell.call({ name: "read_file", arguments: { path: "README.md" } });
   * if (output !== null) console.log(output.content);
   */
  call<Name extends BuiltinToolName>(
    request: BuiltinCall<Name>,
    options?: CallOptions,
  ): Promise<BuiltinObservation<Name>>;
  /** The calls of one model turn; results in the order of the calls. Rejects when there are more than 128. */
  callBatch<Shape extends AnyObservation = Observation>(
    requests: readonly (CallRequest | string)[],
    options?: CallOptions,
  ): Promise<Shape[]>;
  /**
   * The definitions of the cell's tools, as a model or a client is given them.
   * @example
   * await openai.chat.completions.create({ model, messages, tools: cell.tools("openai") });
   */
  tools<Format extends WireFormat>(format: Format): ToolDefinitions[Format][];
  /** What would be decided of a call, and by which rule. Nothing is run or logged. */
  explain(tool: string, args: JsonObject): Verdict;
  /** A person's command: no rule is asked, but it is shielded and recorded like any other. */
  exec(
    argv: readonly [string, ...string[]],
    options?: ExecOptions,
  ): Promise<ToolObservation<"exec", CommandOutput>>;
  /** What was started with `background: true`: it ends with the cell. */
  readonly processes: Pick<Processes, "list" | "output" | "stop">;
  /** Null on the host. */
  readonly session: string | null;
  readonly logFile: string;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Who calls, when it is not the agent of the cell. */
  readonly agentId?: string;
  /** Told what a command writes out, as it comes, and how far a long search is. */
  readonly onEvent?: (event: CallEvent) => void;
}

export interface ExecOptions extends CallOptions {
  /** A directory of the workspace; its root when left out. */
  readonly cwd?: string;
  /** Its input and output are this process's own, and it may take its time. */
  readonly attached?: boolean;
}

export async function openCell(options: CellOptions): Promise<Cell> {
  const { timeoutMs = LIMITS.toolTimeoutMs } = options;
  if (!(timeoutMs > 0)) throw wrongOption("timeoutMs", timeoutMs, "a number above zero");
  checkOptions(options);
  checkSurroundings(options);
  const limitsOf = limitsBy(options);
  const rulebook = await createRulebook(options);
  const files = await openFiles(options, rulebook.protectionOf);
  const { workspace, session } = files;
  const places = unlessFailing(files.close, () => openPlaces(options, files, rulebook.protectionOf));
  const closeFiles = () => {
    places.close();
    files.close();
  };
  const log = unlessFailing(closeFiles, () => openLogOf(files, options.secrets ?? []));
  const closeKept = () => {
    try {
      log.close();
    } finally {
      closeFiles();
    }
  };
  const ground = unlessFailing(closeKept, () => openGround(files, rulebook.protectionOf, options.storage));
  const shield = openShield({ ground, toolchains: options.toolchains ?? [], env: options.env ?? {} });
  const processes = createProcesses();
  const limits = { ...DEFAULT_LIMITS, ...withoutUndefined(options.limits ?? {}) };
  const commandsFor = createCommandsFor({ shield, ground, processes, workspace, log, limits });
  const parts: CallParts = {
    ...rulebook,
    placesOf: places.of,
    approve: options.approve ?? null,
    runner: createBuiltinRunner({ clock: () => new Date(), commandsFor, limitsOf }),
    around: session === null ? onHost() : inSession(session),
    log,
    agentId: options.agentId ?? null,
    timeoutMs,
    cell: { ...namesOf(session), isolation: "none" },
    newId: () => `call_${randomUUID()}`,
    now: () => performance.now(),
  };
  return makeCell(parts, session, processes, async () => {
    try {
      await shield.close();
      await ground.close();
    } finally {
      closeKept();
    }
  });
}

/** What would otherwise fail with the first command, and be said by another program. */
function checkSurroundings({ toolchains = [], env = {} }: CellOptions): void {
  for (const [index, at] of toolchains.entries()) {
    if (!isAbsolute(at) || !existsSync(`${at}/.`))
      throw wrongOption(`toolchains[${index}]`, at, "the whole path of a directory that is there");
  }
  const wrong = Object.keys(env).find((name) => !/^[^=]+$/.test(name));
  if (wrong !== undefined) throw wrongOption("a name in env", wrong, 'one that is not empty and has no "="');
  for (const [name, value] of Object.entries(env))
    if (typeof value !== "string") throw wrongOption(`env.${name}`, value, "text");
}

/** The cell is the only writer of its log until it is closed. */
function openLogOf({ session, stateDir, run }: Files, secrets: readonly string[]): Log {
  return session === null
    ? openFreeLog(stateDir, run, secrets)
    : openLog({ ...runPaths(stateDir, run), secrets });
}

function limitsBy({ agents = {} }: CellOptions): (agentId: string | null) => FileLimits {
  const byId = new Map(Object.entries(agents));
  for (const [id, limits] of byId) checkFileLimits(id, limits);
  const givenTo = (agentId: string | null) => (agentId === null ? {} : (byId.get(agentId) ?? {}));
  return (agentId) => ({ ...LIMITS.mounts, ...withoutUndefined(givenTo(agentId)) });
}

function checkFileLimits(id: string, limits: Partial<FileLimits>): void {
  const at = `agents[${quote(id)}]`;
  if (!isJsonObject(limits)) throw wrongOption(at, limits, "an object");
  const most = new Map(Object.entries(LIMITS.mostOnMounts));
  refuseUnknownKeys(limits, { known: [...most.keys()], action: "open the cell", at });
  for (const [key, value] of Object.entries(withoutUndefined(limits))) {
    const atMost = most.get(key)!;
    if (!Number.isInteger(value) || value < 1 || value > atMost)
      throw wrongOption(`${at}.${key}`, value, `a whole number from 1 to ${atMost}`);
  }
}

function namesOf(session: Session | null): Pick<Meta, "session" | "strategy"> {
  if (session === null) return { session: null, strategy: "host" };
  const { id, strategy } = session.record;
  return { session: id, strategy };
}

/** Nobody is asked whether they may do what they just said. */
const FOR_PERSONS = { toolsets: [], tools: [exec], trust: "autonomous" } as const;

function forCall(parts: CallParts, { onEvent, agentId }: CallOptions): CallParts {
  return { ...parts, ...(agentId !== undefined && { agentId }), ...(onEvent && { onEvent }) };
}

function makeCell(
  parts: CallParts,
  session: Session | null,
  processes: Processes,
  end: () => Promise<void>,
): Cell {
  let open = true;
  let closed = Promise.resolve();
  const active = new AbortController();
  const running = new Set<Promise<unknown>>();

  const track = async <T>(
    work: (signal: AbortSignal) => Promise<T>,
    { signal }: CallOptions = {},
  ): Promise<T> => {
    if (!open) throw new HotcellError("WORKSPACE_UNUSABLE", "Could not run the call: the cell is closed.");
    const ending = signal === undefined ? active.signal : AbortSignal.any([signal, active.signal]);
    // Each call listens to it, and any number of them may be under way.
    setMaxListeners(0, ending);
    const ended = work(ending);
    running.add(ended);
    try {
      return await ended;
    } finally {
      running.delete(ended);
    }
  };
  const endAll = async () => {
    active.abort();
    await Promise.allSettled(running);
    await processes.stopAll();
    // A call that was cancelled may still be at work, and the session is nobody else's until it has ended.
    if (session !== null)
      await Promise.race([session.idle(), setTimeout(LIMITS.closeWaitMs, null, { ref: false })]);
    await end();
  };
  /** Whoever closes it first is told what fails; others only wait. */
  const close = () => {
    if (!open) return closed.catch(() => {});
    open = false;
    closed = endAll();
    return closed;
  };
  return {
    // Which shape the observation has depends on the tool: here the compiler can't know it.
    call: ((request: CallRequest | string, options: CallOptions = {}) =>
      track((signal) => runCall(request, forCall(parts, options), signal), options)) as Cell["call"],
    callBatch: <Shape extends AnyObservation>(
      requests: readonly (CallRequest | string)[],
      options: CallOptions = {},
    ) => track((signal) => runBatch(requests, forCall(parts, options), signal) as Promise<Shape[]>, options),
    exec: (argv, { cwd, attached, ...options } = {}) =>
      track(async (signal) => {
        const own = { ...forCall(parts, options), ...(await createRulebook(FOR_PERSONS)) };
        const args = { argv, ...(cwd !== undefined && { cwd }), ...(attached && { attached }) };
        const observation = await runCall({ name: exec.name, arguments: args }, own, signal);
        return observation as ToolObservation<"exec", CommandOutput>;
      }, options),
    tools: (format) => toolDefinitions(parts.registry.list(parts.scope), format),
    explain: (tool, args) => explainCall(tool, args, parts),
    processes,
    ...createSessionApi(session, track),
    session: session?.record.id ?? null,
    logFile: parts.log.file,
    close,
    [Symbol.asyncDispose]: close,
  };
}
