// The ToolHost runs the tool calls of an engine that has its own agent loop. Each run of the engine is a kept cell.
import {
  BOOLEAN,
  checkArgument,
  checkOptions,
  checkTypes,
  NAME,
  OPTION_NAMES,
  type OptionSchemas,
  refuseUnknownKeys,
  TEXT,
} from "../call/check-options.ts";
import type { Cell, CellOptions } from "../cell.ts";
import { type KeptCell, keepCell } from "../cells.ts";
import type { Schema } from "../config/schema.ts";
import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import { tryRealPath } from "../core/real-path.ts";
import type { CallEvent, MountsObservation } from "../core/types.ts";
import { permits } from "../policy/scope.ts";
import { BUILTIN_TOOLS } from "../tools/builtin-tools.ts";
import { codingRunCommand } from "../tools/coding/run-command.ts";
import type { Tool } from "../tools/define-tool.ts";
import { toolDefinitions } from "../tools/definitions.ts";
import { mountsObservation } from "../tools/mounts/observation.ts";
import type { ToolResult } from "../tools/mounts/results.ts";

/** Options of a cell that the tool host or the run decides. */
const DECIDED_BY_HOST = ["workspace", "session", "run", "database", "toolsets", "agentId"] as const;

export interface ToolHostOptions extends Omit<CellOptions, (typeof DECIDED_BY_HOST)[number] | "mounts"> {
  /** Where a package is: mounted as `@pkg`, read-only. Without it, or when it gives null, there is no `@pkg`. */
  readonly packageDir?: (packageId: string) => string | null;
  /** More mounts, by name. */
  readonly mounts?: CellOptions["mounts"];
  /**
   * Also offer `run_command`, on the files of `@project`.
   * @default false
   */
  readonly commands?: boolean;
}

const OWN_OPTIONS: OptionSchemas<Pick<ToolHostOptions, Exclude<keyof ToolHostOptions, keyof CellOptions>>> = {
  packageDir: null,
  commands: BOOLEAN,
};

/** With the results of the other tools of a tool host: `{ ok: true, exit_code, stdout, … }`. */
const COMMAND_TOOL: Tool = { ...codingRunCommand, toolset: "mounts" };
const OPTIONS_OF_HOST = [
  ...Object.keys(OWN_OPTIONS),
  ...OPTION_NAMES.filter((name) => !DECIDED_BY_HOST.some((decided) => decided === name)),
];

export interface RunContext {
  readonly projectRoot: string;
  readonly packageId: string;
  readonly runId: string;
}

export interface HostToolCall {
  readonly toolCallId: string;
  readonly name: string;
  readonly argumentsJson: string;
}

export interface ToolCallContext {
  readonly context: RunContext & { readonly agentId: string };
  readonly signal?: AbortSignal;
  /** Called with the output of a command while it runs, and with the progress of a long search. */
  readonly onEvent?: (event: CallEvent) => void;
}

export interface ToolCallParams extends HostToolCall, ToolCallContext {}

export interface ToolCallsParams extends ToolCallContext {
  /** The calls of one turn of the model. */
  readonly calls: readonly HostToolCall[];
}

/** A tool definition in the format of OpenAI's API, which many others share. */
export interface OpenAIFunctionTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    /** The JSON Schema of its arguments. */
    readonly parameters: JsonObject;
  };
}

/** A run holds its session while it has calls or background processes, and for a minute after. */
export interface ToolHost {
  getVisibleTools(context: { readonly packageId: string; readonly agentId: string }): OpenAIFunctionTool[];
  /** Rejects for bugs only: that a run can't be opened is a result too. It is safe to stringify. */
  executeToolCall(params: ToolCallParams): Promise<ToolResult>;
  /** The calls of one turn as a batch: all questions at once, reads in parallel, changes in order. Results in the order of the calls. */
  executeToolCalls(params: ToolCallsParams): Promise<ToolResult[]>;
  /**
   * The cell of a run: to see its changes, and to commit them. It stays open until `endRun`, or until you close it; the
   * next call opens the session again.
   */
  cellOf(context: RunContext): Promise<Cell>;
  /** Closes the cell of a run after the calls that it has; a later call opens it again, on the same session. */
  endRun(context: Pick<RunContext, "projectRoot" | "runId">): Promise<void>;
  close(): Promise<void>;
}

