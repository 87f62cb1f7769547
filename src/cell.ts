// openCell: the only place where all parts meet. It owns their lifetime.
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { openRemembered } from "./approval/remembered.ts";
import { createArtifactFiles } from "./call/artifact-files.ts";
import { runBatch } from "./call/batch.ts";
import type { CallParts } from "./call/call-parts.ts";
import type { CellOptions } from "./call/cell-options.ts";
import {
  BOOLEAN,
  checkArgument,
  checkOptions,
  checkTypes,
  type OptionSchemas,
  refuseUnknownKeys,
  TEXT,
  TEXTS,
  withoutUndefined,
} from "./call/check-options.ts";
import { createHostRun, createSessionRun } from "./call/in-session.ts";
import { createNetworkGate } from "./call/network-gate.ts";
import type { ProviderCall } from "./call/read-call-object.ts";
import { runCall } from "./call/run-call.ts";
import { createSessionKit } from "./call/session/create-session-kit.ts";
import { createKvApi } from "./call/session/kv-api.ts";
import { recordOperations } from "./call/session/recorded-session.ts";
import { createSessionApi, type SessionApi } from "./call/session/session-api.ts";
import { openToolFilesystems } from "./call/tool-filesystems.ts";
import { createToolsAndPolicy, explainCall, wrongOption } from "./call/tools-and-policy.ts";
import { warnIfThrows } from "./call/warn-if-throws.ts";
import type { Schema } from "./config/schema.ts";
import { closeOnFailure } from "./core/close-on-failure.ts";
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
  ToolLimits,
  ToolObservation,
  Verdict,
} from "./core/types.ts";
import { type Log, openLog } from "./log/log.ts";
import { openFreeLog } from "./log/open-free-log.ts";
import { agentDirOf, artifactsIn, runPaths } from "./log/runs.ts";
import type { ModelSpending } from "./models/gateway.ts";
import { createNetworkClients } from "./net/network-clients.ts";
import { judgeNetwork } from "./policy/judge-network.ts";
import { createBuiltinRunner } from "./runners/builtin.ts";
import { createCommandsFor } from "./runners/commands.ts";
import { openGuests } from "./runners/wasm/guests.ts";
import { OFFLINE_ENV } from "./shield/host/offline-settings.ts";
import { findPlaceFault, findUserToolchains, NO_TOOLCHAINS } from "./shield/host/user-toolchains.ts";
import { openCommandView } from "./shield/process/command-view.ts";
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
} from "./tools/builtin-types.ts";
import { type ToolDefinitions, toolDefinitions, type WireFormat } from "./tools/definitions.ts";
import { exec } from "./tools/exec.ts";
import { listMounts } from "./workspace/fs/mountinfo.ts";
import { showName } from "./workspace/fs/names.ts";
import type { KeyValues } from "./workspace/kv/key-values.ts";
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
  /**
   * Runs a call as the client of OpenAI, Anthropic or Ollama gave it. `toToolMessage` makes the answer of the observation.
   * @example
   * for (const call of message.tool_calls ?? []) messages.push(toToolMessage(await cell.call(call), "openai"));
   */
  call<Shape extends AnyObservation = Observation>(
    request: ProviderCall & { readonly truncated?: boolean },
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
    requests: readonly (CallRequest | ProviderCall | string)[],
    options?: CallOptions,
  ): Promise<Shape[]>;
  /**
   * The definitions of the cell's tools, as a model or a client is given them.
   * @example
   * await openai.chat.completions.create({ model, messages, tools: cell.tools("openai") });
   */
  tools<Format extends WireFormat>(format: Format): ToolDefinitions[Format][];
  /** What would be decided of a call, and by which rule. Nothing is run or logged. Without `args`: a call without arguments. */
  explain(tool: string, args?: JsonObject): Verdict;
  /** A person's command: no rule is asked, but it is shielded and recorded like any other. */
  exec(
    argv: readonly [string, ...string[]],
    options?: ExecOptions,
  ): Promise<ToolObservation<"exec", CommandOutput>>;
  /** What was started with `background: true`: it ends with the cell. */
  readonly processes: Pick<Processes, "list" | "output" | "stop">;
  /**
   * Values of the session by key, which tools of the toolset `kv` share.
   * @example
   * await cell.kv.set("task/status", { done: 3, of: 5 });
   */
  readonly kv: KeyValues;
  /** Null on the host. */
  readonly session: string | null;
  readonly logFile: string;
  /** The directory with the logs of agent runs. */
  readonly agentDir: string;
  /** Records the start or the end of an agent run in the execution log. */
  recordRun(event: RunRecord): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What the execution log keeps of an agent run. */
