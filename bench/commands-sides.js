// The sides of the comparison. Each runs its commands from a separate process: { name, pid, work, close }.
import fs from "node:fs";
import path from "node:path";
import { installSandboxRuntime } from "./commands-sandbox-runtime.js";
import { openWorker } from "./open-worker.js";

export const FLOOD_BYTES = 2 * 1024 ** 3;

const COMMAND_KINDS = {
  "bash -c true": "raw",
  "bare bwrap": "bwrap",
  "hotcell steady": "steady",
  "hotcell after a change": "changing",
  "hotcell cold": "cold",
};
const FLOOD_KINDS = { "plain spawn": "raw flood", hotcell: "cell flood" };

export async function openCommandSides(home) {
  const { node, module } = installSandboxRuntime();
  const worker = new URL("./commands-sandbox-runtime-worker.js", import.meta.url);
  const openRuntime = () => openSide("sandbox-runtime", worker, [module, makeProject(home, "runtime")], node);
  return openAll([...openersOf(COMMAND_KINDS, home), openRuntime]);
}

export function openFloodSides(home) {
  return openAll(openersOf(FLOOD_KINDS, home));
}

function openersOf(kinds, home) {
  const worker = new URL("./commands-worker.js", import.meta.url);
  return Object.entries(kinds).map(([name, kind]) => () => {
    const args = [kind, makeProject(home, kind), path.join(home, "state"), `${FLOOD_BYTES}`];
    return openSide(name, worker, args, process.execPath);
  });
}

async function openAll(openers) {
  const sides = [];
  const close = async () => {
    for (const side of sides) await side.close();
  };
  try {
    for (const open of openers) sides.push(await open());
    return { sides, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const PR_SET_CHILD_SUBREAPER = 36;
const PRCTL = new Map([
  ["x64", 157],
  ["arm64", 167],
]);

// bubblewrap does not wait for the first process of its pid namespace. Only a process that adopts it and waits for it gets
// the CPU time of the command.
const REAPER = `syscall(${PRCTL.get(process.arch)}, ${PR_SET_CHILD_SUBREAPER}, 1, 0, 0, 0) == 0 or die $!;
my $pid = fork; $pid or exec @ARGV; 1 until waitpid(-1, 0) == $pid; exit $? >> 8`;

async function openSide(name, worker, args, node) {
  const reaped = { execPath: "perl", execArgv: ["-e", REAPER, "--", node] };
  const { pid, ask, close } = await openWorker(worker, args, reaped);
  const side = { name, pid, answer: null, close };
  side.work = async (count) => {
    side.answer = (await ask(count)).answer;
  };
  return side;
}

function makeProject(home, name) {
  const project = path.join(home, name);
  fs.mkdirSync(path.join(project, "src"), { recursive: true });
  for (let file = 0; file < 50; file++)
    fs.writeFileSync(path.join(project, "src", `file-${file}.txt`), "A line.\n");
  return project;
}
