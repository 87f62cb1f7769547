import { LIMITS } from "../core/limits.ts";
import { type Connection, openConnection } from "./connection.ts";
import type { Dial } from "./dial.ts";

export interface ConnectionPool {
  /** A connection that nobody else uses. */
  take(origin: string): Promise<Connection>;
  /** A connection that is dialled for one request. */
  open(origin: string): Promise<Connection>;
  /** Keeps a connection for the next request if its response has ended; otherwise ends it. */
  release(origin: string, connection: Connection): void;
  close(): void;
}

export function createConnectionPool(dial: Dial): ConnectionPool {
  const all = new Set<Connection>();
  /** The longest unused first. */
  const idle = new Map<Connection, string>();
  let isClosed = false;
  const end = (connection: Connection) => {
    connection.destroy();
    idle.delete(connection);
    all.delete(connection);
  };
  const open = async (origin: string) => {
    const connection = await openConnection(origin, dial);
    all.add(connection);
    if (isClosed) end(connection);
    return connection;
  };
  return {
    open,
    async take(origin) {
      for (const [connection, to] of idle) {
        if (!connection.isIdle) end(connection);
        else if (to === origin) {
          idle.delete(connection);
          return connection;
        }
      }
      return await open(origin);
    },
    release(origin, connection) {
      if (isClosed || !connection.isIdle) return end(connection);
      idle.set(connection, origin);
      const [oldest] = idle.keys();
      if (idle.size > LIMITS.maxIdleConnections) end(oldest!);
    },
    close() {
      isClosed = true;
      for (const connection of all) end(connection);
    },
  };
}
