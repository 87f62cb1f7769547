// The real `hotcell mcp --http`, and clients that are killed, on every transport.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { createClient, ERAS, openHttpWorld } from "../../kit/worlds/mcp-world.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const CLI = path.join(ROOT, "bin/hotcell.js");
const CLIENT = path.join(ROOT, "test/kit/children/mcp-client.mjs");

async function start(args: readonly string[] = []) {
  const top = tempDir();
  const root = path.join(top, "project");
  const state = path.join(top, "state");
  fs.mkdirSync(root);
  fs.writeFileSync(path.join(root, "f"), "project\n");
  const env = { ...process.env, HOTCELL_STATE_DIR: state, HOME: top };
  const server = spawn(process.execPath, [CLI, "mcp", "--http", "--port", "0", "--json", ...args], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(server, "exit");
  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null) server.kill();
    return exited;
  };
  onTestFinished(async () => void (await stop()));
  let printed = "";
  server.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  await expect.poll(() => printed, { timeout: 30_000 }).toContain("\n");
  const { url, tokenFile, ...more } = JSON.parse(printed);
  expect(more).toEqual({});
  const token = fs.readFileSync(tokenFile, "utf8").trim();
  return { root, state, url: String(url), token, tokenFile: String(tokenFile), stop, printed: () => printed };
}

async function connect(era: (typeof ERAS)[number], { url, token }: { url: string; token: string }) {
  const client = createClient(era);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

test.each(ERAS)("%s: the text of a command that is sandboxed less than it could be says so", async (era) => {
  const textOf = async (options: object) => {
    const { connect: connectTo } = await openHttpWorld({ fs: "overlay", trust: "autonomous", ...options });
    const client = await connectTo(era);
    const { content } = await client.callTool({ name: "run_command", arguments: { command: "echo ran" } });
    return (content as { readonly text?: string }[])[0]?.text;
  };
  const direct = await textOf({ toolAllowDirectNetwork: true });
  expect(direct).toMatch(/^ran\n\[exit code 0\]\n\[.*Commands use this machine's own network/s);
  expect(await textOf({})).not.toContain("this machine's own network");
});

test.each(ERAS)(
  "%s: a client of the SDK works with the command; standard output has one line",
  async (era) => {
    const server = await start();
    const client = await connect(era, server);
    const { structuredContent } = await client.callTool({ name: "read_file", arguments: { path: "f" } });
    expect(structuredContent).toMatchObject({ success: true, output: { content: "1\tproject" } });
    expect(fs.statSync(server.tokenFile).mode & 0o777).toBe(0o600);
    expect(await server.stop()).toEqual([0, null]);
    expect(server.printed().trimEnd().split("\n")).toHaveLength(1);
  },
);

const isRunning = (text: string) => spawnSync("pgrep", ["-f", text]).status === 0;

/** A command that runs until it is ended, and whether it does. */
function openCommand() {
  const seconds = `${4_000_000 + process.pid}`;
  const args = { command: `echo begun > begun; exec sleep ${seconds}` };
  return { name: "run_command", args, runs: () => isRunning(`^sleep ${seconds}`) };
}

/** Starts a client that calls the command, kills it, and waits until the command has ended. Returns what it printed. */
async function killClient(of: object, env: NodeJS.ProcessEnv): Promise<string> {
  const { name, args, runs } = openCommand();
  const given = JSON.stringify({ name, args, ...of });
  const client = spawn(process.execPath, [CLIENT, given], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let printed = "";
  client.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  const ended = once(client, "exit");
  await expect.poll(runs, { timeout: 30_000 }).toBe(true);
  client.kill("SIGKILL");
  await ended;
  await expect.poll(runs, { timeout: 40_000 }).toBe(false);
  return printed;
}

/** The only session of the project, while whoever had it open may still run. */
const stateOfSession = (cwd: string, env: NodeJS.ProcessEnv) => {
  const [session] = JSON.parse(
    execFileSync(process.execPath, [CLI, "session", "list", "--json"], { cwd, env, encoding: "utf8" }),
  );
  return session.state;
};

test("2026-07-28 on http: a client that is killed leaves no process; the server's end leaves no lock", async () => {
  const server = await start();
  const { url, token } = server;
  await killClient({ era: "2026-07-28", http: { url, token } }, process.env);
  const other = await connect("2026-07-28", server);
  const { structuredContent } = await other.callTool({ name: "read_file", arguments: { path: "begun" } });
  expect(structuredContent).toMatchObject({ success: true });
  await other.close();
  expect(await server.stop()).toEqual([0, null]);
  const env = { ...process.env, HOTCELL_STATE_DIR: server.state };
  const diff = execFileSync(process.execPath, [CLI, "diff", "--wait", "0"], { cwd: server.root, env });
  expect(String(diff)).toContain("+begun");
});

test("2025-11-25 on http: a client that is killed leaves no process and no lock, though the server goes on", async () => {
  const { root, state, url, token } = await start();
  await killClient({ era: "2025-11-25", http: { url, token } }, process.env);
  const env = { ...process.env, HOTCELL_STATE_DIR: state };
  await expect.poll(() => stateOfSession(root, env), { timeout: 30_000 }).toBe("idle");
});

test.each(ERAS)("%s on stdio: a client that is killed leaves no process and no lock", async (era) => {
  const top = tempDir();
  const env = { ...process.env, HOTCELL_STATE_DIR: path.join(top, "state"), HOME: top };
  const cwd = path.join(top, "project");
  fs.mkdirSync(cwd);
  const stdio = { command: process.execPath, args: [CLI, "mcp"], cwd };
  const pid = Number(await killClient({ era, stdio }, env));
  await expect.poll(() => fs.existsSync(`/proc/${pid}`), { timeout: 30_000 }).toBe(false);
  expect(stateOfSession(cwd, env)).toBe("idle");
});

test("wrong use is said", () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [CLI, "mcp", ...args], { input: "", encoding: "utf8", cwd: tempDir() });
  expect(run("--port", "1")).toMatchObject({ status: 2, stderr: expect.stringContaining("Add --http") });
  expect(run("--http", "--port", "x")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("--port"),
  });
});

test("srv-142: 10 clients, 2,000 calls: no answer goes astray", async () => {
  const tool = defineTool({
    name: "echo",
    description: "Returns its argument.",
    input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    danger: "safe",
    effect: "read",
    run: ({ text }: { text: string }) => ({ text }),
  });
  const { connect } = await openHttpWorld({ tools: [tool] });
  const clients = await Promise.all(Array.from({ length: 10 }, (_, at) => connect(ERAS[at % 2]!)));
  const wrong: unknown[] = [];
  await Promise.all(
    clients.map(async (client, at) => {
      for (let round = 0; round < 20; round++)
        await Promise.all(
          Array.from({ length: 10 }, async (_, call) => {
            const text = `${at}/${round}/${call}`;
            const { content } = await client.callTool({ name: "echo", arguments: { text } });
            const [answer] = content as { text: string }[];
            if (answer?.text !== text) wrong.push([text, answer]);
          }),
        );
    }),
  );
  expect(wrong).toEqual([]);
});
