// The measured process of one side: its arguments are its kind, a project and a state directory. It answers the first
// message with its address.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { WebSocketServer } from "ws";
import { createPresence } from "../dist/doors/server/presence.js";
import { createRunFeed } from "../dist/doors/server/runs/run-feed.js";
import { createServerEvents } from "../dist/doors/server/server-events.js";
import { createSocketServer } from "../dist/doors/server/socket-server.js";
import { openCell } from "../dist/index.js";
import { openServer } from "../dist/server.js";

const [kind, workspace, stateDir] = process.argv.slice(2);
const options = { workspace, stateDir, trust: "autonomous" };
const READ = { name: "read_file", arguments: { path: "file.txt" } };
const RUN = "run_00000000";
const CONTENT = "All work and no play makes a very dull line of text. ";
const KINDS = { server: openHotcell, hono: openHono, cell: openInProcess, feed: openFeed, ws: openWs };
const { address, work = async () => {} } = await KINDS[kind]();

process.on("message", async ({ count }) => {
  if (count === undefined) return process.send(address);
  await work(count);
  process.send("done");
});
// The servers would go on.
process.on("disconnect", () => process.exit());
process.send("ready");

async function openHotcell() {
  const server = await openServer({ ...options, port: 0 });
  return { address: { url: server.url, token: readFileSync(server.tokenFile, "utf8").trim() } };
}

/** The same answer, read from memory. */
async function openHono() {
  const cell = await openCell(options);
  const observation = await cell.call(READ);
  await cell.close();
  const app = new Hono();
  app.post("/api/tools/call", async (context) => {
    await context.req.json();
    return context.json(observation);
  });
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  return { address: { url: `http://127.0.0.1:${server.address().port}`, token: "" } };
}

async function openInProcess() {
  const cell = await openCell(options);
  const work = async (count) => {
    for (let done = 0; done < count; done++) await cell.call(READ);
  };
  return { address: {}, work };
}

/** Sockets of the server that follow a run; each event is published as the loop does, after it is in the log. */
async function openFeed() {
  const feed = createRunFeed();
  const file = `${stateDir}/none.jsonl`;
  feed.open(RUN, file);
  const sockets = createSocketServer(
    {
      feed,
      events: createServerEvents(() => {}),
      presence: createPresence(),
      runs: { find: () => ({ run: RUN, file }) },
      onError: (error) => console.error(error),
    },
    (open) => open(),
  );
  const url = await listen((...request) => sockets.upgrade(...request));
  let seq = 0;
  const publish = () =>
    feed.publish(RUN, { seq: ++seq, ts: new Date().toISOString(), kind: "text", content: CONTENT });
  publish();
  return { address: { url, run: RUN }, work: (count) => repeat(count, publish) };
}

async function openWs() {
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const url = await listen((...request) =>
    server.handleUpgrade(...request, (socket) => socket.on("message", () => {})),
  );
  let seq = 0;
  const send = () => {
    const frame = { type: "chat:text-delta", messageId: `${RUN}.m1`, content: CONTENT, seq: ++seq };
    const text = JSON.stringify({ ...frame, conversationId: RUN });
    for (const client of server.clients) client.send(text);
  };
  return { address: { url, run: RUN }, work: (count) => repeat(count, send) };
}

/** One event in a turn of the event loop, as events come. */
async function repeat(count, send) {
  for (let done = 0; done < count; done++) {
    send();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function listen(upgrade) {
  const server = http.createServer();
  server.on("upgrade", upgrade);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${server.address().port}`;
}
