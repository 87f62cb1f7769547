// MCP over HTTP, behind the guard of all HTTP doors.
import type { CellOptions } from "../../cell.ts";
import { LIMITS } from "../../core/limits.ts";
import { type HttpHandler, openHttpServer } from "../http/http-server.ts";
import { openTokenFile } from "../http/token-file.ts";
import { MCP_PATH, openMcpHandler } from "./mcp-handler.ts";

export interface McpHttpOptions extends Omit<CellOptions, "onAsk"> {
  /** The port on 127.0.0.1; 0 for any free one. @default 7357 */
  readonly port?: number;
  /** Called for requests that are no MCP, and for a bug of hotcell. */
  readonly onError?: (error: Error) => void;
}

export interface McpHttpService {
  /** For the client's configuration. */
  readonly url: string;
  /** The file with the token that each request needs, as `Authorization: Bearer TOKEN`. */
  readonly tokenFile: string;
  /** Cancels all calls and closes all cells. */
  close(): Promise<void>;
}

/**
 * Serves the tools of cells to any number of MCP clients on this machine.
 * @example
 * const { url, tokenFile, close } = await serveMcpHttp({ workspace: "/home/me/project", port: 0 });
 */
export async function serveMcpHttp(options: McpHttpOptions): Promise<McpHttpService> {
  const { port = LIMITS.mcpPort, onError = () => {}, ...rest } = options;
  const mcp = await openMcpHandler({ ...rest, onError, idleMs: LIMITS.keptCellIdleMs });
  const token = openTokenFile(mcp.stateDir);
  const http = await openHttpServer({
    port,
    token,
    maxBodyBytes: LIMITS.maxMcpMessageBytes,
    handle: atPath(mcp.handle),
    onError: (error) => onError(error instanceof Error ? error : new Error(String(error))),
  });
  return {
    url: `${http.url}${MCP_PATH}`,
    tokenFile: token.file,
    async close() {
      await mcp.end();
      await http.close();
      await mcp.close();
    },
  };
}

function atPath(handle: HttpHandler): HttpHandler {
  return async (request, body) =>
    new URL(request.url).pathname === MCP_PATH ? handle(request, body) : new Response(null, { status: 404 });
}
