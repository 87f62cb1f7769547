// A cell is closed, or hotcell is killed, while a command has a connection to a granted host.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startRawServer } from "../../kit/raw-server.ts";
import { removeTree } from "../../kit/remove-tree.ts";

const CHILD = fileURLToPath(new URL("../../kit/children/egress-child.mjs", import.meta.url));

/** The processes that are in a namespace, or have an open file like that. */
function holdersOf(names: readonly string[]): number[] {
  const pids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => linksOf(pid).some((link) => names.includes(link))).map(Number);
}

function linksOf(pid: string): string[] {
  try {
    const files = fs.readdirSync(`/proc/${pid}/fd`).map((fd) => `fd/${fd}`);
    return ["ns/net", ...files].map((name) => readLink(`/proc/${pid}/${name}`));
  } catch {
    return [];
  }
}

function readLink(path: string): string {
  try {
    return fs.readlinkSync(path);
  } catch {
    return "";
  }
}

function childrenOf(parent: number): number[] {
  const pids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => parentOf(pid) === parent).map(Number);
}

function parentOf(pid: string): number | null {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return null;
  }
}

const socketsOf = (pid: number) =>
  [...new Set(linksOf(String(pid)))].filter((link) => link.startsWith("socket:"));

/** Long enough on a busy machine. */
const IN_TIME = { timeout: 20_000 };

/** A process with a cell, one of whose commands has a connection to the server. */
async function startCell() {
  const server = await startRawServer(() => {});
  onTestFinished(() => server.close());
  const top = fs.mkdtempSync("/var/tmp/hotcell-killed-");
  onTestFinished(() => removeTree(top));
  fs.mkdirSync(`${top}/project`);
  const child = spawn(process.execPath, [CHILD, top, String(server.port)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(child.stdout, "data");
  const { namespace, listeners, earlier } = JSON.parse(line);
  await expect.poll(() => server.requests.length, IN_TIME).toBe(1);

  // The control: all of it is there, and found.
  expect(namespace).toMatch(/^net:\[\d+\]$/);
  expect(listeners.length).toBe(2);
  await expect.poll(() => holdersOf(listeners), IN_TIME).toEqual([child.pid]);
  expect(holdersOf([namespace]).filter((pid) => pid !== child.pid).length).toBeGreaterThan(0);
  expect(server.open.size).toBe(1);
  return { server, child, pid: child.pid!, held: [namespace, ...listeners] as string[], earlier };
}

test("close leaves no process, no listener, no namespace and no socket of the cell", async () => {
  const { server, child, pid, held, earlier } = await startCell();
  expect(childrenOf(pid).length).toBeGreaterThan(0);
  // Two listeners, and both ends of the proxy's connections.
  expect(socketsOf(pid).length).toBeGreaterThanOrEqual(earlier.length + 4);

  child.stdin.write("close\n");
  await once(child.stdout, "data");
  await expect.poll(() => holdersOf(held), IN_TIME).toEqual([]);
  await expect.poll(() => server.open.size, IN_TIME).toBe(0);
  await expect.poll(() => childrenOf(pid), IN_TIME).toEqual([]);
  await expect.poll(() => socketsOf(pid), IN_TIME).toEqual(earlier);
  expect(child.exitCode).toBe(null);
});

test("kill -9 of hotcell leaves no process, no listener, no namespace and no connection of its cell", async () => {
  const { server, child, held } = await startCell();
  child.kill("SIGKILL");
  await expect.poll(() => holdersOf(held), IN_TIME).toEqual([]);
  await expect.poll(() => server.open.size, IN_TIME).toBe(0);
});
