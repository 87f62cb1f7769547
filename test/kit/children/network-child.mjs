// Runs in a network namespace of its own, which has the addresses of a LAN, of a metadata service, of a public host and
// of a name server. Starts servers there, and prints what probe-network.mjs finds outside a cell and inside.
// Usage: node network-child.mjs TOP
import { execFile } from "node:child_process";
import dgram from "node:dgram";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { openCell } from "../../../dist/index.js";

const [top] = process.argv.slice(2);

const PLACES = [
  ["10.0.0.1", 80],
  ["169.254.169.254", 80],
  ["203.0.113.7", 80],
  ["10.0.0.53", 53],
];
for (const [host, port] of PLACES) {
  const server = net.createServer((socket) => socket.on("error", () => {}).end(`this is ${host}`));
  await once(server.listen(port, host), "listening");
}

/** Every name has the address 10.0.0.1 and no other. */
const names = dgram.createSocket("udp4");
names.on("message", (query, { port, address }) => {
  const HEADER = 12;
  const end = query.indexOf(0, HEADER) + 5;
  const question = query.subarray(HEADER, end);
  const isForAddress = question.readUInt16BE(question.length - 4) === 1;
  const head = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isForAddress ? 1 : 0, 0, 0, 0, 0]);
  const record = Buffer.from("c00c000100010000003c00040a000001", "hex");
  names.send(Buffer.concat([head, question, ...(isForAddress ? [record] : [])]), port, address);
});
await once(names.bind(53, "10.0.0.53"), "listening");

const workspace = path.join(top, "project");
fs.copyFileSync(path.join(import.meta.dirname, "probe-network.mjs"), path.join(workspace, "probe.mjs"));
const outside = await promisify(execFile)(process.execPath, ["probe.mjs"], { cwd: workspace });
const cell = await openCell({ workspace, stateDir: path.join(top, "state"), trust: "autonomous" });
const { output } = await cell.call({ name: "run_command", arguments: { command: "node probe.mjs" } });
await cell.close();
process.stdout.write(
  JSON.stringify({ outside: JSON.parse(outside.stdout), inside: JSON.parse(output.stdout) }),
);
process.exit();
