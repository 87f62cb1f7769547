// What one call costs through the whole pipeline, against the bare file system and against the reference
// MCP server for files; and what it costs to start the command.
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { compareWithAim, formatAim, formatTable, takeTurns } from "./measure.js";

const TEXT = "All work and no play makes a very dull line of text indeed.\n".repeat(69).slice(0, 4096);
const OPERATIONS = [
  { tool: "read_file", args: { path: "file.txt" } },
  { tool: "write_file", args: { path: "written.txt", content: TEXT } },
  { tool: "list_directory", args: { path: "many" } },
];
const CALL_TURNS = { rounds: 15, count: 150, warmUp: 1500, maxMs: 20_000 };
const START_TURNS = { rounds: 40, count: 1, warmUp: 3, maxMs: 15_000 };
const MAX_CPU_RATIO = 0.1;
const MAX_START_RATIO = 1.3;

export async function measure() {
  const home = mkdtempSync(path.join(tmpdir(), "hotcell-bench-"));
  const sides = [];
  try {
    sides.push(await openWorker("hotcell", "cell", home));
    sides.push(await openWorker("node:fs", "raw", home));
    sides.push(await openMcpServer("mcp server", home));
    return report(await measureCalls(sides), await measureStart());
  } finally {
    for (const side of sides) await side.close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function measureCalls(sides) {
  const calls = {};
  for (const operation of OPERATIONS) {
    const takers = sides.map(({ name, pid, run }) => ({ name, pid, work: (count) => run(operation, count) }));
    calls[operation.tool] = await takeTurns(takers, CALL_TURNS);
  }
  return calls;
}

function measureStart() {
  const hotcell = fileURLToPath(new URL("../bin/hotcell.js", import.meta.url));
  const starter = (name, args) => ({
    name,
    work: (count) => {
      for (let done = 0; done < count; done++) execFileSync(process.execPath, args);
    },
  });
  const sides = [starter("hotcell --version", [hotcell, "--version"]), starter("node -e 0", ["-e", "0"])];
  return takeTurns(sides, START_TURNS);
}

/** A process of its own for each side: one's garbage is not another's cost. */
async function openWorker(name, kind, home) {
  const project = makeProject(home, kind);
  const args = [kind, project, path.join(home, "state")];
  const worker = fork(new URL("./calls-worker.js", import.meta.url), args);
  await answerOf(worker);
  return {
    name,
    pid: worker.pid,
    async run(operation, count) {
      worker.send({ operation, count });
      await answerOf(worker);
    },
    async close() {
      worker.disconnect();
      if (worker.exitCode === null) await once(worker, "exit");
    },
  };
}

async function answerOf(worker) {
  const ended = once(worker, "exit").then(([code]) => Promise.reject(new Error(`A side ended with ${code}.`)));
  await Promise.race([once(worker, "message"), ended]);
}

async function openMcpServer(name, home) {
  const project = makeProject(home, "mcp");
  const server = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/dist/index.js");
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [server, project],
    stderr: "ignore",
  });
  const client = new Client({ name: "hotcell-bench", version: "1" });
  await client.connect(transport);
  return {
    name,
    pid: transport.pid,
    async run({ tool, args }, count) {
      const call = { name: tool, arguments: { ...args, path: path.join(project, args.path) } };
      for (let done = 0; done < count; done++) {
        const { isError, content } = await client.callTool(call);
        if (isError) throw new Error(`${tool}: ${content[0].text}`);
      }
    },
    close: () => client.close(),
  };
}

function makeProject(home, name) {
  const project = path.join(home, name);
  mkdirSync(path.join(project, "many"), { recursive: true });
  writeFileSync(path.join(project, "file.txt"), TEXT);
  for (let entry = 0; entry < 50; entry++)
    writeFileSync(path.join(project, "many", `entry-${entry}.txt`), TEXT.slice(0, entry * 8));
  return project;
}

function report(calls, start) {
  const aims = Object.entries(calls).map(([tool, { hotcell, "mcp server": mcp }]) =>
    compareWithAim(`${tool}, CPU per call against the MCP server's`, hotcell.cpuUs / mcp.cpuUs, MAX_CPU_RATIO),
  );
  const started = start["hotcell --version"].wallUs / start["node -e 0"].wallUs;
  aims.push(compareWithAim("start of hotcell --version against node -e 0", started, MAX_START_RATIO));
  return { calls, start, aims };
}

export function format({ calls, start, aims }) {
  const rows = [["per call", "wall µs", "CPU µs", "hotcell's wall ÷", "hotcell's CPU ÷"]];
  for (const [tool, sides] of Object.entries(calls))
    for (const [name, cost] of Object.entries(sides)) rows.push(callRow(`${tool}, ${name}`, cost, sides.hotcell));
  const starts = Object.entries(start).map(([name, { wallUs }]) => [name, (wallUs / 1000).toFixed(1)]);
  return `${[
    formatTable(rows),
    formatTable([["start", "wall ms"], ...starts]),
    aims.map(formatAim).join("\n"),
  ].join("\n\n")}\n`;
}

function callRow(label, { wallUs, cpuUs }, hotcell) {
  const ratio = (ours, theirs) => (hotcell.wallUs === wallUs ? "" : (ours / theirs).toFixed(3));
  return [
    label,
    wallUs.toFixed(0),
    cpuUs.toFixed(0),
    ratio(hotcell.wallUs, wallUs),
    ratio(hotcell.cpuUs, cpuUs),
  ];
}