export type RunRecord =
  | { readonly kind: "run.start"; readonly run: string; readonly model: string }
  | { readonly kind: "run.end"; readonly run: string; readonly stop: string };

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Who calls, when it is not the agent of the cell. */
  readonly agentId?: string;
  /**
   * Called with the output of a command while it runs, and with the progress of a long search. If it throws, the process
   * warns and the call goes on.
   */
  readonly onEvent?: (event: CallEvent) => void;
  /** Directories in the project, relative to it, to which the call keeps. Then tools that run commands are refused. @default the project */
  readonly roots?: readonly string[];
  /** Where tools that ask the model are counted. */
  readonly spending?: ModelSpending;
}

export interface ExecOptions extends CallOptions {
  /** A directory of the workspace; its root when left out. */
  readonly cwd?: string;
  /** Its input and output are this process's own, and it may take its time. */
  readonly attached?: boolean;
  /** The same with a terminal of its own, connected with this process's terminal: nothing in the sandbox reaches the latter. */
  readonly terminal?: boolean;
}

export async function openCell(options: CellOptions): Promise<Cell> {
  checkOptions(options);
  const { timeoutMs = LIMITS.toolTimeoutMs } = options;
  checkSurroundings(options);
  const { observationBytes = LIMITS.observationBytes } = options.limits ?? {};
  const limitsOf = limitsBy(options, observationBytes);
  const { http, search, allowedPrivateHosts, close: closeClients } = createNetworkClients(options);
  const toolsAndPolicy = await createToolsAndPolicy(options);
  const { onProgress } = options;
  const watched = onProgress && { onProgress: warnIfThrows("onProgress", onProgress) };
  const files = await openFiles({ ...options, ...watched }, toolsAndPolicy.protectionOf);
  const { workspace } = files;
  const filesystems = closeOnFailure(
    () => files.close(true),
    () => openToolFilesystems(options, files, toolsAndPolicy.protectionOf),
  );
  const closeFiles = (isUnused: boolean) => {
    filesystems.close();
    files.close(isUnused);
  };
  const log = closeOnFailure(
    () => closeFiles(true),
    () => openLogOf(files, secretsOf(options)),
  );
  const artifacts = createArtifactFiles(artifactsIn(dirname(dirname(log.file))));
  const session = files.session && recordOperations(files.session, log.event);
  const sessionKit = session && createSessionKit(session, files, toolsAndPolicy.protectionOf, options);
  const closeKept = (isUnused: boolean) => {
    try {
      artifacts.close();
      log.close();
    } finally {
      closeFiles(isUnused);
    }
  };
  const commandView = closeOnFailure(
    () => closeKept(true),
    () =>
      openCommandView(files, toolsAndPolicy.protectionOf, {
        storage: options.storage,
        home: options.home ?? null,
        hasReadOnly: (options.protect?.readonly ?? []).length > 0,
      }),
  );
  const user = options.userToolchains
    ? findUserToolchains({ env: process.env, home: homedir() })
    : NO_TOOLCHAINS;
  const remembered = openRemembered(files.stateDir);
  const gate = createNetworkGate({
    policy: toolsAndPolicy.policy,
    approve: options.onAsk ?? null,
    log,
    allowedPrivateHosts,
    isDirect: options.toolAllowDirectNetwork ?? false,
    asker: {
      agentId: options.agentId ?? null,
      session: session?.record.id ?? null,
      project: workspace.root,
    },
    remembered,
  });
  const offline = gate.hasGrants || gate.isDirect ? {} : OFFLINE_ENV;
  const shield = openShield({
    commandView,
    toolchains: {
      named: options.toolchains ?? [],
      user: { ...user, directories: [...user.directories, ...(options.readable ?? [])] },
    },
    env: { ...offline, ...user.env, ...options.env },
    gate,
  });
  const processes = createProcesses(observationBytes);
  const limits = { ...DEFAULT_LIMITS, ...withoutUndefined(options.limits ?? {}) };
  const commandsFor = createCommandsFor({ shield, commandView, processes, workspace, log, limits, gate });
  const guests = openGuests({
    maxTimeoutMs: timeoutMs,
    maxMemoryMiB: options.toolMemoryMb ?? LIMITS.toolMemoryMiB,
    processes: options.guestProcesses ?? LIMITS.guestProcesses,
    judgeHost: (target) => judgeNetwork(target, toolsAndPolicy.policy),
    ...(options.deterministic && { keepRecording: log.recording }),
  });
  const parts: CallParts = {
    ...toolsAndPolicy,
    filesystemOf: (tool, paths) => artifacts.find(paths) ?? filesystems.of(tool),
    approve: options.onAsk ?? null,
    remembered,
    project: workspace.root,
    runner: createBuiltinRunner({
      model: options.model ?? null,
      modelAccess: options.modelAccess ?? [],
      clock: () => new Date(),
      commandsFor,
      guestsFor: guests.guestsFor,
      limitsOf,
      http,
      search,
      session: sessionKit,
      kv: session?.kv ?? null,
    }),
    session: sessionKit,
    runInContext: session === null ? createHostRun() : createSessionRun(session),
    log,
    agentId: options.agentId ?? null,
    timeoutMs,
    cell: { ...namesOf(session), isolation: "none" },
    observationBytes,
    newId: () => `call_${randomUUID()}`,
    now: () => performance.now(),
  };
  return makeCell(parts, session, processes, async (isUnused) => {
    try {
      await closeClients();
      await guests.close();
      await shield.close();
      gate.close();
      await commandView.close();
    } finally {
      closeKept(isUnused);
    }
  });
}

