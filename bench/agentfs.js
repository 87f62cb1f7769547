// The cost of mode agentfs: a session whose changes are also in one SQLite file, beside the same session without it, and
// beside a plain copy with fsync.
import fs from "node:fs";
import path from "node:path";
import { openCell } from "../dist/index.js";
import { fdPath } from "../dist/workspace/fs/paths.js";
import { createSession } from "../dist/workspace/session/create-session.js";
import { cacheDir } from "./cache-dir.js";
import { compareWithAim, formatAim, formatTable, formatTime, takeTurns } from "./measure.js";
import { CALL } from "./sessions-changes.js";
import { sideHere } from "./sessions-sides.js";
import { protectionOf } from "./sessions-tree.js";

const FILES = 200;
const FILE_BYTES = 4096;
const SMALL_FILES = 2000;
const SMALL_BYTES = 1024;
const LARGE_BYTES = 64 * 1024 * 1024;

export async function measure() {
  fs.mkdirSync(cacheDir(), { recursive: true });
  const home = fs.mkdtempSync(path.join(cacheDir(), "agentfs-"));
  try {
    const figures = { ...(await measureCalls(home)), ...(await measureCopies(home)) };
    return { figures, aims: aimsOf(figures) };
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

/** Calls of two cells on the same project, and opening their sessions again. */
async function measureCalls(home) {
  const project = makeProject(home);
  const stateDir = path.join(home, "calls");
  const options = { workspace: project, stateDir, trust: "autonomous" };
  const cells = new Map();
  for (const mode of ["overlay", "agentfs"]) cells.set(mode, await openCell({ ...options, fs: mode }));
  let version = 0;
  const call = async (mode, name, args) => {
    const { error } = await cells.get(mode).call({ name, arguments: args });
    if (error !== null) throw new Error(error.message);
  };
  const sidesOf = (name, argsOf) =>
    [...cells.keys()].map((mode) =>
      sideHere(mode, async (count) => {
        for (let n = 0; n < count; n++) await call(mode, name, argsOf(n));
      }),
    );
  const writes = sidesOf("write_file", (n) => ({
    path: `file-${n % FILES}`,
    content: `${version++}`.repeat(FILE_BYTES).slice(0, FILE_BYTES),
  }));
  const reads = sidesOf("read_file", (n) => ({ path: `file-${n % FILES}` }));
  const commands = sidesOf("run_command", () => ({ command: "true" }));
  const turns = { warmUpRounds: 2, rounds: 15, maxMs: 20_000 };
  const figures = {
    "write_file, 4 KiB": await takeTurns(writes, { ...turns, count: 20 }),
    "read_file, 4 KiB": await takeTurns(reads, { ...turns, count: 50 }),
    "run_command, true": await takeTurns(commands, { ...turns, count: 3 }),
  };
  for (const cell of cells.values()) await cell.close();
  const reopen = [...cells].map(([mode, { session }]) =>
    sideHere(mode, async () => {
      const cell = await openCell({ ...options, fs: mode, session });
      await cell.close();
    }),
  );
  figures["open and close, no changes"] = await takeTurns(reopen, { ...turns, count: 1 });
  return figures;
}

function makeProject(home) {
  const project = path.join(home, "project");
  fs.mkdirSync(project);
  for (let n = 0; n < FILES; n++)
    fs.writeFileSync(path.join(project, `file-${n}`), Buffer.alloc(FILE_BYTES, "x"));
  return project;
}

/** One call that copies files into the session, as a command does, beside a plain copy. */
async function measureCopies(home) {
  const small = path.join(home, "small");
  fs.mkdirSync(small);
  for (let n = 0; n < SMALL_FILES; n++)
    fs.writeFileSync(path.join(small, `${n}`), Buffer.alloc(SMALL_BYTES, `${n}`));
  const large = path.join(home, "large");
  fs.mkdirSync(large);
  fs.writeFileSync(path.join(large, "0"), Buffer.alloc(LARGE_BYTES, "large"));
  const turns = { warmUpRounds: 1, rounds: 7, count: 1, maxMs: 60_000 };
  return {
    "2,000 files of 1 KiB": await takeTurns(copySides(home, small), turns),
    "one file of 64 MB": await takeTurns(copySides(home, large), turns),
  };
}

function copySides(home, from) {
  const project = path.join(home, "empty");
  fs.mkdirSync(project, { recursive: true });
  const stateDir = path.join(home, "copies");
  fs.mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const inMode = (mode) => {
    let session = null;
    const prepare = async () => {
      session?.close();
      session = await createSession(project, { stateDir, protectionOf, strategy: "kernel", fs: mode });
    };
    return sideHere(
      mode,
      () => session.change(CALL, async () => copyAll(from, path.join(fdPath(session.view.fd), "copy"))),
      prepare,
    );
  };
  let copies = 0;
  const plain = () =>
    copyAll(from, path.join(home, `plain-${path.basename(from)}-${copies++}`), fs.fsyncSync);
  return [inMode("agentfs"), inMode("overlay"), sideHere("plain copy with fsync", plain)];
}

function copyAll(from, to, sync = () => {}) {
  fs.mkdirSync(to);
  for (const name of fs.readdirSync(from)) {
    const fd = fs.openSync(path.join(to, name), "wx");
    fs.writeFileSync(fd, fs.readFileSync(path.join(from, name)));
    sync(fd);
    fs.closeSync(fd);
  }
}

const AIMS = [
  ["write_file, 4 KiB", "overlay", 4],
  ["read_file, 4 KiB", "overlay", 1.1],
  ["run_command, true", "overlay", 1.1],
  ["open and close, no changes", "overlay", 1.5],
  ["2,000 files of 1 KiB", "plain copy with fsync", 4],
  ["one file of 64 MB", "plain copy with fsync", 8],
];

function aimsOf(figures) {
  return AIMS.map(([operation, peer, atMost]) => {
    const { agentfs, [peer]: other } = figures[operation];
    return compareWithAim(`${operation}, agentfs ÷ ${peer}`, agentfs.wallUs / other.wallUs, atMost);
  });
}

export function format({ figures, aims }) {
  const rows = Object.entries(figures).flatMap(([operation, sides]) =>
    Object.entries(sides).map(([name, { wallUs, lowestUs, highestUs, cpuUs, rounds }]) => [
      `${operation}: ${name}`,
      ...[wallUs, lowestUs, highestUs, cpuUs].map(formatTime),
      String(rounds),
    ]),
  );
  const table = formatTable([["", "wall", "lowest", "highest", "CPU", "rounds"], ...rows]);
  return `${table}\n\n${aims.map(formatAim).join("\n")}\n`;
}
