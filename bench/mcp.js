// hotcell's MCP server beside the reference server for files and a bare server of the same SDK, all on stdio: CPU of a
// call, start, memory, and the size of a reply.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { compareWithAim, formatAim, formatTable, median, takeTurns } from "./measure.js";
import { openWorker } from "./open-worker.js";

const TEXT = "All work and no play makes a very dull line of text indeed.\n".repeat(69).slice(0, 4096);
const ENTRIES = 50;

/** `theirs` is the reference server's tool. It searches names, not contents: there is nothing of its own to compare. */
const OPERATIONS = [
  { name: "read", tool: "read_file", theirs: "read_text_file", args: { path: "file.txt" } },
  { name: "write", tool: "write_file", theirs: "write_file", args: { path: "new.txt", content: TEXT } },
  { name: "list", tool: "list_directory", theirs: "list_directory_with_sizes", args: { path: "many" } },
  { name: "search", tool: "search_files", theirs: null, args: { path: "many", pattern: "nowhere" } },
];
const CALL_TURNS = { warmUpRounds: 10, rounds: 15, count: 50, maxMs: 8_000 };
const STARTS = 12;

const HOTCELL = fileURLToPath(new URL("../bin/hotcell.js", import.meta.url));
const BARE = fileURLToPath(new URL("./mcp-bare-server.js", import.meta.url));
const REFERENCE = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-filesystem/dist/index.js",
);

export async function measure() {
  const home = mkdtempSync(path.join(tmpdir(), "hotcell-bench-"));
  const servers = serversIn(home);
  try {
    const { calls, memory, replies } = await measureCalls(servers, home);
    return report(calls, await measureStarts(servers), memory, replies);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function serversIn(home) {
  const own = (name, ...more) => {
    const project = makeProject(home, name);
    const args = [HOTCELL, "mcp", "--workspace", project, "--fs", "host", "--trust", "autonomous", ...more];
    return { name, args, project, isReference: false, stateDir: path.join(home, `${name}-state`) };
  };
  const reference = makeProject(home, "reference");
  const bare = makeProject(home, "bare");
  return [
    own("hotcell"),
    { name: "server-filesystem", args: [REFERENCE, reference], project: reference, isReference: true },
    { name: "bare", args: [BARE, bare], project: bare, isReference: false },
  ];
}

async function measureCalls(servers, home) {
  const opened = [];
  for (const server of servers) opened.push({ ...server, ...(await connect(server)) });
  const cell = path.join(home, "cell-state");
  const worker = await openWorker(new URL("./calls-worker.js", import.meta.url), [
    "cell",
    makeProject(home, "cell"),
    cell,
  ]);
  try {
    const calls = {};
    for (const operation of OPERATIONS) {
      const sides = opened
        .filter(({ isReference }) => !isReference || operation.theirs !== null)
        .map((server) => ({
          name: server.name,
          pid: server.pid,
          work: (count) => repeat(server, operation, count),
        }));
      const inProcess = {
        name: "in process",
        pid: worker.pid,
        work: (count) => worker.ask({ operation, count }),
      };
      calls[operation.name] = await takeTurns([...sides, inProcess], CALL_TURNS);
    }
    const memory = Object.fromEntries(opened.map(({ name, pid }) => [name, residentBytes(pid)]));
    const large = { tool: "read_file", theirs: "read_text_file", args: { path: "large.txt" } };
    const replies = {};
    for (const server of opened) replies[server.name] = await ask(server, large);
    return { calls, memory, replies };
  } finally {
    for (const { close } of opened) close();
    await worker.close();
  }
}

async function repeat(server, operation, count) {
  for (let done = 0; done < count; done++) await ask(server, operation);
}

/** The bytes of the reply. */
async function ask({ request, project, isReference }, { tool, theirs, args }) {
  const given = isReference ? { ...args, path: path.join(project, args.path) } : args;
  const line = await request("tools/call", { name: isReference ? theirs : tool, arguments: given });
  if (line.includes('"isError":true')) throw new Error(line.slice(0, 500));
  return Buffer.byteLength(line);
}

/** A client without an SDK, so that its own cost does not wait beside that of the server. */
async function connect({ args, stateDir }) {
  const env = { ...process.env, ...(stateDir && { HOTCELL_STATE_DIR: stateDir }) };
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"], env });
  const lines = createInterface({ input: child.stdout });
  let id = 0;
  let answered = () => {};
  lines.on("line", (line) => {
    if (line.includes('"id":')) answered(line);
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params) =>
    new Promise((resolve) => {
      answered = resolve;
      send({ id: ++id, method, params });
    });
  const clientInfo = { name: "hotcell-bench", version: "1" };
  await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  await request("tools/list", {});
  return { pid: child.pid, request, close: () => child.kill() };
}

/** Until the list of tools has arrived. */
async function measureStarts(servers) {
  const taken = Object.fromEntries(servers.map(({ name }) => [name, []]));
  for (let round = 0; round < STARTS; round++)
    for (const server of servers) {
      const before = performance.now();
      const { close } = await connect(server);
      taken[server.name].push(performance.now() - before);
      close();
    }
  return Object.fromEntries(Object.entries(taken).map(([name, times]) => [name, median(times)]));
}

function residentBytes(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;
}

function makeProject(home, name) {
  const project = path.join(home, name);
  mkdirSync(path.join(project, "many"), { recursive: true });
  writeFileSync(path.join(project, "file.txt"), TEXT);
  writeFileSync(path.join(project, "large.txt"), TEXT.repeat(256).slice(0, 1024 * 1024));
  for (let entry = 0; entry < ENTRIES; entry++)
    writeFileSync(path.join(project, "many", `entry-${entry}.txt`), TEXT.slice(0, entry * 8));
  return project;
}

const MAX_CPU_RATIO = 1.2;
const MAX_START_RATIO = 1.3;

function report(calls, start, memory, replies) {
  const aims = Object.entries(calls).map(([operation, { hotcell, bare, "in process": inProcess }]) =>
    compareWithAim(
      `${operation}: CPU, hotcell ÷ (bare + in process)`,
      hotcell.cpuUs / (bare.cpuUs + inProcess.cpuUs),
      MAX_CPU_RATIO,
    ),
  );
  aims.push(compareWithAim("start: hotcell ÷ bare", start.hotcell / start.bare, MAX_START_RATIO));
  aims.push(
    compareWithAim(
      "reply to a 1 MB read: hotcell ÷ server-filesystem",
      replies.hotcell / replies["server-filesystem"],
      1,
    ),
  );
  return { calls, start, memory, replies, aims };
}

export function format({ calls, start, memory, replies, aims }) {
  const rows = Object.entries(calls).flatMap(([operation, sides]) =>
    Object.entries(sides).map(([name, { wallUs, cpuUs }]) => [
      `${operation}, ${name}`,
      wallUs.toFixed(0),
      cpuUs.toFixed(0),
    ]),
  );
  const others = Object.keys(start).map((name) => [
    name,
    start[name].toFixed(0),
    (memory[name] / 1024 / 1024).toFixed(0),
    (replies[name] / 1024).toFixed(0),
  ]);
  return `${[
    formatTable([["per call", "wall µs", "CPU µs"], ...rows]),
    formatTable([["server", "start ms", "memory MB", "reply KB"], ...others]),
    aims.map(formatAim).join("\n"),
  ].join("\n\n")}\n`;
}
