// How everything here is measured: sides take turns in rounds, so that what disturbs the machine disturbs
// them alike, and medians of rounds are compared.
import { readdirSync, readFileSync } from "node:fs";

/**
 * Each side is { name, work, pid? }: `work` does `count` operations, `pid` is the process that they cost
 * (left out: only the time is taken). Gives medians per operation, in microseconds, by name.
 * Half of the time at most goes into the rounds that warm up.
 */
export async function takeTurns(sides, { warmUpRounds, rounds, count, maxMs }) {
  await playRounds(sides, warmUpRounds, count, maxMs / 2);
  const taken = await playRounds(sides, rounds, count, maxMs / 2);
  return Object.fromEntries(sides.map(({ name }, at) => [name, medians(taken.map((round) => round[at]))]));
}

async function playRounds(sides, rounds, count, maxMs) {
  const deadline = performance.now() + maxMs;
  const taken = [];
  do {
    const round = [];
    for (const side of sides) round.push(await measureOnce(side, count));
    taken.push(round);
  } while (taken.length < rounds && performance.now() < deadline);
  return taken;
}

async function measureOnce({ work, pid }, count) {
  const cpuBefore = pid === undefined ? null : cpuMicroseconds(pid);
  const before = performance.now();
  await work(count);
  const wallUs = ((performance.now() - before) * 1000) / count;
  const cpuUs = pid === undefined ? null : (cpuMicroseconds(pid) - cpuBefore) / count;
  return { wallUs, cpuUs };
}

// Of all threads together, to the nanosecond; exact because the process waits for us when we look.
function cpuMicroseconds(pid) {
  const tasks = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000;
}

function medians(samples) {
  const of = (key) => median(samples.map((sample) => sample[key]));
  return { wallUs: of("wallUs"), cpuUs: samples[0].cpuUs === null ? null : of("cpuUs") };
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Whether a ratio is within what it is meant to be. */
export function compareWithAim(what, ratio, atMost) {
  return { what, ratio, atMost, holds: ratio <= atMost };
}

export function formatAim({ what, ratio, atMost, holds }) {
  return `${holds ? "holds " : "misses"}  ${what}: ${ratio.toFixed(2)}, aim ${atMost}`;
}

/** Rows of text in columns: the first to the left, the others to the right. */
export function formatTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) =>
    row.map((text, at) => (at === 0 ? text.padEnd(widths[at]) : text.padStart(widths[at]))).join("  ");
  return rows.map(line).join("\n");
}
