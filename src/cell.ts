// openCell: the only place where all parts meet. It owns their lifetime.
import { randomUUID } from "node:crypto";
import type { Approve } from "./approval/approve.ts";
import { runBatch } from "./call/batch.ts";
import type { CallParts } from "./call/call-parts.ts";
import { decide } from "./call/decide.ts";
import { lookUp } from "./call/prepare.ts";
import { runCall } from "./call/run-call.ts";
import { defaultStateDir } from "./config/load-config.ts";
import { HotcellError } from "./core/errors.ts";
import type { Json, JsonObject } from "./core/json.ts";
import { LIMITS } from "./core/limits.ts";
import { quote } from "./core/quote.ts";
import {
  type CallRequest,
  type Observation,
  type RuleOrigin,
  TRUST_LEVELS,
  type TrustLevel,
  type Verdict,
} from "./core/words.ts";
import { type Log, openLog } from "./log/log.ts";
import { runPaths } from "./log/runs.ts";
import { type Judged, judge } from "./policy/judge.ts";
import { createProtection, type ProtectOptions } from "./policy/protected.ts";
import { parseRules } from "./policy/rule.ts";
import type { ToolScope } from "./policy/scope.ts";
import { findTool, KNOWN_TOOLS, type KnownTool } from "./policy/tool-names.ts";
import { createBuiltinRunner } from "./runners/builtin.ts";
import { BUILTIN_TOOLS } from "./tools/builtin-tools.ts";
import type { Tool } from "./tools/define-tool.ts";
import { toolDefinitions, type WireFormat } from "./tools/definitions.ts";
import { createRegistry, type Registry } from "./tools/registry.ts";
import { createValidator } from "./tools/validate.ts";
import { openHostWorkspace, workspaceKey } from "./workspace/host.ts";
import { openStateDir } from "./workspace/state-dir.ts";
import type { WorkspaceFS } from "./workspace/workspace-fs.ts";

export interface CellOptions {
  /** The project's directory. */
  readonly workspace: string;
  readonly fs?: "host" | "overlay" | "agentfs";
  readonly toolsets?: readonly string[];
  /** Tools of your own, made with `defineTool`. */
  readonly tools?: readonly Tool[];
  readonly trust?: TrustLevel;
  readonly rules?: readonly (string | RuleOrigin)[];
  /** Asked when a rule or the trust level says so. Without it such calls are denied. */
  readonly approve?: Approve;
  readonly stateDir?: string;
  /** Which tools, paths and times the caller has; all when left out. */
  readonly scope?: ToolScope | null;
  readonly agentId?: string;
  readonly protect?: ProtectOptions;
  /** Values that must not appear in the log. */
  readonly secrets?: readonly string[];
  /** The longest one call may take, unless its tool or the scope says otherwise. */
  readonly timeoutMs?: number;
}

