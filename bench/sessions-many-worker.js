// `node sessions-many-worker.js DIR COUNT`: one call creates so many files in a new session. Prints the cost of recording
// them, of their diff and of their removal: time, CPU, and the growth of the peak memory.
import fs from "node:fs";
import path from "node:path";
import { fileClock } from "../dist/workspace/fs/file-clock.js";
import { createSession } from "../dist/workspace/session/create-session.js";
import { protectionOf } from "./sessions-tree.js";

const [dir, countText] = process.argv.slice(2);
const count = Number(countText);
const FILES_IN_DIRECTORY = 500;
const project = path.join(dir, "project");
const stateDir = path.join(dir, "state");
for (const made of [project, stateDir]) fs.mkdirSync(made, { mode: 0o700 });
// The project must be older than the session; otherwise every base would be unknown.
for (const began = fileClock(stateDir); fileClock(stateDir) === began; );
const session = await createSession(project, { stateDir, protectionOf, strategy: "kernel" });

function makeFiles() {
  const root = `/proc/self/fd/${session.view.fd}`;
  for (let file = 0; file < count; file++) {
    const made = `${root}/${Math.floor(file / FILES_IN_DIRECTORY)}`;
    if (file % FILES_IN_DIRECTORY === 0) fs.mkdirSync(made);
    fs.writeFileSync(`${made}/${file}.txt`, `File ${file}.\n`);
  }
}

const memoryPeak = () =>
  Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]) * 1024;

async function measure(work) {
  globalThis.gc();
  fs.writeFileSync("/proc/self/clear_refs", "5");
  const before = memoryPeak();
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  await work();
  const wallUs = (performance.now() - began) * 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallUs, cpuUs: user + system, bytes: Math.max(0, memoryPeak() - before) };
}

async function diff() {
  const found = await session.diff(({ shown }) => shown.length);
  if (found !== count) throw new Error(`the diff has ${found} changes`);
}

// The files themselves are not counted: the next checkpoint records them.
makeFiles();
const figures = {
  record: await measure(() => session.checkpoint()),
  diff: await measure(diff),
  discard: await measure(() => session.discard()),
};
session.close();
process.stdout.write(JSON.stringify(figures));
