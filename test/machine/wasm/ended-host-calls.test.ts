// A host call in progress ends with its guest, however the guest ends: nobody waits for a request that may cost money.
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Cell } from "../../../src/cell.ts";
import { wasmTool } from "../../../src/tools/wasm/wasm-tool.ts";
import { createStubModel } from "../../kit/worlds/stub-model.ts";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";
import { makeToolFolder } from "../../kit/worlds/wasm-tool-folder.ts";

const JS = "export default ({ method, request }, host) => host.call(method, request)";
const CHAT = { method: "model.chat", request: { messages: [{ role: "user", content: "?" }] } };

/** A server that never answers, with its address. */
async function serveNothing() {
  const server = http.createServer(() => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A model that never answers; `signals` are those of its requests. */
function createHangingModel() {
  const stub = createStubModel({ hangs: true });
  const signals: AbortSignal[] = [];
  const model: typeof stub = {
    ...stub,
    sendMessage(request, signal) {
      signals.push(signal);
      return stub.sendMessage(request, signal);
    },
  };
  return { model, signals };
}

async function openTool(timeout: number, model = createStubModel({ text: "" }), host = "127.0.0.1:9") {
  const capabilities = { model_access: true, network: [host] };
  const path = await makeToolFolder({ js: JS }, { capabilities, limits: { timeout } });
  const tool = wasmTool({ path, grant: capabilities });
  return openTempCell({ tools: [tool], trust: "autonomous", allowedPrivateHosts: [host], model });
}

/** Calls until the guest has come to its host call: on a busy machine its time may be over before that. */
async function callUntil(isReached: () => boolean, cell: Cell, args: object): Promise<void> {
  do expect((await cell.call({ name: "tested", arguments: args })).error?.code).toBe("TIMEOUT");
  while (!isReached());
}

test("a request to the model ends when the tool's own time is over", async () => {
  const { model, signals } = createHangingModel();
  const { cell } = await openTool(1, model);
  await callUntil(() => signals.length > 0, cell, CHAT);
  expect(signals.every(({ aborted }) => aborted)).toBe(true);
});

test("a request to a server ends when the tool's own time is over: its connection is closed", async () => {
  const { server, host } = await serveNothing();
  const closed: Promise<unknown>[] = [];
  server.on("request", ({ socket }: http.IncomingMessage) => closed.push(once(socket, "close")));
  const { cell } = await openTool(1, undefined, host);
  await callUntil(() => closed.length > 0, cell, {
    method: "http.fetch",
    request: { url: `http://${host}/` },
  });
  await Promise.all(closed);
});

test("a request to the model ends when the guest's process is killed", async () => {
  const children = () =>
    fs.readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  const before = new Set(children());
  const { model, signals } = createHangingModel();
  const kill = () => {
    for (const pid of children()) if (!before.has(pid)) process.kill(Number(pid), "SIGKILL");
  };
  const { cell } = await openTool(60, {
    ...model,
    sendMessage(...given) {
      setImmediate(kill);
      return model.sendMessage(...given);
    },
  });
  expect((await cell.call({ name: "tested", arguments: CHAT })).error?.code).toBe("GUEST_CRASHED");
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});
