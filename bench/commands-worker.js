// The process whose commands are measured. Its arguments are a kind, a project and the state directory; each message is the
// number of commands to run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";

const BASH = ["bash", "-c"];
const BWRAP = [
  ...["bwrap", "--unshare-all", "--ro-bind", "/usr", "/usr", "--dev", "/dev", "--proc", "/proc"],
  ...["--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"],
  ...["--tmpfs", "/tmp", "--", ...BASH],
];
const FLOOD_TIMEOUT_MS = 300_000;

const [kind, workspace, stateDir, floodBytes] = process.argv.slice(2);
const flood = `head -c ${floodBytes} /dev/zero | tr '\\0' x`;

/** Each returns a function that runs one command. */
const KINDS = new Map([
  ["raw", () => () => runPlainly([...BASH, "true"])],
  ["bwrap", () => () => runPlainly([...BWRAP, "true"])],
  ["steady", () => openSteady("true", 0)],
  ["changing", () => openSteady("echo $RANDOM > made", 1)],
  ["cold", () => runCold],
  ["raw flood", () => () => runPlainly([...BASH, flood])],
  ["cell flood", openFlood],
]);

const run = await KINDS.get(kind)();
process.on("message", async (count) => {
  let answer = null;
  for (let done = 0; done < count; done++) answer = await run();
  process.send({ answer });
});
process.send("ready");

async function runPlainly([program, ...args]) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.resume();
  child.stderr.resume();
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${program} ended with ${code}.`);
}

async function openKernelCell(options = {}) {
  const { openCell } = await import("../dist/index.js");
  return openCell({ workspace, stateDir, strategy: "kernel", trust: "autonomous", ...options });
}

async function openSteady(command, changes) {
  const cell = await openKernelCell();
  return () => runIn(cell, command, changes);
}

/** A side that fails would look fast. */
async function runIn(cell, command, changes) {
  const { success, error, meta } = await cell.call({ name: "run_command", arguments: { command } });
  if (!success) throw new Error(error.message);
  if (meta.isolation !== "full") throw new Error(`The command was isolated by ${meta.isolation}.`);
  if (meta.changes.count !== changes) throw new Error(`The command changed ${meta.changes.count} files.`);
  return meta;
}

async function runCold() {
  const cell = await openKernelCell();
  await runIn(cell, "true", 0);
  await cell.close();
}

async function openFlood() {
  const limits = { outputBytes: 2 * Number(floodBytes) };
  const cell = await openKernelCell({ limits, timeoutMs: FLOOD_TIMEOUT_MS });
  await runIn(cell, "true", 0);
  const before = memoryBytes("VmRSS");
  return async () => {
    const { artifact } = await runIn(cell, flood, 0);
    const file = path.join(path.dirname(cell.logFile), "artifacts", artifact);
    const { size } = fs.statSync(file);
    fs.rmSync(file);
    return { before, peak: memoryBytes("VmHWM"), artifactBytes: size };
  };
}

function memoryBytes(name) {
  const status = fs.readFileSync("/proc/self/status", "utf8");
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)[1]) * 1024;
}
