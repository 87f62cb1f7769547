// A TCP server on loopback that answers a request with the bytes of a test.
import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";

const TLS_HANDSHAKE = 0x16;

export interface RawServer {
  readonly port: number;
  /** The text of each request, until the empty line. */
  readonly requests: readonly string[];
  readonly open: ReadonlySet<Socket>;
  close(): Promise<void>;
}

export async function startRawServer(
  answer: (socket: Socket, request: string) => void,
  host = "127.0.0.1",
): Promise<RawServer> {
  const requests: string[] = [];
  const open = new Set<Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket)).on("error", () => {});
    let text = "";
    socket.on("data", (chunk) => {
      if (chunk[0] === TLS_HANDSHAKE) socket.destroy();
      text += chunk.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end === -1) return;
      const request = text.slice(0, end);
      text = text.slice(end + 4);
      requests.push(request);
      answer(socket, request);
    });
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    open,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

export function httpAnswer(body: string, head = ""): string {
  return `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${head}\r\n${body}`;
}
