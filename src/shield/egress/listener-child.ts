// Runs inside the cell's network namespace: creates the sockets, sends them to hotcell, and ends.
import net from "node:net";

interface Place {
  readonly address: string;
  readonly port: number;
}

const places: readonly Place[] = JSON.parse(process.argv[2] ?? "[]");

function listenAt({ address, port }: Place): Promise<net.Server> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.on("error", reject).listen({ host: address, port, backlog: 511 }, () => resolve(server));
  });
}

function send(index: number, server: net.Server): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send!(index, server, {}, (error) => (error === null ? resolve() : reject(error)));
  });
}

for (const [index, place] of places.entries()) await send(index, await listenAt(place));
process.disconnect();
process.exit();
