// The way of a cell's commands to granted hosts: listeners in its network namespace, served by this process.
import type { Server, Socket } from "node:net";
import { LIMITS } from "../../core/limits.ts";
import type { NetworkGate } from "./network-gate.ts";
import { type CellNamespace, openListeners } from "./open-listeners.ts";
import type { Listener } from "./plan-egress.ts";
import { createProxy } from "./proxy.ts";

export interface Egress {
  /** Ends every connection. */
  close(): void;
}

export async function openEgress(
  namespace: CellNamespace,
  listeners: readonly Listener[],
  gate: NetworkGate,
): Promise<Egress> {
  const servers = await openListeners(namespace, listeners);
  const closing = new AbortController();
  const open = new Set<Socket>();
  const proxy = createProxy(gate, closing.signal);
  for (const [index, server] of servers.entries()) serve(server, listeners[index]!);
  return {
    close() {
      closing.abort();
      for (const server of servers) server.close();
      for (const socket of open) socket.destroy();
    },
  };

  function serve(server: Server, { host, port }: Listener): void {
    // The cell's commands keep this process alive, not its listeners.
    server.unref();
    server.on("connection", (client) => {
      if (open.size >= LIMITS.maxEgressConnections) {
        gate.noteExcess();
        client.destroy();
        return;
      }
      open.add(client);
      client.once("close", () => open.delete(client));
      if (host === null) proxy.accept(client);
      else proxy.acceptFor({ host, port }, client);
    });
  }
}
