// The memory that hotcell takes for answers, measured in a process of its own.
import { execFile } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { removeTree } from "../remove-tree.ts";

const CHILD = fileURLToPath(new URL("../children/network-memory-child.mjs", import.meta.url));

export async function measureInChild(...args: readonly (string | number)[]) {
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, ...args.map(String)]);
  const { peakGrowth, ...done } = JSON.parse(stdout);
  return { done, peakGrowth };
}

/** A command opens so many connections to a granted host, 50 at once. The answer to each has so many bytes. */
export async function openConnections(connections: number, answerBytes: number) {
  const answer = Buffer.alloc(answerBytes, "x");
  const server = net.createServer((socket) =>
    socket.on("error", () => {}).once("data", () => socket.end(answer)),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const top = fs.mkdtempSync("/var/tmp/hotcell-memory-");
  onTestFinished(() => removeTree(top));
  fs.mkdirSync(`${top}/project`);
  const { port } = server.address() as AddressInfo;
  return measureInChild("connect", port, top, connections);
}
