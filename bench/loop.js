// The cost of a streamed answer: hotcell's adapters and loop beside the SDKs of the providers and Vercel's AI SDK.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { compareWithAim, formatAim, formatTable, formatTime, takeTurns } from "./measure.js";
import { installSdks } from "./sdks.js";

const SIDES = [
  "hotcell adapter, anthropic",
  "@anthropic-ai/sdk",
  "ai, anthropic",
  "hotcell adapter, openai",
  "openai",
  "ai, openai",
  "hotcell runAgent",
];
const EVENTS = 2000;
const TURNS = { warmUpRounds: 4, rounds: 9, count: 4, maxMs: 60_000 };
const RUNS = 100;
const HELD_SIDES = ["hotcell runAgent", "openai", "ai, openai"];
const HELD_EVENTS = 200;
const MAX_OF_LEANEST = 1.2;
const MAX_OF_AI = 0.2;
const MB = 1e6;

export async function measure() {
  const server = fork(new URL("./loop-server.js", import.meta.url));
  const [port] = await once(server, "message");
  try {
    const events = await measureEvents(port);
    const memory = await measureMemory(port);
    return { events, memory, aims: aimsOf(events) };
  } finally {
    server.disconnect();
  }
}

async function measureEvents(port) {
  const workers = [];
  for (const name of SIDES) workers.push({ name, ...(await openWorker(name, port)) });
  const sides = workers.map(({ name, pid, ask }) => ({
    name,
    pid,
    work: (count) => ask({ kind: "read", count, events: EVENTS }),
  }));
  const perAnswer = await takeTurns(sides, TURNS);
  for (const { close } of workers) close();
  return Object.fromEntries(
    Object.entries(perAnswer).map(([name, { cpuUs, wallUs }]) => [
      name,
      { cpuUs: cpuUs / EVENTS, wallUs: wallUs / EVENTS },
    ]),
  );
}

async function measureMemory(port) {
  const grown = {};
  for (const name of HELD_SIDES) {
    const { ask, close } = await openWorker(name, port);
    await ask({ kind: "read", count: 4, events: EVENTS });
    const { done } = await ask({ kind: "hold", count: RUNS, events: HELD_EVENTS });
    grown[name] = done / MB;
    close();
  }
  return grown;
}

/** All sides run on the Node that the newest SDKs need. */
async function openWorker(side, port) {
  const { dir, node } = installSdks();
  const hotcell = new URL("../dist", import.meta.url).href;
  const args = ["--expose-gc", "--input-type=module", "-", side, String(port), hotcell];
  const stdio = ["pipe", "ignore", "inherit", "ipc"];
  const child = spawn(node, args, { cwd: dir, stdio, env: { HOME: process.env.HOME } });
  child.stdin.end(fs.readFileSync(new URL("./loop-worker.js", import.meta.url)));
  let isWanted = true;
  child.once("exit", () => {
    if (isWanted) throw new Error(`${side} ended by itself`);
  });
  const answer = async () => (await once(child, "message"))[0];
  await answer();
  return {
    pid: child.pid,
    ask(task) {
      child.send(task);
      return answer();
    },
    close() {
      isWanted = false;
      child.disconnect();
    },
  };
}

function aimsOf(events) {
  const cpu = (name) => events[name].cpuUs;
  return [
    ["anthropic", "@anthropic-ai/sdk"],
    ["openai", "openai"],
  ].flatMap(([wire, sdk]) => [
    compareWithAim(
      `CPU of an event, hotcell adapter ÷ ${sdk}`,
      cpu(`hotcell adapter, ${wire}`) / cpu(sdk),
      MAX_OF_LEANEST,
    ),
    compareWithAim(
      `CPU of an event, hotcell adapter ÷ ai, ${wire}`,
      cpu(`hotcell adapter, ${wire}`) / cpu(`ai, ${wire}`),
      MAX_OF_AI,
    ),
  ]);
}

export function format({ events, memory, aims }) {
  const rows = Object.entries(events).map(([name, { cpuUs, wallUs }]) => [
    name,
    formatTime(cpuUs),
    formatTime(wallUs),
  ]);
  const grown = Object.entries(memory).map(([name, mb]) => [name, `${mb.toFixed(0)} MB`]);
  return `${[
    formatTable([["one event of a stream", "CPU", "wall"], ...rows]),
    formatTable([[`${RUNS} answers at once`, "memory"], ...grown]),
    aims.map(formatAim).join("\n"),
  ].join("\n\n")}\n`;
}
