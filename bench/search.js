// The cost of a search compared to ripgrep with two threads, on a real tree: whole scans, the first hits, and a very long line.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import {
  compareWithAim,
  formatAim,
  formatRatio,
  formatTable,
  formatTime,
  median,
  takeTurns,
} from "./measure.js";
import { openWorker } from "./open-worker.js";
import { openTree } from "./sessions-tree.js";

const SCAN_TURNS = { warmUpRounds: 3, rounds: 5, count: 1, maxMs: 60_000 };
const FIRST_TURNS = { warmUpRounds: 20, rounds: 11, count: 5, maxMs: 30_000 };
const FIRST_HITS = 50;
const BEGINNINGS = 3;
const MAX_SCAN_RATIO = 1.2;
const MAX_FIRST_RATIO = 1 / 10;
const MAX_MEMORY_RATIO = 1 / 10;
const LINE_BYTES = 1024 ** 3;
const MB = 1e6;

const QUERIES = {
  "literal, rare": { pattern: "useLayoutEffect" },
  "literal, common": { pattern: "function" },
  "literal, none": { pattern: "no such thing in here" },
  "literal, ignoring case": { pattern: "todo", ignoreCase: true },
  "regex with a literal": { pattern: "export (default )?(async )?function", regex: true },
  "regex, alternatives": { pattern: "TODO|FIXME|XXX", regex: true },
  "regex, anchored": { pattern: "^import .* from ['\"]react['\"]", regex: true },
  "regex with one character": { pattern: "[A-Z]{3}-[0-9]{4}", regex: true },
  "regex without a literal": { pattern: "[A-Z]{3}[0-9]{4}", regex: true },
};
const WHO = { "ripgrep -j2": "ripgrep", "hotcell, host": "host", "hotcell, session": "session" };

export async function measure() {
  const { dir, home, fileCount } = openTree();
  const work = fs.mkdtempSync(path.join(home, "run-"));
  try {
    const sides = await openSides(dir, path.join(work, "state"));
    try {
      const scans = {};
      for (const [name, query] of Object.entries(QUERIES))
        scans[name] = await compare(sides, query, SCAN_TURNS);
      const first = await compare(sides, { ...QUERIES["literal, common"], most: FIRST_HITS }, FIRST_TURNS);
      const begins = await measureBeginning(dir, path.join(work, "begin-state"));
      const line = await measureLine(work);
      return { fileCount, scans, first, begins, line, aims: aimsOf(scans, first, line) };
    } finally {
      for (const side of sides) await side.close();
    }
  } finally {
    removeTree(work);
  }
}

async function openSides(dir, stateDir) {
  const sides = [];
  for (const [name, kind] of Object.entries(WHO)) sides.push(await openSide(name, kind, dir, stateDir));
  return sides;
}

async function openSide(name, kind, dir, stateDir) {
  const worker = await openWorker(new URL("./search-worker.js", import.meta.url), [kind, dir, stateDir]);
  return { name, ...worker };
}

/** The first search of a process: it starts the workers, compiles the code, and lists every directory. */
async function measureBeginning(dir, stateDir) {
  const walls = [];
  for (let round = 0; round < BEGINNINGS; round++) {
    const side = await openSide("hotcell", "host", dir, stateDir);
    try {
      const started = performance.now();
      await side.ask({ query: QUERIES["literal, none"], count: 1 });
      walls.push((performance.now() - started) * 1000);
    } finally {
      await side.close();
    }
  }
  return { wallUs: median(walls) };
}

/** All sides must find the same number of lines: a side that finds fewer would look fast. */
async function compare(sides, query, turns) {
  const found = new Map();
  const players = sides.map(({ name, pid, ask }) => ({
    name,
    pid,
    async work(count) {
      found.set(name, (await ask({ query, count })).lines);
    },
  }));
  const costs = await takeTurns(players, turns);
  const [lines, ...others] = found.values();
  if (others.some((other) => other !== lines))
    throw new Error(`"${query.pattern}": ${JSON.stringify([...found])} are not the same lines.`);
  return { lines, costs };
}

