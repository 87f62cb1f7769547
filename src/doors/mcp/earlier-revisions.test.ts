// Clients of the revisions before 2025-11-25, as the bytes that they send.
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { openHttpWorld } from "../../../test/kit/worlds/mcp-world.ts";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { serveMcpStdio } from "./serve-stdio.ts";

const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };
const READ = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "read_file", arguments: { path: "a.txt" } },
};

const initialize = (protocolVersion: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "x", version: "1" } },
});

const greeting = (protocolVersion: string) => ({
  jsonrpc: "2.0",
  id: 1,
  result: {
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: expect.objectContaining({ name: "hotcell" }),
    instructions: expect.any(String),
  },
});

const READ_RESULT = {
  jsonrpc: "2.0",
  id: 2,
  result: { content: [{ type: "text", text: "1\thello" }], structuredContent: { success: true } },
};

const fill = (root: string) => fs.writeFileSync(path.join(root, "a.txt"), "hello\n");

describe.each(["2025-06-18", "2025-03-26", "2024-11-05"])("a client of %s", (revision) => {
  test("gets its revision on stdio, and its call is run", async () => {
    const workspace = tempDir();
    fill(workspace);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const ended = serveMcpStdio({ workspace, stateDir: tempDir(), fs: "host", input, output });
    onTestFinished(() => {
      input.end();
      return ended;
    });
    const lines = createInterface(output)[Symbol.asyncIterator]();
    const send = (message: object) => void input.write(`${JSON.stringify(message)}\n`);
    const next = async () => JSON.parse((await lines.next()).value);
    send(initialize(revision));
    expect(await next()).toEqual(greeting(revision));
    send(INITIALIZED);
    send(READ);
    expect(await next()).toMatchObject(READ_RESULT);
  });

  test("gets its revision over HTTP, and its call is run", async () => {
    const { url, token, root } = await openHttpWorld();
    fill(root);
    const post = (message: object, headers = {}) =>
      fetch(url, {
        method: "POST",
        body: JSON.stringify(message),
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
      });
    const read = async (answer: Response) => {
      expect(answer.headers.get("content-type")).toBe("text/event-stream");
      return JSON.parse(/^data: (\{.*)$/m.exec(await answer.text())![1]!);
    };
    const first = await post(initialize(revision));
    expect(await read(first)).toEqual(greeting(revision));
    const headers = {
      "mcp-session-id": first.headers.get("mcp-session-id"),
      ...(revision === "2025-06-18" && { "mcp-protocol-version": revision }),
    };
    expect((await post(INITIALIZED, headers)).status).toBe(202);
    expect(await read(await post(READ, headers))).toMatchObject(READ_RESULT);
  });
});
