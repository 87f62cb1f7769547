// The sides of the comparison. Each side works in a separate process, so that the garbage of one is not the cost of
// another: { name, pid, run(operation, count), close() }.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { openWorker } from "./open-worker.js";

/** 4 KiB. */
export const TEXT = "All work and no play makes a very dull line of text indeed.\n".repeat(69).slice(0, 4096);
const ENTRIES = 50;

export async function openSides() {
  const home = mkdtempSync(path.join(tmpdir(), "hotcell-bench-"));
  const sides = [];
  const close = async () => {
    for (const side of sides) await side.close();
    rmSync(home, { recursive: true, force: true });
  };
  try {
    sides.push(await openProcess("hotcell", "cell", home));
    sides.push(await openProcess("node:fs", "raw", home));
    sides.push(await openProcess("floor", "floor", home));
    sides.push(await openProcess("floor, anchored", "anchored", home));
    sides.push(await openMcpServer("mcp server", home));
    return { sides, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openProcess(name, kind, home) {
  const args = [kind, makeProject(home, kind), path.join(home, "state", kind)];
  const { pid, ask, close } = await openWorker(new URL("./calls-worker.js", import.meta.url), args);
  return { name, pid, run: (operation, count) => ask({ operation, count }), close };
}

async function openMcpServer(name, home) {
  const project = makeProject(home, "mcp");
  const server = createRequire(import.meta.url).resolve(
    "@modelcontextprotocol/server-filesystem/dist/index.js",
  );
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
    async run({ theirs, args }, count) {
      const call = { name: theirs, arguments: { ...args, path: path.join(project, args.path) } };
      for (let done = 0; done < count; done++) {
        const { isError, content } = await client.callTool(call);
        if (isError) throw new Error(`${theirs}: ${content[0].text}`);
      }
    },
    close: () => client.close(),
  };
}

function makeProject(home, name) {
  const project = path.join(home, name);
  mkdirSync(path.join(project, "many"), { recursive: true });
  writeFileSync(path.join(project, "file.txt"), TEXT);
  for (let entry = 0; entry < ENTRIES; entry++)
    writeFileSync(path.join(project, "many", `entry-${entry}.txt`), TEXT.slice(0, entry * 8));
  return project;
}