/** A file of a gigabyte without a line end, and the word at its end. */
async function measureLine(work) {
  const dir = path.join(work, "line");
  fs.mkdirSync(dir);
  const file = fs.openSync(path.join(dir, "long.txt"), "w");
  const part = Buffer.from("all work and no play ".repeat(50_000)).subarray(0, 2 ** 20);
  for (let written = 0; written < LINE_BYTES; written += part.length) fs.writeSync(file, part);
  fs.writeSync(file, "needle");
  fs.closeSync(file);
  const query = { pattern: "needle" };
  const side = await openSide("hotcell", "host", dir, path.join(work, "line-state"));
  try {
    const { memory: before } = await side.ask({ query: { pattern: "nowhere in it", most: 1 }, count: 0 });
    const started = performance.now();
    const { lines, memory } = await side.ask({ query, count: 1 });
    const wallUs = (performance.now() - started) * 1000;
    if (lines !== 1) throw new Error("The long line was not found.");
    return { bytes: LINE_BYTES, hotcell: { wallUs, memory, before }, ripgrep: ripgrepOnLine(dir) };
  } finally {
    await side.close();
  }
}

/** Only the kernel knows the peak memory of the process. */
const PEAK = `import resource, subprocess, sys, time
began = time.monotonic()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)`;

function ripgrepOnLine(dir) {
  const args = ["--no-config", "--line-number", "--fixed-strings", "--threads", "2", "-e", "needle", dir];
  const [seconds, memory] = execFileSync("python3", ["-c", PEAK, rgPath, ...args])
    .toString()
    .split(" ")
    .map(Number);
  return { wallUs: seconds * 1e6, memory };
}

/** The kernel's work directory of an overlay has no permissions, also not for the ordinary user who mounted it. */
function removeTree(dir) {
  execFileSync("chmod", ["-R", "u+rwx", dir]);
  fs.rmSync(dir, { recursive: true });
}

const ratio = ({ costs }, what, key = "wallUs") => costs[what][key] / costs["ripgrep -j2"][key];

function aimsOf(scans, first, { hotcell, ripgrep }) {
  return [
    ...Object.entries(scans).map(([name, scan]) =>
      compareWithAim(`wall of a scan ÷ ripgrep: ${name}`, ratio(scan, "hotcell, host"), MAX_SCAN_RATIO),
    ),
    compareWithAim(`first ${FIRST_HITS} hits ÷ ripgrep`, ratio(first, "hotcell, host"), MAX_FIRST_RATIO),
    compareWithAim(
      "memory on the long line ÷ ripgrep",
      (hotcell.memory - hotcell.before) / ripgrep.memory,
      MAX_MEMORY_RATIO,
    ),
  ];
}

export function format({ fileCount, scans, first, begins, line, aims }) {
  const rows = [...Object.entries(scans), [`first ${FIRST_HITS} hits`, first]].map(([name, one]) => [
    name,
    String(one.lines),
    ...Object.values(one.costs).flatMap(({ wallUs, cpuUs }) => [formatTime(wallUs), formatTime(cpuUs)]),
    ...["hotcell, host", "hotcell, session"].flatMap((who) => [
      formatRatio(ratio(one, who)),
      formatRatio(ratio(one, who, "cpuUs")),
    ]),
  ]);
  const heads = [`${fileCount} files`, "lines", "rg wall", "CPU", "host wall", "CPU", "session wall", "CPU"];
  return `${[
    formatTable([[...heads, "host ÷ rg", "CPU", "session ÷ rg", "CPU"], ...rows]),
    `The first search of a process, for "literal, none": ${formatTime(begins.wallUs)}.`,
    formatLine(line),
    aims.map(formatAim).join("\n"),
  ].join("\n\n")}\n`;
}

function formatLine({ bytes, hotcell, ripgrep }) {
  const size = (count) => `${(count / MB).toFixed(0)} MB`;
  return formatTable([
    [`one line of ${size(bytes)}`, "wall", "memory"],
    ["ripgrep -j2", formatTime(ripgrep.wallUs), size(ripgrep.memory)],
    [
      "hotcell, host",
      formatTime(hotcell.wallUs),
      `${size(hotcell.memory)}, ${size(hotcell.before)} of it before`,
    ],
  ]);
}
