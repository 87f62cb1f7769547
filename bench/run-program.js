// `hotcell run` in a terminal, compared to the bare program: the time to the first output, and 100 MB of output.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { cacheDir } from "./cache-dir.js";
import { compareWithAim, formatAim, formatRatio, formatTable, formatTime, median } from "./measure.js";

const CLI = new URL("../bin/hotcell.js", import.meta.url).pathname;
const TERMINAL = new URL("run-terminal.py", import.meta.url).pathname;
const START = ["node", "-e", "console.log('first-'+'output')"];
const FLOOD_BYTES = 100e6;
const FLOOD = [
  "sh",
  "-c",
  `echo first-output; yes 0123456789012345678901234567890123456789 | head -c ${FLOOD_BYTES}`,
];
const START_ROUNDS = 7;
const FLOOD_ROUNDS = 3;
const MAX_START_RATIO = 1.3;
const START_ALLOWANCE_US = 150_000;
const MIN_FLOOD_RATIO = 1 / 2;

export function measure() {
  fs.mkdirSync(cacheDir(), { recursive: true });
  const home = fs.mkdtempSync(path.join(cacheDir(), "run-"));
  try {
    const options = { cwd: home, env: { ...process.env, HOTCELL_STATE_DIR: `${home}-state` } };
    const start = takeTurns(START, START_ROUNDS, ({ first }) => first * 1e6, options);
    // From the first output to the end, because the start is measured above.
    const flood = takeTurns(FLOOD, FLOOD_ROUNDS, ({ first, end }) => (end - first) * 1e6, options);
    return { start, flood, bytes: FLOOD_BYTES, aims: aimsOf(start, flood) };
  } finally {
    execFileSync("chmod", ["-R", "u+rwx", home, `${home}-state`]);
    for (const dir of [home, `${home}-state`]) fs.rmSync(dir, { recursive: true });
  }
}

/** The sides of a command line: bare, under `script` as the floor, the least that makes a terminal, and under `hotcell run`. */
function sidesOf(line) {
  const quoted = line.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return {
    bare: line,
    script: ["script", "--quiet", "--return", "--command", quoted, "/dev/null"],
    "hotcell run": [process.execPath, CLI, "run", "--keep", "--", ...line],
  };
}

/** Medians in microseconds, by side. The first round is for warming up. */
function takeTurns(line, rounds, timeOf, options) {
  const sides = Object.entries(sidesOf(line));
  const taken = new Map(sides.map(([name]) => [name, []]));
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, words] of sides) {
      const ran = JSON.parse(execFileSync("python3", [TERMINAL, ...words], options));
      if (ran.status !== 0 || ran.first === null) throw new Error(`${name}: ${JSON.stringify(ran)}`);
      if (round > 0) taken.get(name).push(timeOf(ran));
    }
  return Object.fromEntries([...taken].map(([name, times]) => [name, median(times)]));
}

function aimsOf(start, flood) {
  const hotcell = start["hotcell run"] - START_ALLOWANCE_US;
  return [
    compareWithAim("start of hotcell run, less 150 ms, ÷ bare", hotcell / start.bare, MAX_START_RATIO),
    compareWithAim("100 MB: hotcell run ÷ bare", flood["hotcell run"] / flood.bare, 1 / MIN_FLOOD_RATIO),
  ];
}

export function format({ start, flood, bytes, aims }) {
  const rows = Object.entries(start).map(([name, us]) => [
    name,
    formatTime(us),
    formatRatio(us / start.bare),
    formatTime(flood[name]),
    (bytes / flood[name]).toFixed(0),
    formatRatio(flood[name] / flood.bare),
    formatRatio(flood[name] / flood.script),
  ]);
  return `${[
    formatTable([["side", "first output", "÷ bare", "100 MB", "MB/s", "÷ bare", "÷ script"], ...rows]),
    aims.map(formatAim).join("\n"),
  ].join("\n\n")}\n`;
}
