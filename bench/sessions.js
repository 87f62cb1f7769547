// The cost of a session on a real tree, by library calls, compared to other ways to do the same.
import fs from "node:fs";
import path from "node:path";
import { compareWithAim, formatRatio, formatTable, formatTime } from "./measure.js";
import { walkPlainly } from "./sessions-brute-force.js";
import { measureCreate, measureDiscard } from "./sessions-having.js";
import { formatMany, measureMany } from "./sessions-many.js";
import { formatRegistry, measureRegistry } from "./sessions-registry.js";
import { copiesOf, openSessions } from "./sessions-sides.js";
import { openTree } from "./sessions-tree.js";
import {
  measureCommit,
  measureDiff,
  measureFirstEdit,
  measureFirstWalk,
  measureReading,
} from "./sessions-using.js";

const AIMS = new Map([
  ["create ÷ git worktree add", 1 / 200],
  ["read ÷ readFileSync", 1.3],
  ["walk ÷ readdirSync", 1.3],
  ["diff ÷ compare contents", 1 / 10],
  ["commit ÷ write, fsync, rename", 1.5],
]);

export async function measure() {
  const tree = openTree();
  const home = fs.mkdtempSync(path.join(tree.home, "run-"));
  const sessions = openSessions(path.join(home, "state"));
  const copies = copiesOf(tree.dir, home);
  try {
    return await measureAll({ tree, home, sessions, copies });
  } finally {
    sessions.removeAll();
    fs.rmSync(home, { recursive: true, force: true });
    copies.forget();
  }
}

async function measureAll(bench) {
  readAll(bench.tree.dir);
  const figures = {
    create: await measureCreate(bench),
    ...(await measureReading(bench)),
    "first walk": await measureFirstWalk(bench),
    "first edit": await measureFirstEdit(bench),
    diff: await measureDiff(bench),
    commit: await measureCommit(bench),
    discard: await measureDiscard(bench),
  };
  return {
    files: bench.tree.fileCount,
    figures,
    comparisons: Object.entries(figures).flatMap(compare),
    many: measureMany(bench.home),
    registry: await measureRegistry(bench.home),
  };
}

/** Brings the tree into the system's cache, for all sides. */
function readAll(dir) {
  walkPlainly(dir, (file, entry) => entry.isFile() && fs.readFileSync(path.join(dir, file)));
}

function compare([operation, { hotcell, ...others }]) {
  return Object.entries(others).map(([name, { wallUs, cpuUs }]) => {
    const what = `${operation} ÷ ${name}`;
    const ratio = hotcell.wallUs / wallUs;
    const atMost = AIMS.get(what);
    const aim = atMost === undefined ? { what, ratio } : compareWithAim(what, ratio, atMost);
    return { ...aim, cpuRatio: hotcell.cpuUs / cpuUs };
  });
}

export function format({ files, figures, comparisons, many, registry }) {
  const costs = Object.entries(figures).flatMap(([operation, sides]) =>
    Object.entries(sides).map(([name, cost]) => [`${operation}, ${name}`, ...costCells(cost)]),
  );
  return `${[
    `A tree of ${files} files.`,
    formatTable([["", "wall", "lowest", "highest", "CPU", "rounds"], ...costs]),
    formatTable([["hotcell ÷ another", "CPU", "wall", "aim", ""], ...comparisons.map(comparisonCells)]),
    formatMany(many),
    formatRegistry(registry),
  ].join("\n\n")}\n`;
}

function costCells({ wallUs, lowestUs, highestUs, cpuUs, rounds }) {
  return [...[wallUs, lowestUs, highestUs, cpuUs].map(formatTime), String(rounds)];
}

function comparisonCells({ what, ratio, cpuRatio, atMost, holds }) {
  const ratios = [cpuRatio, ratio].map(formatRatio);
  if (atMost === undefined) return [what, ...ratios, "", ""];
  return [what, ...ratios, formatRatio(atMost), holds ? "holds" : "misses"];
}
