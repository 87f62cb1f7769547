// The real `hotcell mcp`: what is on its standard output, and the rows of the server corpus for MCP on stdio.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { createClient, ERAS, openMcpWorld, WAYS } from "../../kit/worlds/mcp-world.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const CLI = path.join(ROOT, "bin/hotcell.js");

function openProject() {
  const top = tempDir();
  const root = path.join(top, "project");
  fs.mkdirSync(root);
  fs.writeFileSync(path.join(root, "f"), "project\n");
  return { root, env: { ...process.env, HOTCELL_STATE_DIR: path.join(top, "state"), HOME: top } };
}

interface RawServer {
  readonly process: ChildProcessWithoutNullStreams;
  send(bytes: string | Buffer): void;
  /** The next message of the server; null if it has ended. */
  next(): Promise<{ id?: unknown; result?: unknown; error?: unknown } | null>;
}

function startRaw(): RawServer {
  const { root, env } = openProject();
  const server = spawn(process.execPath, [CLI, "mcp"], { cwd: root, env });
  onTestFinished(async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, "exit");
    server.stdin.end();
    await exited;
  });
  server.stdin.on("error", () => {});
  server.stderr.resume();
  const lines = readLines(server.stdout);
  return {
    process: server,
    send: (bytes) => void server.stdin.write(bytes),
    next: async () => {
      const { value, done } = await lines.next();
      return done ? null : JSON.parse(value);
    },
  };
}

async function* readLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let rest = "";
  for await (const chunk of stream) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}

const LIST = `${JSON.stringify({ jsonrpc: "2.0", id: "after", method: "tools/list" })}\n`;

interface Row {
  readonly id: string;
  readonly cat: string;
  readonly reason: string;
  readonly request: { readonly mcp?: string; readonly line?: string; readonly bytes?: string };
}

const rows = fs
  .readFileSync(path.join(ROOT, "test/corpus/server.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Row)
  .filter(({ cat, request }) => cat === "mcp" && request.mcp === "stdio");

const malformed = rows.filter(({ id }) => ["srv-130", "srv-132", "srv-139"].includes(id));
test.each(malformed)(
  "$id: $reason is not answered with a result, and the server goes on",
  async ({ request }) => {
    const server = startRaw();
    const { line, bytes = "" } = request;
    server.send(line === undefined ? Buffer.from(bytes.replaceAll(" ", ""), "hex") : line);
    server.send(`\n${LIST}`);
    const first = await server.next();
    const answer = first?.error === undefined ? first : await server.next();
    expect(answer).toMatchObject({ id: "after", result: { tools: expect.any(Array) } });
  },
);

const failing = rows.filter(({ id }) => ["srv-129", "srv-134", "srv-135"].includes(id));
test.each(failing)("$id: $reason: a result with isError", async ({ request }) => {
  const server = startRaw();
  server.send(`${request.line}\n`);
  expect(await server.next()).toMatchObject({ id: 1, result: { isError: true } });
});

test("srv-136: two requests with the same id are both answered", async () => {
  const server = startRaw();
  server.send(`${rows.find(({ id }) => id === "srv-136")?.request.line}\n`);
  expect(await server.next()).toMatchObject({ id: 1 });
  expect(await server.next()).toMatchObject({ id: 1 });
});

test("srv-138: a line of 50 MB without an end closes the connection; it is not kept, and the client is told", async () => {
  const server = startRaw();
  const exited = once(server.process, "exit");
  server.send(Buffer.alloc(50_000_000, "x"));
  expect(await server.next()).toMatchObject({ id: null, error: { code: -32600 } });
  expect(await exited).toEqual([0, null]);
  expect(await server.next()).toBeNull();
});

/** A client of the SDK that starts the command. */
async function startClient(
  era: (typeof ERAS)[number],
  { root, env }: ReturnType<typeof openProject>,
  ...flags: readonly string[]
) {
  const client = createClient(era);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, "mcp", ...flags],
    cwd: root,
    env: env as Record<string, string>,
    stderr: "ignore",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport };
}

test.each(ERAS)("%s: a client of the SDK works with the command, and leaves no process", async (era) => {
  const { client, transport } = await startClient(era, openProject());
  const { structuredContent } = await client.callTool({ name: "read_file", arguments: { path: "f" } });
  expect(structuredContent).toMatchObject({ success: true, output: { content: "1\tproject" } });
  const { pid } = transport;
  await client.close();
  expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
});

test.each(ERAS)(
  "%s: --session goes on in that session; another terminal is told that hotcell mcp holds it",
  async (era) => {
    const project = openProject();
    const hotcell = (...args: string[]) =>
      spawnSync(process.execPath, [CLI, ...args], { cwd: project.root, env: project.env, encoding: "utf8" });
    const session = hotcell("session", "create").stdout.trim();
    hotcell("session", "create");
    hotcell("exec", "--session", session, "--", "cp", "f", "g");
    const { client, transport } = await startClient(era, project, "--session", session);
    const { structuredContent } = await client.callTool({ name: "read_file", arguments: { path: "g" } });
    expect(structuredContent).toMatchObject({ output: { content: "1\tproject" }, meta: { session } });
    const refused = hotcell("session", "commit", session, "--yes", "--wait", "0");
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`process ${transport.pid} (hotcell mcp) holds it`),
    });
    await client.close();
    expect(hotcell("session", "commit", session, "--yes")).toMatchObject({ status: 0, stderr: "" });
    expect(fs.readFileSync(path.join(project.root, "g"), "utf8")).toBe("project\n");
  },
);

test.each(WAYS)("%s: the output of a command is progress of its call", async (way) => {
  const { client } = await openMcpWorld(way, { fs: "overlay", rules: ["allow run_command"] });
  const seen: unknown[] = [];
  const result = await client.callTool(
    { name: "run_command", arguments: { command: "echo hello" } },
    { onprogress: (step) => seen.push(step) },
  );
  expect(result.structuredContent).toMatchObject({ success: true, output: { stdout: "hello\n" } });
  expect(seen).toEqual([{ progress: 6, message: "6 bytes of output" }]);
});

test("srv-143: what a tool prints goes to standard error, not between the messages", async () => {
  const { root, env } = openProject();
  const program = `
    import { defineTool } from ${JSON.stringify(path.join(ROOT, "dist/index.js"))};
    import { serveMcpStdio } from ${JSON.stringify(path.join(ROOT, "dist/mcp.js"))};
    const tool = defineTool({
      name: "prints", description: "Prints.", danger: "safe", effect: "read",
      input: { type: "object", properties: {} },
      run() { console.log("printed"); process.stdout.write("written\\n"); return { done: true }; },
    });
    await serveMcpStdio({ workspace: ".", fs: "host", toolsets: [], tools: [tool] });`;
  const server = spawn(process.execPath, ["--input-type=module", "--eval", program], { cwd: root, env });
  const exited = once(server, "exit");
  const lines = readLines(server.stdout);
  const errors: string[] = [];
  server.stderr.on("data", (chunk) => errors.push(String(chunk)));
  server.stdin.write(
    `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "prints" } })}\n`,
  );
  const { value } = await lines.next();
  expect(JSON.parse(String(value))).toMatchObject({
    id: 1,
    result: { structuredContent: { success: true } },
  });
  server.stdin.end();
  await exited;
  expect((await lines.next()).done).toBe(true);
  expect(errors.join("")).toBe("printed\nwritten\n");
});