export interface Cell {
  /** The whole life of one call. Never rejects for what a call does: the observation says how it ended. */
  call(request: CallRequest | string, options?: CallOptions): Promise<Observation>;
  /** The calls of one model turn; results in the order of the calls. */
  callBatch(requests: readonly (CallRequest | string)[], options?: CallOptions): Promise<Observation[]>;
  tools(format: WireFormat): Json[];
  /** What would be decided of a call, and by which rule. Nothing is run or logged. */
  explain(tool: string, args: JsonObject): Verdict;
  readonly logFile: string;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export async function openCell(options: CellOptions): Promise<Cell> {
  refuseUnbuilt(options.fs);
  refuseWrongOptions(options);
  const tools = [...builtinTools(options.toolsets ?? ["sidecar"]), ...(options.tools ?? [])];
  const registry = createFilledRegistry(tools);
  const validate = await createValidator(tools);
  const protectionOf = createProtection(options.protect);
  const rules = parseRules((options.rules ?? []).map(toOrigin), tools);
  const stateDir = openStateDir(options.stateDir ?? defaultStateDir(process.env), options.workspace);
  const workspace = openHostWorkspace({ workspace: options.workspace, stateDir, protectionOf });
  const log = openLogOf(workspace, stateDir, options.secrets ?? []);
  const parts: CallParts = {
    registry,
    validate,
    policy: { trust: options.trust ?? "guided", rules },
    protectionOf,
    workspace,
    scope: options.scope ?? null,
    approve: options.approve ?? null,
    runner: createBuiltinRunner({ workspace, clock: () => new Date() }),
    log,
    agentId: options.agentId ?? null,
    timeoutMs: options.timeoutMs ?? LIMITS.toolTimeoutMs,
    cell: { session: null, strategy: "host", isolation: "none" },
    newId: () => `call_${randomUUID()}`,
    now: () => performance.now(),
  };
  return makeCell(parts, () => {
    try {
      log.close();
    } finally {
      workspace.close();
    }
  });
}

/** Modes that a later version has: never a silent step down to another. */
function refuseUnbuilt(mode: CellOptions["fs"] = "host"): void {
  if (mode === "host") return;
  throw new HotcellError(
    "NOT_SUPPORTED",
    `Could not open the cell with fs ${quote(mode)}: this version has "host" only.`,
  );
}

/** Callers without a compiler make mistakes too: a trust level that is none must not mean that nothing is asked. */
function refuseWrongOptions({ trust = "guided", timeoutMs = 1 }: CellOptions): void {
  if (!TRUST_LEVELS.includes(trust)) throw wrongOption("trust", trust, TRUST_LEVELS.map(quote).join(", "));
  if (!(timeoutMs > 0)) throw wrongOption("timeoutMs", timeoutMs, "a number above zero");
}

function wrongOption(name: string, value: unknown, allowed: string): HotcellError {
  const message = `Could not open the cell: ${name} is ${quote(value)}; allowed is ${allowed}.`;
  return new HotcellError("CONFIG_INVALID", message);
}

function builtinTools(toolsets: readonly string[]): Tool[] {
  const known = [...new Set(BUILTIN_TOOLS.map(({ toolset }) => toolset))];
  const unknown = toolsets.find((toolset) => !known.includes(toolset));
  if (unknown !== undefined) {
    throw new HotcellError(
      "CONFIG_INVALID",
      `Could not load the toolset ${quote(unknown)}: allowed are ${known.map(quote).join(", ")}.`,
    );
  }
  return BUILTIN_TOOLS.filter(({ toolset }) => toolsets.includes(toolset));
}

function createFilledRegistry(tools: readonly Tool[]): Registry {
  const registry = createRegistry();
  for (const tool of tools) registry.register(tool);
  return registry;
}

function toOrigin(rule: string | RuleOrigin): RuleOrigin {
  return typeof rule === "string" ? { text: rule, source: "options" } : rule;
}

/** A log for each workspace: every cell on it, in whatever process, goes on with the same chain. */
function openLogOf(workspace: WorkspaceFS, stateDir: string, secrets: readonly string[]): Log {
  try {
    return openLog({ ...runPaths(stateDir, `host-${workspaceKey(workspace.root)}`), secrets });
  } catch (error) {
    workspace.close();
    throw error;
  }
}

function makeCell(parts: CallParts, end: () => void): Cell {
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
    end();
  };
  return {
    call: (request, options) => track((signal) => runCall(request, parts, signal), options),
    callBatch: (requests, options) => track((signal) => runBatch(requests, parts, signal), options),
    tools: (format) => toolDefinitions(parts.registry.list(parts.scope), format),
    explain: (tool, args) => explain(tool, args, parts),
    logFile: parts.log.file,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Also for tools that a rule may name before this version has them. */
function explain(name: string, args: JsonObject, parts: CallParts): Verdict {
  const later = parts.registry.get(name) === undefined ? findTool(name, KNOWN_TOOLS) : undefined;
  if (later !== undefined) return judge(judgedByName(later, args), parts.policy);
  const tool = lookUp(name, parts);
  const valid = parts.validate(tool, args).arguments;
  try {
    return decide(tool, valid, parts).verdict;
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    return { decision: "deny", rule: { text: error.code, source: "built-in" }, reason: error.message };
  }
}

function judgedByName({ name, subject, danger }: KnownTool, args: JsonObject): Judged {
  const given = subject === "none" ? undefined : args[subject];
  const effect = danger === "safe" ? "read" : "change";
  return {
    tool: name,
    danger,
    effect,
    subjects: typeof given === "string" ? [given] : [],
    protection: "none",
  };
}
