import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { WebSocketServer } from "ws";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { refuse } from "../http/check-request.ts";
import { refuseOnSocket } from "../http/send-response.ts";
import type { Admission } from "./admission.ts";
import type { ApiParts } from "./api-parts.ts";
import { createFrameCheck, serveSocket } from "./socket.ts";
import { toRefusal } from "./status-of.ts";

export interface SocketServer {
  /** Takes a request that the guard let pass. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes all sockets, also those of clients that do not answer. */
  close(): Promise<void>;
}

/** The WebSocket `/ws`: text frames of at most 1 MiB, uncompressed. */
export function createSocketServer(parts: ApiParts, admit: Admission["admit"]): SocketServer {
  const { maxBodyBytes, maxSockets } = LIMITS.server;
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxBodyBytes,
  });
  server.on("wsClientError", ({ message }, socket) =>
    refuseOnSocket(socket, refuse(400, `it is no WebSocket handshake (${message})`)),
  );
  const checkFrame = createFrameCheck();
  return {
    upgrade(request, socket, head) {
      const open = async () => {
        if (request.url !== "/ws") throw new HotcellError("NOT_FOUND", "There is no socket but /ws.");
        if (server.clients.size >= maxSockets)
          throw new HotcellError("UNAVAILABLE", `The server has ${maxSockets} sockets. Try again later.`, {
            retryAfterSeconds: 5,
          });
        server.handleUpgrade(request, socket, head, (opened) => serveSocket(opened, parts, checkFrame));
      };
      admit(open).catch((error: unknown) => {
        refuseOnSocket(socket, error instanceof HotcellError ? toRefusal(error) : INTERNAL);
      });
    },
    async close() {
      server.close();
      const closed = [...server.clients].map((socket) => once(socket, "close"));
      for (const socket of server.clients) socket.close(1001, "the server stops");
      await Promise.race([Promise.all(closed), setTimeout(CLOSE_MS, null, { ref: false })]);
      for (const socket of server.clients) socket.terminate();
    },
  };
}

/** How long a client may take to answer that its socket closes. */
const CLOSE_MS = 1000;

const INTERNAL = {
  status: 500,
  code: "INTERNAL_ERROR",
  message: "Could not open the socket: hotcell has a bug.",
} as const;
