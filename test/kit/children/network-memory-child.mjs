// Reads an address with the guarded client, or lets a command open many connections to it, and prints the result and by
// how much the peak of this process's memory has grown.
// Usage: node network-memory-child.mjs request PORT
//        node network-memory-child.mjs connect PORT TOP CONNECTIONS
import fs from "node:fs";
import path from "node:path";
import { openCell } from "../../../dist/index.js";
import { createHttpClient } from "../../../dist/net/http-client.js";

const AT_ONCE = 50;
const [way, port, top, connections] = process.argv.slice(2);

const peakBytes = () =>
  Number(/VmHWM:\s+(\d+) kB/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]) * 1024;

async function request() {
  const before = peakBytes();
  const client = createHttpClient({ allowedPrivateHosts: [{ host: "127.0.0.1", port: Number(port) }] });
  const { body, truncated } = await client.request(
    { url: `http://127.0.0.1:${port}/` },
    new AbortController().signal,
  );
  return { read: body.length, truncated, peakGrowth: peakBytes() - before };
}

/**
 * Opens connections and leaves their answers unread, but for the first bytes, while it reads another answer to its end.
 * By then a proxy that keeps what a client does not read has all the answers.
 */
const OPEN_IN_WAVES = `
const http = require("node:http");
const open = () => new Promise((resolve, reject) => {
  const options = { host: "127.64.0.1", port: 3128, method: "CONNECT", path: "host.hotcell.internal:${port}", agent: false };
  http.request(options).on("error", reject).on("connect", (_, socket) => {
    socket.on("error", reject).once("readable", () => resolve(socket));
    socket.write("PING\\n");
  }).end();
});
const readAll = async (socket) => {
  let bytes = 0;
  for await (const chunk of socket) bytes += chunk.length;
  return bytes;
};
(async () => {
  const done = { opened: 0, read: 0 };
  for (let left = Number(process.argv[2]); left > 0; left -= ${AT_ONCE}) {
    const unread = await Promise.all(Array.from({ length: Math.min(left, ${AT_ONCE}) }, open));
    done.opened += unread.length;
    done.read += await readAll(await open());
    for (const socket of unread) socket.destroy();
  }
  console.log(JSON.stringify(done));
})();
`;

async function connect() {
  const workspace = path.join(top, "project");
  fs.writeFileSync(path.join(workspace, "open.cjs"), OPEN_IN_WAVES);
  const cell = await openCell({
    workspace,
    stateDir: path.join(top, "state"),
    trust: "autonomous",
    timeoutMs: 600_000,
    rules: [`allow network(host.hotcell.internal:${port})`],
  });
  const run = async (count) => {
    const command = `node open.cjs ${count}`;
    const { output, error } = await cell.call({ name: "run_command", arguments: { command } });
    if (output?.exit_code !== 0) throw new Error(JSON.stringify({ output, error }));
    return JSON.parse(output.stdout);
  };
  // What is loaded and compiled once does not count.
  await run(1);
  const before = peakBytes();
  const done = await run(connections);
  const peakGrowth = peakBytes() - before;
  await cell.close();
  return { ...done, peakGrowth };
}

process.stdout.write(JSON.stringify(await { request, connect }[way]()));
process.exit();
