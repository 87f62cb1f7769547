// The method of all benchmarks: sides take turns in rounds, so that other load on the machine affects all sides equally.
// Medians of rounds are compared.
import { readdirSync, readFileSync } from "node:fs";

/**
 * Each side is { name, work, prepare?, pid? }: `work` runs `count` operations, `prepare` does unmeasured work before, and
 * `pid` is the process whose CPU counts (without it only the time is measured).
 * Returns figures per operation, in microseconds, by name.
 * At most half of the time is for warm-up rounds; there is always at least one measured round.
 */
export async function takeTurns(sides, { warmUpRounds, rounds, count, maxMs }) {
  await playRounds(sides, warmUpRounds, count, maxMs / 2);
  const taken = await playRounds(sides, rounds, count, maxMs / 2);
  return Object.fromEntries(sides.map(({ name }, at) => [name, summarize(taken.map((round) => round[at]))]));
}

async function playRounds(sides, rounds, count, maxMs) {
  const deadline = performance.now() + maxMs;
  const taken = [];
  while (taken.length < rounds && (taken.length === 0 || performance.now() < deadline)) {
    const round = [];
    for (const side of sides) round.push(await measureOnce(side, count));
    taken.push(round);
  }
  return taken;
}

async function measureOnce({ work, prepare, pid }, count) {
  await prepare?.(count);
  const cpuBefore = pid === undefined ? null : cpuMicroseconds(pid);
  const before = performance.now();
  await work(count);
  const wallUs = ((performance.now() - before) * 1000) / count;
  const cpuUs = pid === undefined ? null : (cpuMicroseconds(pid) - cpuBefore) / count;
  return { wallUs, cpuUs };
}

const TICK_US = 10_000;

// The CPU time of all threads, to the nanosecond: exact, because the process is idle when we read it. Also that of ended
// children, to the tick, and of running children.
function cpuMicroseconds(pid) {
  const tasks = `/proc/${pid}/task`;
  const ofTask = (task) => Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]) / 1000;
  const [, fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [userTicks, systemTicks] = fields.split(" ").slice(13, 15).map(Number);
  const waitedFor = (userTicks + systemTicks) * TICK_US;
  return waitedFor + sum(readdirSync(tasks).map(ofTask)) + sum(childrenOf(pid).map(cpuOfChild));
}

function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").slice(0, -1);
}

/** If the child has ended, the next measurement counts it among the ended children. */
function cpuOfChild(pid) {
  try {
    return cpuMicroseconds(pid);
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ESRCH") return 0;
    throw error;
  }
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/** Medians, and the spread of the rounds. */
function summarize(samples) {
  const walls = samples.map(({ wallUs }) => wallUs);
  const cpus = samples.map(({ cpuUs }) => cpuUs);
  return {
    wallUs: median(walls),
    lowestUs: Math.min(...walls),
    highestUs: Math.max(...walls),
    cpuUs: cpus[0] === null ? null : median(cpus),
    rounds: samples.length,
  };
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Whether a ratio meets its goal. */
export function compareWithAim(what, ratio, atMost) {
  return { what, ratio, atMost, holds: ratio <= atMost };
}

export function formatAim({ what, ratio, atMost, holds }) {
  return `${holds ? "holds " : "misses"}  ${what}: ${formatRatio(ratio)}, aim ${formatRatio(atMost)}`;
}

export function formatRatio(ratio) {
  return ratio < 0.05 ? `1/${Math.round(1 / ratio)}` : ratio.toFixed(2);
}

export function formatTime(us) {
  if (us < 1000) return `${us.toFixed(1)} µs`;
  return us < 1e6 ? `${(us / 1000).toFixed(1)} ms` : `${(us / 1e6).toFixed(1)} s`;
}

/** Rows of text in columns: the first left-aligned, the others right-aligned. */
export function formatTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) =>
    row.map((text, at) => (at === 0 ? text.padEnd(widths[at]) : text.padStart(widths[at]))).join("  ");
  return rows.map(line).join("\n");
}
