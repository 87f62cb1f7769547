// An MCP client of the SDK and hotcell's server in one process, connected by two streams.
import fs from "node:fs";
import path from "node:path";
import { PassThrough, type Readable, type Writable } from "node:stream";
import {
  Client,
  type ClientCapabilities,
  ReadBuffer,
  StreamableHTTPClientTransport,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import type { CellOptions } from "../../../src/cell.ts";
import { serveMcpHttp, serveMcpStdio } from "../../../src/mcp.ts";
import { tempDir } from "./temp-cell.ts";

/** Both eras of the protocol. */
export const ERAS = ["2025-11-25", "2026-07-28"] as const;
export type Era = (typeof ERAS)[number];

/** Each era on each transport. */
export const WAYS = ERAS.flatMap((era) => [`${era} on stdio`, `${era} on http`] as const);
export type Way = (typeof WAYS)[number];

export interface McpWorld {
  readonly client: Client;
  readonly root: string;
  readonly stateDir: string;
}

export function createClient(era: Era, capabilities: ClientCapabilities = {}): Client {
  const mode = era === "2025-11-25" ? "legacy" : { pin: era };
  return new Client({ name: "test", version: "1.0.0" }, { capabilities, versionNegotiation: { mode } });
}

type Prepare = (client: Client) => void;

export async function openMcpWorld(
  way: Way,
  options: Partial<CellOptions> = {},
  capabilities: ClientCapabilities = {},
  prepare: Prepare = () => {},
): Promise<McpWorld> {
  const [era, , transport] = way.split(" ") as [Era, "on", "stdio" | "http"];
  if (transport === "stdio") return openStdioWorld(era, options, capabilities, prepare);
  const { connect, ...world } = await openHttpWorld(options);
  return { ...world, client: await connect(era, capabilities, prepare) };
}

function makeProject(options: Partial<CellOptions>) {
  const top = tempDir();
  const root = path.join(top, "ws");
  const stateDir = path.join(top, "state");
  fs.mkdirSync(root);
  return { root, stateDir, cell: { workspace: root, stateDir, fs: "host", ...options } as const };
}

export interface StdioWorld extends McpWorld {
  /** Resolves when the server has ended. */
  readonly ended: Promise<void>;
}

export async function openStdioWorld(
  era: Era,
  options: Partial<CellOptions> = {},
  capabilities: ClientCapabilities = {},
  prepare: Prepare = () => {},
): Promise<StdioWorld> {
  const { root, stateDir, cell } = makeProject(options);
  const input = new PassThrough();
  const output = new PassThrough();
  const ended = serveMcpStdio({ ...cell, input, output });
  const client = createClient(era, capabilities);
  prepare(client);
  await client.connect(createStreamTransport(output, input));
  onTestFinished(async () => {
    await client.close();
    await ended;
  });
  return { client, root, stateDir, ended };
}

export interface HttpWorld {
  readonly root: string;
  readonly stateDir: string;
  readonly url: string;
  readonly token: string;
  /** Another client of the same server. */
  connect(era: Era, capabilities?: ClientCapabilities, prepare?: Prepare): Promise<Client>;
  close(): Promise<void>;
}

export async function openHttpWorld(options: Partial<CellOptions> = {}): Promise<HttpWorld> {
  const { root, stateDir, cell } = makeProject(options);
  const { url, tokenFile, close } = await serveMcpHttp({ ...cell, port: 0 });
  const token = fs.readFileSync(tokenFile, "utf8").trim();
  onTestFinished(close);
  return {
    root,
    stateDir,
    url,
    token,
    close,
    connect: (...client) => connectClient(url, token, ...client),
  };
}

/** Connects a client with a server on HTTP. */
export async function connectClient(
  url: string,
  token: string,
  era: Era,
  capabilities: ClientCapabilities = {},
  prepare: Prepare = () => {},
): Promise<Client> {
  const client = createClient(era, capabilities);
  prepare(client);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

function createStreamTransport(from: Readable, to: Writable): Transport {
  const buffer = new ReadBuffer();
  const transport: Transport = {
    async start() {
      from.on("data", (chunk: Buffer) => {
        buffer.append(chunk);
        for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage())
          transport.onmessage?.(message);
      });
    },
    async send(message) {
      to.write(serializeMessage(message));
    },
    async close() {
      to.end();
      transport.onclose?.();
    },
  };
  return transport;
}
