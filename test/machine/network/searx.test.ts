// web_search with the real searx, which asks an engine on loopback.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { StudioObservation } from "../../../src/core/types.ts";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";

const RESOURCES = "/usr/share/python3-searx";
let engine: http.Server;
let searx: ChildProcess;
let dir: string;
let url: string;

beforeAll(async () => {
  engine = http.createServer((request, response) => {
    const query = new URL(request.url!, "http://engine").searchParams.get("q")!;
    const items =
      query === "nothing"
        ? []
        : [{ title: `About <b>${query}</b>`, url: "https://example.com/1", text: "A &amp; B" }];
    if (query === "broken") response.writeHead(500);
    response.end(JSON.stringify({ items }));
  });
  engine.listen(0, "127.0.0.1");
  await once(engine, "listening");
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  dir = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-searx-"));
  const file = path.join(dir, "settings.yml");
  fs.writeFileSync(file, settings(port, (engine.address() as AddressInfo).port));
  searx = spawn("searx-run", [], {
    env: { PATH: process.env.PATH, SEARX_SETTINGS_PATH: file },
    stdio: "ignore",
  });
  await vi.waitUntil(() => isUp(port), { timeout: 120_000, interval: 200 });
});
afterAll(() => {
  searx.kill("SIGKILL");
  engine.close();
  fs.rmSync(dir, { recursive: true });
});

/** JSON is YAML. */
function settings(port: number, enginePort: number): string {
  return JSON.stringify({
    general: { debug: false, instance_name: "test" },
    search: {
      safe_search: 0,
      autocomplete: "",
      default_lang: "",
      ban_time_on_fail: 5,
      max_ban_time_on_fail: 120,
    },
    server: {
      ...{
        port,
        bind_address: "127.0.0.1",
        secret_key: "0123456789abcdef",
        base_url: false,
        image_proxy: false,
      },
      ...{ http_protocol_version: "1.0", method: "GET", default_http_headers: {} },
    },
    ui: {
      ...{ static_path: `${RESOURCES}/static`, templates_path: `${RESOURCES}/templates` },
      ...{ default_theme: "simple", default_locale: "", theme_args: { oscar_style: "logicodev" } },
    },
    outgoing: {
      request_timeout: 10,
      useragent_suffix: "",
      pool_connections: 10,
      pool_maxsize: 10,
      enable_http2: false,
    },
    engines: [
      {
        ...{ name: "local", engine: "json_engine", shortcut: "lo", categories: "general", enable_http: true },
        search_url: `http://127.0.0.1:${enginePort}/?q={query}`,
        ...{ results_query: "items", url_query: "url", title_query: "title", content_query: "text" },
      },
    ],
    locales: { en: "English" },
    doi_resolvers: { "oadoi.org": "https://oadoi.org/" },
    default_doi_resolver: "oadoi.org",
  });
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function isUp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false)).on("connect", () => socket.destroy());
  });
}

const search = async (query: string) => {
  const { cell } = await openTempCell({
    toolsets: ["web"],
    webSearch: { searxngUrl: url, engines: ["local"] },
  });
  const { meta: _, ...observation } = await cell.call<StudioObservation>({
    name: "web_search",
    arguments: { query },
  });
  return observation;
};

describe("web_search with the real searx", () => {
  test("AC-18 gives its results as a numbered list", async () => {
    expect(await search("cats")).toEqual({
      output: expect.stringMatching(/\n\n1\. About cats\n {3}https:\/\/example\.com\/1\n {3}A & B$/),
      metadata: { provider: "searxng", resultCount: 1, untrusted: true },
      isError: false,
    });
  });

  test("no results are an answer", async () => {
    expect(await search("nothing")).toMatchObject({ output: "No results.", metadata: { resultCount: 0 } });
  });

  test("no results because the engine failed are an error that names the engine", async () => {
    expect(await search("broken")).toMatchObject({
      isError: true,
      output: expect.stringContaining("local: "),
    });
  });
});
