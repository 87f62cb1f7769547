// The ToolHost: what an engine with a loop of its own hands its tool calls to. Each run of the engine is a cell.
import fs from "node:fs";
import { type Cell, type CellOptions, openCell } from "../cell.ts";
import { HotcellError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import type { MountsObservation } from "../core/words.ts";
import { permits } from "../policy/scope.ts";
import { BUILTIN_TOOLS } from "../tools/builtin-tools.ts";
import { toolDefinitions } from "../tools/definitions.ts";
import { mountsObservation } from "../tools/mounts/observation.ts";
import type { ToolResult } from "../tools/mounts/results.ts";

export interface ToolHostOptions
  extends Omit<CellOptions, "workspace" | "session" | "run" | "toolsets" | "agentId" | "mounts"> {
  /** Where a package is: mounted as `@pkg`, read-only. Without it, or when it gives null, there is no `@pkg`. */
  readonly packageDir?: (packageId: string) => string | null;
  /** More mounts, by name. */
  readonly mounts?: CellOptions["mounts"];
}

export interface RunContext {
  readonly projectRoot: string;
  readonly packageId: string;
  readonly runId: string;
}

export interface ToolCallParams {
  readonly toolCallId: string;
  readonly name: string;
  readonly argumentsJson: string;
  readonly context: RunContext & { readonly agentId: string };
  readonly signal?: AbortSignal;
}

export interface ToolHost {
  /** In OpenAI's form. */
  getVisibleTools(context: { readonly packageId: string; readonly agentId: string }): Json[];
  /** Rejects for bugs only: that a run can't be opened is a result too. It is safe to stringify. */
  executeToolCall(params: ToolCallParams): Promise<ToolResult>;
  /** The cell of a run: to see its changes, and to commit them. */
  cellOf(context: RunContext): Promise<Cell>;
  close(): Promise<void>;
}

export function createToolHost(options: ToolHostOptions): ToolHost {
  const { tools = [], scope = null } = options;
  const builtin = BUILTIN_TOOLS.filter(({ toolset }) => toolset === "mounts");
  const visible = [...builtin, ...tools].filter((tool) => tool.listed && permits(scope, tool.name));
  const runs = new Map<string, Run>();
  let open = true;
  const cellOf = async (context: RunContext): Promise<Cell> => {
    if (!open)
      throw new HotcellError("WORKSPACE_UNUSABLE", "Could not run the call: the tool host is closed.");
    const { packageId, runId } = context;
    const key = JSON.stringify([realPathOf(context.projectRoot), runId]);
    const known = runs.get(key);
    if (known !== undefined && known.packageId !== packageId) throw ofAnotherPackage(runId, known.packageId);
    const run = known ?? { packageId, cell: openCell(cellOptions(options, context)) };
    runs.set(key, run);
    run.cell.catch(() => runs.delete(key));
    return run.cell;
  };
  return {
    getVisibleTools: () => toolDefinitions(visible, "openai"),
    async executeToolCall({ toolCallId, name, argumentsJson, context, signal }) {
      try {
        const cell = await cellOf(context);
        const { meta: _, ...result } = await cell.call<MountsObservation>(
          { id: toolCallId, name, arguments: argumentsJson },
          { agentId: context.agentId, ...(signal && { signal }) },
        );
        return result as ToolResult;
      } catch (error) {
        return unopened(error);
      }
    },
    cellOf,
    async close() {
      open = false;
      const opened = await Promise.allSettled([...runs.values()].map(({ cell }) => cell));
      runs.clear();
      for (const cell of opened) if (cell.status === "fulfilled") await cell.value.close();
    },
  };
}

interface Run {
  readonly packageId: string;
  readonly cell: Promise<Cell>;
}

/** The same project by another spelling is the same. */
function realPathOf(projectRoot: string): string {
  try {
    return fs.realpathSync(projectRoot);
  } catch {
    return projectRoot;
  }
}

function ofAnotherPackage(runId: string, packageId: string): HotcellError {
  const message = `Could not run the call: the run ${quote(runId)} is one of the package ${quote(packageId)}. Give each package runs of its own.`;
  return new HotcellError("INVALID_ARGUMENTS", message);
}

/** No call was made of it, so no log tells of it either. */
function unopened(error: unknown): ToolResult {
  if (!(error instanceof HotcellError)) throw error;
  const { code, message } = error;
  return mountsObservation({ ok: false, error: { code, message } }) as ToolResult;
}

function cellOptions(
  { packageDir, mounts, ...options }: ToolHostOptions,
  { projectRoot, packageId, runId }: RunContext,
): CellOptions {
  const pkg = packageDir?.(packageId) ?? null;
  return {
    ...options,
    workspace: projectRoot,
    run: runId,
    toolsets: ["mounts"],
    mounts: { ...mounts, ...(pkg !== null && { pkg: { path: pkg } }) },
  };
}