/** What would otherwise fail with the first command, and be said by another program. */
function checkSurroundings({ toolchains = [], readable = [], home, env = {} }: CellOptions): void {
  for (const [index, at] of toolchains.entries()) checkVisible(`toolchains[${index}]`, at);
  for (const [index, at] of readable.entries()) checkVisible(`readable[${index}]`, at);
  if (home !== undefined && (!isAbsolute(home) || !existsSync(`${home}/.`)))
    throw wrongOption("home", home, "the whole path of a directory that is there");
  const wrong = Object.keys(env).find((name) => !/^[^=\0]+$/.test(name));
  if (wrong !== undefined)
    throw wrongOption("a name in env", wrong, 'one that is not empty and has no "=" and no NUL');
  for (const [name, value] of Object.entries(env))
    if (typeof value !== "string" || value.includes("\0"))
      throw wrongOption(`env.${name}`, value, "text without NUL");
}

function checkVisible(name: string, at: string): void {
  if (!isAbsolute(at) || !existsSync(`${at}/.`))
    throw wrongOption(name, at, "the whole path of a directory that is there");
  const fault = findPlaceFault(realpathSync(at));
  if (fault !== null) throw wrongOption(name, at, `a directory that commands can see, and ${fault}`);
}

function secretsOf({ secrets = [], webSearch }: CellOptions): string[] {
  return [...secrets, ...(webSearch?.braveApiKey === undefined ? [] : [webSearch.braveApiKey])];
}

/** The cell is the only writer of its log until it is closed. */
function openLogOf({ session, stateDir, run }: Files, secrets: readonly string[]): Log {
  return session === null
    ? openFreeLog(stateDir, run, secrets)
    : openLog({ ...runPaths(stateDir, run), secrets });
}

