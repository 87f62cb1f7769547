// 002's ToolHost: what an engine written to it hands its tool calls to. Each run of the engine is a cell.
import { type Cell, type CellOptions, openCell } from "../cell.ts";
import type { Json } from "../core/json.ts";
import type { MountsObservation } from "../core/words.ts";
import { permits } from "../policy/scope.ts";
import { BUILTIN_TOOLS } from "../tools/builtin-tools.ts";
import { toolDefinitions } from "../tools/definitions.ts";
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
  /** Never rejects for what a call does; the result is safe to stringify. */
  executeToolCall(params: ToolCallParams): Promise<ToolResult>;
  /** The cell of a run: to see its changes, and to commit them. */
  cellOf(context: RunContext): Promise<Cell>;
  close(): Promise<void>;
}

export function createToolHost(options: ToolHostOptions): ToolHost {
  const { tools = [], scope = null } = options;
  const builtin = BUILTIN_TOOLS.filter(({ toolset }) => toolset === "mounts");
  const visible = [...builtin, ...tools].filter((tool) => tool.listed && permits(scope, tool.name));
  const cells = new Map<string, Promise<Cell>>();
  const cellOf = (context: RunContext): Promise<Cell> => {
    const { projectRoot, packageId, runId } = context;
    const key = JSON.stringify([projectRoot, packageId, runId]);
    const known = cells.get(key);
    if (known !== undefined) return known;
    const opened = openCell(cellOptions(options, context));
    cells.set(key, opened);
    opened.catch(() => cells.delete(key));
    return opened;
  };
  return {
    getVisibleTools: () => toolDefinitions(visible, "openai"),
    async executeToolCall({ toolCallId, name, argumentsJson, context, signal }) {
      const cell = await cellOf(context);
      const { meta: _, ...result } = await cell.call<MountsObservation>(
        { id: toolCallId, name, arguments: argumentsJson },
        { agentId: context.agentId, ...(signal && { signal }) },
      );
      return result as ToolResult;
    },
    cellOf,
    async close() {
      const opened = await Promise.allSettled(cells.values());
      cells.clear();
      for (const cell of opened) if (cell.status === "fulfilled") await cell.value.close();
    },
  };
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
