// Clients of revisions before 2026-07-28 over HTTP. Each has a connection with an id, `Mcp-Session-Id`: without one a
// client could not be asked anything.
import { randomUUID } from "node:crypto";
import {
  isInitializeRequest,
  isJSONRPCRequest,
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { KeptCell } from "../../cells.ts";
import { LIMITS } from "../../core/limits.ts";
import type { HttpHandler } from "../http/http-server.ts";

export interface EarlierClients {
  readonly handle: HttpHandler;
  /** Cancels their calls and closes their cells. */
  close(): Promise<void>;
}

export interface ClientConnection {
  readonly server: Server;
  /** The client's own cell; null if it uses a cell of the server. */
  readonly cell: KeptCell | null;
}

interface EarlierClient extends ClientConnection {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Requests without a complete response. */
  openRequests: number;
  idle: NodeJS.Timeout | undefined;
  /** Requests whose response the client closed before its end. */
  readonly cutOff: Set<RequestId>;
  /** Whether it closed a response before its end since its last request. */
  isCutOff: boolean;
  gone: NodeJS.Timeout | undefined;
}

export interface EarlierClientsOptions {
  /** @default LIMITS.mcpClientIdleMs */
  readonly idleMs?: number;
  /** @default LIMITS.mcpClientGoneMs */
  readonly goneMs?: number;
}

export function createEarlierClients(
  connect: () => ClientConnection,
  { idleMs = LIMITS.mcpClientIdleMs, goneMs = LIMITS.mcpClientGoneMs }: EarlierClientsOptions = {},
): EarlierClients {
  const clients = new Map<string, EarlierClient>();
  const closing = new Set<Promise<void>>();

  const add = async (): Promise<EarlierClient> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void clients.set(id, client),
    });
    const client: EarlierClient = {
      ...connect(),
      transport,
      openRequests: 0,
      idle: undefined,
      cutOff: new Set(),
      isCutOff: false,
      gone: undefined,
    };
    client.server.onclose = () => {
      clearTimeout(client.idle);
      clearTimeout(client.gone);
      clients.delete(transport.sessionId ?? "");
      const closed = (client.cell?.close() ?? Promise.resolve()).finally(() => closing.delete(closed));
      closing.add(closed);
    };
    await client.server.connect(transport);
    return client;
  };
  /** If there are too many, the one that has been without a request for longest is gone. False if all have one. */
  const makeRoom = async (): Promise<boolean> => {
    if (clients.size < LIMITS.maxMcpClients) return true;
    const idle = [...clients.values()].find(({ openRequests }) => openRequests === 0);
    await idle?.server.close();
    return idle !== undefined;
  };
  /**
   * A client that vanishes says nothing: after some time without a request it is gone. One that left a response in the
   * middle and has no connection at all is probably gone already; if it comes back, it finds its session.
   */
  const countRequest = (client: EarlierClient, { signal }: Request, body: unknown): Completion => {
    const completion = { isComplete: false };
    client.openRequests++;
    client.isCutOff = false;
    clearTimeout(client.idle);
    clearTimeout(client.gone);
    const end = () => {
      client.openRequests--;
      if (!completion.isComplete) {
        client.isCutOff = true;
        for (const id of requestIdsIn(body)) client.cutOff.add(id);
      }
      if (client.openRequests > 0) return;
      client.idle = setTimeout(() => void client.server.close(), idleMs).unref();
      if (client.isCutOff) client.gone = setTimeout(() => endCalls(client), goneMs).unref();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
    return completion;
  };
  return {
    async handle(request, body) {
      const id = request.headers.get("mcp-session-id");
      const known = id === null ? undefined : clients.get(id);
      if (id !== null && known === undefined) return refuse(404, "Session not found");
      if (known === undefined && !isInitializeRequest(body))
        return refuse(400, "Mcp-Session-Id header is required");
      if (known === undefined && !(await makeRoom()))
        return refuse(503, `${clients.size} clients are connected, the most that this server takes`);
      const client = known ?? (await add());
      const completion = countRequest(client, request, body);
      if (id !== null) {
        // The last one in the map is the one that was used last.
        clients.delete(id);
        clients.set(id, client);
      }
      const response = await client.transport.handleRequest(request, { parsedBody: body });
      if (client.transport.sessionId === undefined) await client.server.close();
      return noteCompletion(response, completion);
    },
    async close() {
      await Promise.all([...clients.values()].map(({ server }) => server.close()));
      await Promise.all(closing);
    },
  };
}

interface Completion {
  isComplete: boolean;
}

/** The response, which notes when all of it has been read. */
function noteCompletion(response: Response, completion: Completion): Response {
  const flush = () => {
    completion.isComplete = true;
  };
  if (response.body !== null)
    return new Response(response.body.pipeThrough(new TransformStream({ flush })), response);
  flush();
  return response;
}

function requestIdsIn(body: unknown): RequestId[] {
  return [body].flat().flatMap((message) => (isJSONRPCRequest(message) ? [message.id] : []));
}

/** Also ends what its calls left running. The client keeps its session. */
function endCalls({ transport, cutOff, cell }: EarlierClient): void {
  for (const requestId of cutOff)
    transport.onmessage?.({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId, reason: "the client has left" },
    });
  cutOff.clear();
  cell?.release().catch(() => {});
}

function refuse(status: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }, { status });
}
