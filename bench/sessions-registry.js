// `hotcell session list` and `gc` with 1,000 sessions of one project, each with one change, the start of Node included.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createSession } from "../dist/workspace/session/create-session.js";
import { compareWithAim, formatAim, formatTable, formatTime, takeTurns } from "./measure.js";
import { protectionOf } from "./sessions-tree.js";

const SESSIONS = 1000;
const FILES = 200;
const MAX_SECONDS = 2;
const CLI = new URL("../bin/hotcell.js", import.meta.url).pathname;

export async function measureRegistry(home) {
  const dir = fs.mkdtempSync(path.join(home, "registry-"));
  try {
    const project = path.join(dir, "project");
    const stateDir = path.join(dir, "state");
    await createSessions(project, stateDir);
    const side = (name) => ({
      name,
      pid: process.pid,
      work: () =>
        execFileSync(process.execPath, [CLI, "session", name, "--state-dir", stateDir], { cwd: project }),
    });
    const sides = [side("list"), side("gc")];
    const figures = await takeTurns(sides, { warmUpRounds: 1, rounds: 5, count: 1, maxMs: 60_000 });
    const comparisons = Object.entries(figures).map(([name, { wallUs }]) =>
      compareWithAim(`session ${name}, seconds`, wallUs / 1e6, MAX_SECONDS),
    );
    return { figures, comparisons };
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
}

async function createSessions(project, stateDir) {
  for (const made of [project, stateDir]) fs.mkdirSync(made, { mode: 0o700 });
  for (let n = 0; n < FILES; n++) fs.writeFileSync(path.join(project, `f${n}`), "before\n");
  for (let n = 0; n < SESSIONS; n++) {
    const session = await createSession(project, { stateDir, protectionOf, strategy: "kernel" });
    fs.writeFileSync(`/proc/self/fd/${session.view.fd}/f${n % FILES}`, `after ${n}\n`);
    session.close();
  }
}

export function formatRegistry({ figures, comparisons }) {
  const rows = Object.entries(figures).map(([name, { wallUs, lowestUs, cpuUs }]) => [
    `session ${name}`,
    ...[wallUs, lowestUs, cpuUs].map(formatTime),
  ]);
  const table = formatTable([[`${SESSIONS} sessions`, "wall", "lowest", "CPU"], ...rows]);
  return `${table}\n${comparisons.map(formatAim).join("\n")}`;
}
