// The cost of a command from the request to its end, compared to the bare shell, bubblewrap alone and another sandbox; and
// the cost of very large output.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { cacheDir } from "./cache-dir.js";
import { FLOOD_BYTES, openCommandSides, openFloodSides } from "./commands-sides.js";
import { compareWithAim, formatAim, formatRatio, formatTable, formatTime, takeTurns } from "./measure.js";

const COMMAND_TURNS = { warmUpRounds: 2, rounds: 15, count: 20, maxMs: 240_000 };
const FLOOD_TURNS = { warmUpRounds: 0, rounds: 3, count: 1, maxMs: 240_000 };
const MAX_RAW_RATIO = 4.5;
const MAX_RUNTIME_RATIO = 1 / 3;
const MAX_MEMORY_RATIO = 1 / 10;
const MB = 1e6;

export async function measure() {
  const cache = cacheDir();
  fs.mkdirSync(cache, { recursive: true });
  const home = fs.mkdtempSync(path.join(cache, "run-"));
  try {
    const commands = await measureCommands(home);
    const flood = await measureFlood(home);
    return { commands, flood, aims: aimsOf(commands, flood) };
  } finally {
    removeTree(home);
  }
}

async function measureCommands(home) {
  const { sides, close } = await openCommandSides(home);
  try {
    return await takeTurns(sides, COMMAND_TURNS);
  } finally {
    await close();
  }
}

async function measureFlood(home) {
  const { sides, close } = await openFloodSides(home);
  try {
    const costs = await takeTurns(sides, FLOOD_TURNS);
    const { answer: memory } = sides.find(({ name }) => name === "hotcell");
    if (memory.artifactBytes !== FLOOD_BYTES)
      throw new Error(`The artifact has ${memory.artifactBytes} bytes of ${FLOOD_BYTES}.`);
    return { bytes: FLOOD_BYTES, costs, memory };
  } finally {
    await close();
  }
}

/** The kernel's work directory of an overlay has no permissions, also not for the ordinary user who mounted it. */
function removeTree(dir) {
  execFileSync("chmod", ["-R", "u+rwx", dir]);
  fs.rmSync(dir, { recursive: true });
}

function aimsOf(commands, { bytes, memory }) {
  const steady = commands["hotcell steady"].wallUs;
  const ratioTo = (name) => steady / commands[name].wallUs;
  return [
    compareWithAim("hotcell steady ÷ bash -c true", ratioTo("bash -c true"), MAX_RAW_RATIO),
    compareWithAim("hotcell steady ÷ sandbox-runtime", ratioTo("sandbox-runtime"), MAX_RUNTIME_RATIO),
    compareWithAim("most memory of hotcell ÷ output", memory.peak / bytes, MAX_MEMORY_RATIO),
  ];
}

export function format({ commands, flood, aims }) {
  const raw = commands["bash -c true"];
  const rows = Object.entries(commands).map(([name, cost]) => [name, ...costCells(cost, raw)]);
  return `${[
    formatTable([["per command", "wall", "lowest", "highest", "CPU", "÷ raw: wall", "CPU"], ...rows]),
    formatFlood(flood),
    aims.map(formatAim).join("\n"),
  ].join("\n\n")}\n`;
}

function costCells({ wallUs, lowestUs, highestUs, cpuUs }, raw) {
  const times = [wallUs, lowestUs, highestUs, cpuUs].map(formatTime);
  return [...times, ...[wallUs / raw.wallUs, cpuUs / raw.cpuUs].map(formatRatio)];
}

function formatFlood({ bytes, costs, memory }) {
  const rows = Object.entries(costs).map(([name, { wallUs, cpuUs }]) => [
    name,
    formatTime(wallUs),
    formatTime(cpuUs),
    (bytes / wallUs).toFixed(0),
  ]);
  const [before, peak] = [memory.before, memory.peak].map((size) => (size / MB).toFixed(0));
  return [
    formatTable([[`${(bytes / MB).toFixed(0)} MB of output`, "wall", "CPU", "MB/s"], ...rows]),
    `hotcell's own memory: ${before} MB before, ${peak} MB at most; the artifact is whole.`,
  ].join("\n");
}
