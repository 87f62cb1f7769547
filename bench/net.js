// The guarded HTTP client beside plain undici, and 100 MB through a cell's proxy beside the same download without one.
// Everything is on loopback, so that the figures are the cost of hotcell's own work.
import { fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { Agent } from "undici";
import { openCell } from "../dist/index.js";
import { createHttpClient } from "../dist/net/http-client.js";

const REQUESTS = 2000;
const ROUNDS = 7;
const MEGABYTES = 100;
const MIB = 1024 * 1024;

export async function measure() {
  const server = fork(new URL("./net-server.js", import.meta.url));
  const [port] = await once(server, "message");
  try {
    return { requests: await measureRequests(port), download: await measureDownload(port) };
  } finally {
    server.disconnect();
  }
}

/** Alternating, so that both meet the same load of the machine. */
async function measureRequests(port) {
  const url = `http://127.0.0.1:${port}/`;
  const signal = new AbortController().signal;
  const guarded = createHttpClient({ allowedPrivateHosts: [{ host: "127.0.0.1", port }] });
  const agent = new Agent();
  const sides = {
    undici: async () => (await agent.request({ origin: url, path: "/", method: "GET" })).body.arrayBuffer(),
    guarded: () => guarded.request({ url }, signal),
  };
  const times = { undici: [], guarded: [] };
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, send] of Object.entries(sides)) {
      const ms = await timeOf(async () => {
        for (let count = 0; count < REQUESTS; count++) await send();
      });
      // The first round warms up.
      if (round > 0) times[name].push(ms / REQUESTS);
    }
  await Promise.all([guarded.close(), agent.close()]);
  const [undiciMs, guardedMs] = [median(times.undici), median(times.guarded)];
  return { undiciMs, guardedMs, ratio: guardedMs / undiciMs, aim: "at most 1.15" };
}

/** The same program in the same sandbox: through the proxy, and with the machine's own network. */
async function measureDownload(port) {
  const top = fs.mkdtempSync("/var/tmp/hotcell-bench-");
  fs.mkdirSync(path.join(top, "project"));
  const options = {
    workspace: path.join(top, "project"),
    stateDir: path.join(top, "state"),
    trust: "autonomous",
  };
  const host = `host.hotcell.internal:${port}`;
  const proxied = await openCell({ ...options, rules: [`allow network(${host})`] });
  const direct = await openCell({ ...options, toolAllowDirectNetwork: true });
  const download = async (cell, place, flags = "") => {
    const command = `curl -sSo /dev/null ${flags} -w '%{time_total} %{size_download}' http://${place}/large/${MEGABYTES}`;
    const { output } = await cell.call({ name: "run_command", arguments: { command } });
    const [seconds, bytes] = output.stdout.split(" ").map(Number);
    if (bytes !== MEGABYTES * MIB) throw new Error(`The download failed: ${output.stderr}`);
    return MEGABYTES / seconds;
  };
  const speeds = { direct: [], proxy: [], tunnel: [] };
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      const found = {
        direct: await download(direct, `127.0.0.1:${port}`),
        proxy: await download(proxied, host),
        tunnel: await download(proxied, host, "-p"),
      };
      if (round > 0) for (const [name, speed] of Object.entries(found)) speeds[name].push(speed);
    }
  } finally {
    await Promise.all([proxied.close(), direct.close()]);
    fs.rmSync(top, { recursive: true });
  }
  const [directMbPerS, proxyMbPerS] = [median(speeds.direct), median(speeds.proxy)];
  return {
    directMbPerS,
    proxyMbPerS,
    tunnelMbPerS: median(speeds.tunnel),
    ratio: proxyMbPerS / directMbPerS,
    aim: "at least 0.6",
  };
}

async function timeOf(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

export function format({ requests, download }) {
  return `${[
    `one request, kept-alive connection: undici ${requests.undiciMs.toFixed(3)} ms, guarded ${requests.guardedMs.toFixed(3)} ms: ${requests.ratio.toFixed(2)} (aim: ${requests.aim})`,
    `${MEGABYTES} MB by curl in a cell: direct ${download.directMbPerS.toFixed(0)} MB/s, proxy ${download.proxyMbPerS.toFixed(0)} MB/s, tunnel ${download.tunnelMbPerS.toFixed(0)} MB/s: ${download.ratio.toFixed(2)} (aim: ${download.aim})`,
    "The floor: one thread of Node reads and writes each byte that passes the proxy; curl and the server have threads of their own.",
  ].join("\n")}\n`;
}
