// The cost of one call through the whole pipeline, compared to the bare file system and to the reference MCP server for
// files; and the cost of starting the command.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openSides, TEXT } from "./calls-sides.js";
import { compareWithAim, formatAim, formatTable, takeTurns } from "./measure.js";

/** `theirs` is the MCP server's tool. Our listing always has sizes and times, so it is compared with both of theirs. */
const OPERATIONS = [
  { name: "read", tool: "read_file", theirs: "read_text_file", args: { path: "file.txt" } },
  { name: "write", tool: "write_file", theirs: "write_file", args: { path: "new.txt", content: TEXT } },
  { name: "list names", tool: "list_directory", theirs: "list_directory", args: { path: "many" } },
  { name: "list sizes", tool: "list_directory", theirs: "list_directory_with_sizes", args: { path: "many" } },
];
const CALL_TURNS = { warmUpRounds: 25, rounds: 15, count: 160, maxMs: 18_000 };
const START_TURNS = { warmUpRounds: 2, rounds: 40, count: 1, maxMs: 16_000 };
const MAX_CPU_RATIO = 0.1;
const MAX_START_RATIO = 1.3;

export async function measure() {
  const { sides, close } = await openSides();
  try {
    return report(await measureCalls(sides), await measureStart());
  } finally {
    await close();
  }
}

async function measureCalls(sides) {
  const calls = {};
  for (const operation of OPERATIONS) {
    const takers = sides.map(({ name, pid, run }) => ({ name, pid, work: (count) => run(operation, count) }));
    calls[operation.name] = await takeTurns(takers, CALL_TURNS);
  }
  return calls;
}

function measureStart() {
  const hotcell = fileURLToPath(new URL("../bin/hotcell.js", import.meta.url));
  const starter = (name, args) => ({
    name,
    work: (count) => {
      for (let done = 0; done < count; done++) execFileSync(process.execPath, args);
    },
  });
  const sides = [starter("hotcell --version", [hotcell, "--version"]), starter("node -e 0", ["-e", "0"])];
  return takeTurns(sides, START_TURNS);
}

function report(calls, start) {
  const aims = Object.entries(calls).map(([operation, { hotcell, "mcp server": mcp }]) =>
    compareWithAim(
      `${operation}: CPU of a call, hotcell ÷ mcp server`,
      hotcell.cpuUs / mcp.cpuUs,
      MAX_CPU_RATIO,
    ),
  );
  const started = start["hotcell --version"].wallUs / start["node -e 0"].wallUs;
  aims.push(compareWithAim("start: hotcell --version ÷ node -e 0", started, MAX_START_RATIO));
  return { calls, start, aims };
}

export function format({ calls, start, aims }) {
  const rows = Object.entries(calls).flatMap(([operation, { hotcell, ...others }]) => [
    [`${operation}, hotcell`, hotcell.wallUs.toFixed(0), hotcell.cpuUs.toFixed(0), "", ""],
    ...Object.entries(others).map(([name, cost]) => [`${operation}, ${name}`, ...compared(hotcell, cost)]),
  ]);
  const starts = Object.entries(start).map(([name, { wallUs }]) => [name, (wallUs / 1000).toFixed(1)]);
  return `${[
    formatTable([["per call", "wall µs", "CPU µs", "hotcell ÷ it: wall", "CPU"], ...rows]),
    formatTable([["start", "wall ms"], ...starts]),
    aims.map(formatAim).join("\n"),
  ].join("\n\n")}\n`;
}

function compared(hotcell, { wallUs, cpuUs }) {
  const ratios = [hotcell.wallUs / wallUs, hotcell.cpuUs / cpuUs];
  return [wallUs.toFixed(0), cpuUs.toFixed(0), ...ratios.map((ratio) => ratio.toFixed(2))];
}
