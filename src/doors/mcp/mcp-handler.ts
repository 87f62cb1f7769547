// Answers the HTTP requests of MCP clients. Clients of the revision 2026-07-28 have no connection: each request stands
// alone. Clients of earlier revisions have one, beside it.
import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import type { Approve } from "../../approval/approve.ts";
import type { CellOptions } from "../../cell.ts";
import { keepCell } from "../../cells.ts";
import type { HttpHandler } from "../http/http-server.ts";
import { createServer } from "./create-server.ts";
import { type ClientConnection, createEarlierClients } from "./earlier-clients.ts";
import { openMcpService } from "./open-service.ts";
import { createHandles, withHandle } from "./server-cells.ts";

export interface McpHandlerOptions extends Omit<CellOptions, "onAsk"> {
  /** How long a session stays open without a call. */
  readonly idleMs: number;
  /**
   * Makes a function that asks limit its questions.
   * @default no limit
   */
  readonly limitQuestions?: (ask: Approve) => Approve;
  readonly onError: (error: Error) => void;
}

export interface McpHandler {
  readonly handle: HttpHandler;
  readonly stateDir: string;
  /** Cancels all calls. */
  end(): Promise<void>;
  /** Closes all cells. */
  close(): Promise<void>;
}

/** The path of MCP on an HTTP server. */
export const MCP_PATH = "/mcp";

export async function openMcpHandler({
  idleMs,
  limitQuestions,
  onError,
  ...options
}: McpHandlerOptions): Promise<McpHandler> {
  const { cellOptions, stateDir, ...shared } = await openMcpService(options, limitQuestions);
  const keep = (more: Partial<CellOptions> = {}) => keepCell({ ...cellOptions, ...more }, idleMs);
  const cell = keep();
  const handles = createHandles((session) => keep({ session }));
  const parts = { ...shared, tools: shared.tools.map(withHandle), handles };
  const modern = createMcpHandler(() => createServer({ ...parts, cell }), {
    legacy: "reject",
    onerror: onError,
  });
  const earlier = createEarlierClients((): ClientConnection => {
    const own = hasOneSession(cellOptions) ? null : keep();
    return { server: createServer({ ...parts, cell: own ?? cell }), cell: own };
  });
  return {
    stateDir,
    handle: async (request, body) =>
      (await isLegacyRequest(request, body))
        ? earlier.handle(request, body)
        : modern.fetch(request, { parsedBody: body }),
    end: async () => void (await Promise.all([modern.close(), earlier.close()])),
    close: async () => void (await Promise.all([cell.close(), handles.close()])),
  };
}

/** A session has one writer: then all clients share one cell. */
function hasOneSession({ fs, session, run }: CellOptions): boolean {
  return fs === "host" || session !== undefined || run !== undefined;
}
