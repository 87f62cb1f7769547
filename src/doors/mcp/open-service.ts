// What the MCP servers of a process share, on stdio and over HTTP.
import { randomBytes } from "node:crypto";
import type { Approve } from "../../approval/approve.ts";
import { openPreview } from "../../call/tools-and-policy.ts";
import type { CellOptions } from "../../cell.ts";
import { defaultStateDir } from "../../config/load-config.ts";
import type { McpDefinition } from "../../tools/definitions.ts";
import { createStates, type ServerParts } from "./create-server.ts";
import { createOpenCalls } from "./open-calls.ts";

export interface McpService
  extends Pick<ServerParts, "tools" | "project" | "usesFiles" | "calls" | "states"> {
  /** For the cells of the service. */
  readonly cellOptions: CellOptions;
  readonly stateDir: string;
}

/** Opens no session. */
export async function openMcpService(
  options: Omit<CellOptions, "onAsk">,
  limitQuestions?: (ask: Approve) => Approve,
): Promise<McpService> {
  const stateDir = options.stateDir ?? defaultStateDir(process.env);
  const preview = await openPreview(options);
  const calls = createOpenCalls(stateDir, limitQuestions);
  try {
    return {
      tools: preview.tools("mcp") as McpDefinition[],
      project: preview.root,
      usesFiles: preview.usesFiles,
      calls,
      states: createStates(randomBytes(32)),
      cellOptions: { ...options, onAsk: calls.onAsk },
      stateDir,
    };
  } finally {
    preview.close();
  }
}
