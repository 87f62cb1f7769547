// Opens a cell whose commands may reach one port of this machine, keeps a connection open, and waits to be killed.
// Prints the cell's network namespace, the inodes of its listening sockets, and the sockets that the process had before.
// Closes the cell after a line of input, prints a line, and goes on to wait.
// Usage: node egress-child.mjs TOP PORT
import fs from "node:fs";
import path from "node:path";
import { openCell } from "../../../dist/index.js";

const [top, port] = process.argv.slice(2);
const descriptors = fs.readdirSync("/proc/self/fd").map((fd) => `/proc/self/fd/${fd}`);
const links = descriptors.flatMap((name) => (fs.existsSync(name) ? [fs.readlinkSync(name)] : []));
const earlier = [...new Set(links)].filter((link) => link.startsWith("socket:"));
const cell = await openCell({
  workspace: path.join(top, "project"),
  stateDir: path.join(top, "killed-state"),
  trust: "autonomous",
  rules: [`allow network(host.hotcell.internal:${port})`],
});
const run = async (command, background) =>
  (await cell.call({ name: "run_command", arguments: { command, background } })).output;
await run(`curl -sS http://host.hotcell.internal:${port}/`, true);
const { stdout } = await run("readlink /proc/self/ns/net; cat /proc/net/tcp", false);
const [namespace, , ...sockets] = stdout.trim().split("\n");
const LISTENING = "0A";
const listeners = sockets
  .map((line) => line.trim().split(/\s+/))
  .filter(([, , , state]) => state === LISTENING)
  .map((columns) => `socket:[${columns[9]}]`);
process.stdout.write(`${JSON.stringify({ namespace, listeners, earlier })}\n`);
setInterval(() => {}, 60_000);
process.stdin.once("data", async () => {
  await cell.close();
  process.stdout.write("closed\n");
});