export function createToolHost(options: ToolHostOptions): ToolHost {
  checkHostOptions(options);
  const { tools = [], scope = null } = options;
  const builtin = BUILTIN_TOOLS.filter(({ toolset }) => toolset === "mounts");
  const offered = [...builtin, ...(options.commands === true ? [COMMAND_TOOL] : []), ...tools];
  const visible = offered.filter((tool) => tool.listed && permits(scope, tool.name));
  const runs = new Map<string, Run>();
  let open = true;

  const runOf = (context: RunContext): Run => {
    if (!open)
      throw new HotcellError("WORKSPACE_UNUSABLE", "Could not run the call: the tool host is closed.");
    const key = keyOf(context);
    const run = runs.get(key) ?? createRun(cellOptions(options, context), context.packageId);
    if (run.packageId !== context.packageId) throw ofAnotherPackage(context.runId, run.packageId);
    run.isEnded = false;
    runs.set(key, run);
    return run;
  };
  const executeToolCalls = async (params: ToolCallsParams): Promise<ToolResult[]> => {
    checkArgument("run the calls", "params", params, CALLS_PARAMS);
    const { calls, context, signal, onEvent } = params;
    try {
      const run = runOf(context);
      const requests = calls.map(({ toolCallId: id, name, argumentsJson }) => ({
        id,
        name,
        arguments: argumentsJson,
      }));
      const how = { agentId: context.agentId, ...(signal && { signal }), ...(onEvent && { onEvent }) };
      const observations = await tracked(run.calls, () =>
        run.kept.use((cell) => cell.callBatch<MountsObservation>(requests, how)),
      );
      return observations.map(({ meta: _, ...result }) => result as ToolResult);
    } catch (error) {
      const result = unopened(error);
      return calls.map(() => result);
    }
  };
  return {
    getVisibleTools: () => toolDefinitions(visible, "openai") as unknown as OpenAIFunctionTool[],
    async executeToolCall(params) {
      checkArgument("run the call", "params", params, CALL_PARAMS);
      const { toolCallId, name, argumentsJson, ...others } = params;
      const calls = [{ toolCallId, name, argumentsJson }];
      return (await executeToolCalls({ calls, ...others }))[0]!;
    },
    executeToolCalls,
    async cellOf(context) {
      checkArgument("open the cell of the run", "context", context, CONTEXT);
      return lend(runOf(context));
    },
    async endRun(context) {
      checkArgument("end the run", "context", context, objectWith({ projectRoot: NAME, runId: NAME }));
      const key = keyOf(context);
      const run = runs.get(key);
      if (run === undefined) return;
      run.isEnded = true;
      run.loan?.end();
      while (run.calls.size > 0) await Promise.allSettled(run.calls);
      if (run.loan === null) await run.kept.release();
      if (run.isEnded) runs.delete(key);
    },
    async close() {
      open = false;
      const closed = await Promise.allSettled([...runs.values()].map(({ kept }) => kept.close()));
      const failed = closed.find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
    },
  };
}

/** An object that may have more members than these. */
function objectWith(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: "object", required: Object.keys(properties), properties, additionalProperties: {} };
}

const CONTEXT = objectWith({ projectRoot: NAME, packageId: TEXT, runId: NAME });
/** What the model wrote of a call is checked with the call: an error in it is a result. */
const CALL_PARAMS = objectWith({ context: objectWith({ ...CONTEXT.properties, agentId: TEXT }) });
const CALLS_PARAMS = objectWith({
  ...CALL_PARAMS.properties,
  calls: { type: "array", items: { type: "object" } },
});

function checkHostOptions(options: ToolHostOptions): void {
  const action = "create the tool host";
  refuseUnknownKeys(options, { known: OPTIONS_OF_HOST, action });
  const { packageDir, commands, ...cell } = options;
  checkTypes({ packageDir, commands }, action, OWN_OPTIONS);
  checkOptions(cell as CellOptions, action);
}

interface Run {
  readonly packageId: string;
  readonly kept: KeptCell;
  /** Under way. */
  readonly calls: Set<Promise<unknown>>;
  loan: Loan | null;
  /** A later call continues it. */
  isEnded: boolean;
}

/** What `cellOf` gave: a use of the kept cell that lasts until its end. */
interface Loan {
  readonly cell: Promise<Cell>;
  readonly end: () => void;
}

function createRun(options: CellOptions, packageId: string): Run {
  return { packageId, kept: keepCell(options), calls: new Set(), loan: null, isEnded: false };
}

function lend(run: Run): Promise<Cell> {
  run.loan ??= createLoan(run);
  return run.loan.cell;
}

function createLoan(run: Run): Loan {
  let giveBack = () => {};
  const ended = new Promise<void>((resolve) => {
    giveBack = resolve;
  });
  const end = () => {
    if (run.loan === loan) run.loan = null;
    giveBack();
  };
  let closed = Promise.resolve();
  const close = () => {
    // Later, the cell of the run may be another one.
    if (run.loan === loan) closed = run.kept.release();
    end();
    return closed;
  };
  const cell = new Promise<Cell>((resolve, reject) => {
    const use = (opened: Cell) => {
      resolve({ ...opened, close, [Symbol.asyncDispose]: close });
      return ended;
    };
    run.kept.use(use).catch((error: unknown) => {
      end();
      reject(error);
    });
  });
  const loan: Loan = { cell, end };
  return loan;
}

async function tracked<T>(calls: Set<Promise<unknown>>, work: () => Promise<T>): Promise<T> {
  const call = work();
  calls.add(call);
  try {
    return await call;
  } finally {
    calls.delete(call);
  }
}

/** The same project by another spelling is the same. */
function keyOf({ projectRoot, runId }: Pick<RunContext, "projectRoot" | "runId">): string {
  return JSON.stringify([tryRealPath(projectRoot) ?? projectRoot, runId]);
}

function ofAnotherPackage(runId: string, packageId: string): HotcellError {
  const message = `Could not run the call: the run ${quote(runId)} belongs to the package ${quote(packageId)}. Use separate runs for each package.`;
  return new HotcellError("INVALID_ARGUMENTS", message);
}

/** No call ran, so the log has no record of it. */
function unopened(error: unknown): ToolResult {
  if (!(error instanceof HotcellError)) throw error;
  const { code, message } = error;
  return mountsObservation({ ok: false, error: { code, message } }) as ToolResult;
}

function cellOptions(
  { packageDir, mounts, commands = false, ...options }: ToolHostOptions,
  { projectRoot, packageId, runId }: RunContext,
): CellOptions {
  const pkg = packageDir?.(packageId) ?? null;
  return {
    ...options,
    workspace: projectRoot,
    run: runId,
    toolsets: ["mounts"],
    tools: [...(commands ? [COMMAND_TOOL] : []), ...(options.tools ?? [])],
    mounts: { ...mounts, ...(pkg !== null && { pkg: { path: pkg } }) },
  };
}
