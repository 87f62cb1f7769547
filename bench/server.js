// The cost of the server: a call over HTTP beside a bare route and the same call in process; one event to many sockets
// beside bare `ws`.
import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "undici";
import { WebSocket } from "ws";
import { compareWithAim, formatAim, formatTable, formatTime, takeTurns } from "./measure.js";
import { openWorker } from "./open-worker.js";

const SOCKETS = 100;
const CALLS = { warmUpRounds: 3, rounds: 9, count: 100, maxMs: 20_000 };
const EVENTS = { warmUpRounds: 3, rounds: 9, count: 100, maxMs: 20_000 };
const MAX_OF_SUM = 1.3;
const MAX_OF_WS = 1.5;

export async function measure() {
  const home = fs.mkdtempSync(path.join(tmpdir(), "hotcell-bench-"));
  const project = path.join(home, "project");
  fs.mkdirSync(project);
  fs.writeFileSync(path.join(project, "file.txt"), "All work and no play.\n".repeat(50));
  const open = (kind) =>
    openWorker(new URL("./server-worker.js", import.meta.url), [kind, project, path.join(home, kind)]);
  try {
    const calls = await measureCalls(open);
    const events = await measureEvents(open);
    return { calls, events, aims: aimsOf(calls, events) };
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

async function measureCalls(open) {
  const [server, hono, cell] = [await open("server"), await open("hono"), await open("cell")];
  const sides = [
    await httpSide("hotcell server", server),
    await httpSide("bare hono", hono),
    { name: "in process", pid: cell.pid, work: (count) => cell.ask({ count }), close: () => {} },
  ];
  const figures = await takeTurns(sides, CALLS);
  for (const { close } of sides) await close();
  for (const worker of [server, hono, cell]) await worker.close();
  return figures;
}

async function httpSide(name, worker) {
  const { url, token } = await worker.ask({});
  const client = new Client(url);
  const request = {
    method: "POST",
    path: "/api/tools/call",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ name: "read_file", arguments: { path: "file.txt" } }),
  };
  const work = async (count) => {
    for (let done = 0; done < count; done++) {
      const { body } = await client.request(request);
      const { success } = await body.json();
      if (!success) throw new Error(`${name}: the call failed`);
    }
  };
  return { name, pid: worker.pid, work, close: () => client.close() };
}

async function measureEvents(open) {
  const [feed, ws] = [await open("feed"), await open("ws")];
  const sides = [await socketSide("hotcell sockets", feed), await socketSide("bare ws", ws)];
  const figures = await takeTurns(sides, EVENTS);
  for (const { close } of sides) close();
  for (const worker of [feed, ws]) await worker.close();
  return figures;
}

/** Done when every socket has every event. */
async function socketSide(name, worker) {
  const { url, run } = await worker.ask({});
  let received = 0;
  let arrived = () => {};
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, () => openSocket(url, run, () => arrived(++received))),
  );
  const work = async (count) => {
    const wanted = received + count * SOCKETS;
    const all = new Promise((resolve) => {
      arrived = (now) => now >= wanted && resolve();
    });
    await worker.ask({ count });
    await all;
  };
  const close = () => {
    for (const socket of sockets) socket.terminate();
  };
  return { name, pid: worker.pid, work, close };
}

/** Resolves when it follows the run: bare `ws` has nothing to follow. */
function openSocket(url, run, onFrame) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("open", () => {
      socket.send(JSON.stringify({ type: "chat:resume", conversationId: run, resumeFrom: 0 }));
      socket.ping();
    });
    // A pong comes after the frames that were there already.
    socket.on("pong", () => {
      socket.on("message", onFrame);
      resolve(socket);
    });
  });
}

function aimsOf(calls, events) {
  const sum = calls["bare hono"].wallUs + calls["in process"].wallUs;
  return [
    compareWithAim(
      "POST tools/call, beside hono and the call in process",
      calls["hotcell server"].wallUs / sum,
      MAX_OF_SUM,
    ),
    compareWithAim(
      "one event to 100 sockets, beside bare ws",
      events["hotcell sockets"].wallUs / events["bare ws"].wallUs,
      MAX_OF_WS,
    ),
  ];
}

export function format({ calls, events, aims }) {
  const rows = (figures) =>
    Object.entries(figures).map(([name, { wallUs, lowestUs, cpuUs }]) => [
      name,
      formatTime(wallUs),
      formatTime(lowestUs),
      formatTime(cpuUs),
    ]);
  const head = (what) => [what, "median", "lowest", "CPU"];
  return `${[
    formatTable([head("one call"), ...rows(calls)]),
    formatTable([head(`one event to ${SOCKETS} sockets`), ...rows(events)]),
    aims.map(formatAim).join("\n"),
  ].join("\n\n")}\n`;
}