function limitsBy(
  { agents = {} }: CellOptions,
  observationBytes: number,
): (agentId: string | null) => ToolLimits {
  const byId = new Map(Object.entries(agents));
  for (const [id, limits] of byId) checkFileLimits(id, limits);
  const givenTo = (agentId: string | null) => (agentId === null ? {} : (byId.get(agentId) ?? {}));
  return (agentId) => ({ ...LIMITS.mounts, ...withoutUndefined(givenTo(agentId)), observationBytes });
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

function namesOf(session: Session | null): Pick<Meta, "session" | "strategy" | "mountsNotShown"> {
  if (session === null) return { session: null, strategy: "host" };
  const { id, strategy, workspace } = session.record;
  const mounts = listMounts(workspace);
  return { session: id, strategy, ...(mounts.length > 0 && { mountsNotShown: mounts.map(showName) }) };
}

/** A person's own command needs no approval. */
const FOR_PERSONS = { toolsets: [], tools: [exec], trust: "autonomous" } as const;

const CALL_OPTIONS: OptionSchemas<CallOptions> = {
  signal: null,
  agentId: TEXT,
  onEvent: null,
  roots: TEXTS,
  spending: { type: "object" },
};
const EXEC_OPTIONS: OptionSchemas<ExecOptions> = {
  ...CALL_OPTIONS,
  cwd: TEXT,
  attached: BOOLEAN,
  terminal: BOOLEAN,
};

const OBJECT: Schema = { type: "object" };
const RUN_RECORD: Schema = {
  type: "object",
  required: ["kind", "run"],
  properties: {
    kind: { type: "string", enum: ["run.start", "run.end"] },
    run: TEXT,
    model: TEXT,
    stop: TEXT,
  },
};

function forCall(parts: CallParts, { onEvent, agentId, spending, roots }: CallOptions): CallParts {
  return {
    ...parts,
    ...(agentId !== undefined && { agentId }),
    ...(roots !== undefined && { roots }),
    ...(onEvent && { onEvent: warnIfThrows("onEvent", onEvent) }),
    ...(spending && { spending }),
  };
}

function makeCell(
  parts: CallParts,
  session: Session | null,
  processes: Processes,
  end: (isUnused: boolean) => Promise<void>,
): Cell {
  let open = true;
  let closed = Promise.resolve();
  const active = new AbortController();
  const running = new Set<Promise<unknown>>();

  const refuseClosed = () => {
    if (!open)
      throw new HotcellError(
        "WORKSPACE_UNUSABLE",
        "Could not do that: the cell is closed. Open another one; with its session it goes on where this one ended.",
      );
  };
  const track = async <T>(work: (signal: AbortSignal) => Promise<T>, { signal }: CallOptions): Promise<T> => {
    refuseClosed();
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
  const checked = async <T>(
    types: OptionSchemas<CallOptions>,
    options: CallOptions,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    checkTypes(options, "run the call", types);
    return track(work, options);
  };
  const endAll = async () => {
    active.abort();
    await Promise.allSettled(running);
    await processes.stopAll();
    // A cancelled call may still be running. The session stays locked until the call has ended.
    const isUnused = session === null ? false : session.isUnused().catch(() => false);
    await end(await Promise.race([isUnused, setTimeout(LIMITS.closeWaitMs, false, { ref: false })]));
    // libsql gives up the file of a closed database only now.
    await setImmediate();
  };
  /** The first caller gets errors; further callers only wait. */
  const close = () => {
    if (!open) return closed.catch(() => {});
    open = false;
    closed = endAll();
    return closed;
  };
  return {
    // Which shape the observation has depends on the tool: here the compiler can't know it.
    call: ((request: CallRequest | ProviderCall | string, options: CallOptions = {}) =>
      checked(CALL_OPTIONS, options, (signal) =>
        runCall(request, forCall(parts, options), signal),
      )) as Cell["call"],
    callBatch: <Shape extends AnyObservation>(
      requests: readonly (CallRequest | ProviderCall | string)[],
      options: CallOptions = {},
    ) =>
      checked(
        CALL_OPTIONS,
        options,
        (signal) => runBatch(requests, forCall(parts, options), signal) as Promise<Shape[]>,
      ),
    exec: (argv, options = {}) =>
      checked(EXEC_OPTIONS, options, async (signal) => {
        const { cwd, attached, terminal } = options;
        const own = { ...forCall(parts, options), ...(await createToolsAndPolicy(FOR_PERSONS)) };
        const args = {
          argv,
          ...(cwd !== undefined && { cwd }),
          ...(attached && { attached }),
          ...(terminal && { terminal }),
        };
        const observation = await runCall({ name: exec.name, arguments: args }, own, signal);
        return observation as ToolObservation<"exec", CommandOutput>;
      }),
    tools: (format) => toolDefinitions(parts.registry.list(parts.scope), format),
    explain(tool, args = {}) {
      refuseClosed();
      checkArgument("explain the call", "tool", tool, TEXT);
      checkArgument("explain the call", "args", args, OBJECT);
      return explainCall(tool, args, parts);
    },
    processes,
    ...createSessionApi(session, track),
    kv: createKvApi(session, track),
    session: session?.record.id ?? null,
    logFile: parts.log.file,
    agentDir: agentDirOf(parts.log.file),
    recordRun(event) {
      refuseClosed();
      checkArgument("record the run", "event", event, RUN_RECORD);
      const { kind, ...fields } = event;
      parts.log.event(kind, fields);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
