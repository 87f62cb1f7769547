// The sandbox of a guest: a Node process that sees neither the project nor the machine's files, has no network, and is
// connected to hotcell by one socket. Other than the sandbox of a command it stays for many calls.
import fs from "node:fs";
import type { Socket } from "node:net";
import path from "node:path";
import type { Readable } from "node:stream";
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import type { Cgroup } from "../process/cgroup.ts";
import {
  createSpawnResources,
  type SpawnedProcess,
  type SpawnResources,
  spawnIsolated,
  waitForClose,
} from "../process/spawn-isolated.ts";
import { MAX_ERROR_CHARS, sendSignal, waitForExit } from "../process/start-process.ts";
import { seccompFilter } from "../seccomp/seccomp.ts";
import type { Arch } from "../seccomp/syscall-table.ts";
import { guestArgs } from "./guest-args.ts";

export interface GuestCode {
  /** The directory with the code that the guest may read. */
  readonly code: string;
  /** The program, below it. */
  readonly main: string;
}

export interface GuestSandbox {
  /** Both directions; the guest has it as descriptor 3. */
  readonly channel: Socket;
  /** Resolves with what it said on standard error when the process and everything in its sandbox have ended. */
  readonly ended: Promise<string>;
  /** Whether the guest keeps Node's event loop alive. */
  keepAlive(isKept: boolean): void;
  kill(): Promise<void>;
}

export interface GuestSandboxes {
  /** Throws NO_SANDBOX if this machine has no sandbox for it. */
  start(memoryBytes: number): GuestSandbox;
  close(): void;
}

/** Node itself, beside the guest's memory. */
const NODE_BYTES = 384 * 1024 * 1024;
const MAX_THREADS = 64;
const [CHANNEL, SECCOMP, STATUS] = [0, 1, 2];

export function openGuestSandboxes(program: GuestCode): GuestSandboxes {
  const resources = createSpawnResources();
  const seccomp = filterFor(process.platform, process.arch);
  return {
    start: (memoryBytes) => startGuestSandbox(program, memoryBytes + NODE_BYTES, seccomp, resources),
    close: () => resources.pipes.close(),
  };
}

/** Without sockets: the guest's one channel is already open. */
function filterFor(platform: string, arch: string): Uint8Array {
  if (platform !== "linux" || (arch !== "x64" && arch !== "arm64"))
    throw noSandbox(`there is no sandbox for guests on ${platform} ${arch}`);
  return seccompFilter({ arch: arch as Arch, confinement: "landlock" });
}

function startGuestSandbox(
  program: GuestCode,
  memoryBytes: number,
  seccomp: Uint8Array,
  resources: SpawnResources,
): GuestSandbox {
  const node = fs.realpathSync(process.execPath);
  const args = guestArgs({ node, code: program.code, main: program.main, libraries: findLibraries(node) });
  const limiter = ["prlimit", `--data=${memoryBytes}`, "--fsize=0", "--core=0", "--nofile=64", "--"];
  const spawned = spawnIsolated([...limiter, "bwrap", ...args], {
    stdio: "captured",
    channels: 3,
    resources,
  });
  const cgroup = resources.makeCgroup({ memoryBytes, processes: MAX_THREADS });
  spawned.channels[SECCOMP!]!.end(seccomp);
  const status: GuestStatus = { pid: null };
  const isPlaced = readPid(spawned.channels[STATUS!]!, status).then((pid) => cgroup?.add(pid));
  isPlaced.catch(() => {});
  const ended = endOf(spawned, status, cgroup);
  ended.catch(() => {});
  return {
    channel: spawned.channels[CHANNEL!]!,
    ended,
    keepAlive(isKept) {
      // A closed socket would keep a listener of each change.
      const open = [...spawned.channels, spawned.stdout!, spawned.stderr!].filter(
        ({ destroyed }) => !destroyed,
      );
      for (const part of [spawned.child, ...open]) isKept ? part.ref() : part.unref();
    },
    async kill() {
      spawned.child.ref();
      if (status.pid !== null) sendSignal(status.pid, "SIGKILL");
      if (spawned.child.pid !== undefined) spawned.child.kill("SIGKILL");
      for (const stream of [...spawned.channels, spawned.stdout!, spawned.stderr!]) stream.destroy();
      await ended;
    },
  };
}

interface GuestStatus {
  /** The first process of the pid namespace; null until it exists. */
  pid: number | null;
}

function readPid(stream: Readable, status: GuestStatus): Promise<number> {
  return new Promise((resolve) => {
    let text = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const pid = /"child-pid": *(\d+)/.exec(text)?.[1];
      if (pid === undefined || status.pid !== null) return;
      status.pid = Number(pid);
      resolve(status.pid);
    });
  });
}

async function endOf(spawned: SpawnedProcess, status: GuestStatus, cgroup: Cgroup | null): Promise<string> {
  let said = "";
  for (const stream of [spawned.stdout!, spawned.stderr!])
    stream.on("data", (chunk: Buffer) => {
      if (said.length < MAX_ERROR_CHARS) said += chunk;
    });
  await waitForClose(spawned).catch((error) => {
    said += `${error.message}`;
  });
  if (status.pid !== null) await waitForExit(status.pid);
  await cgroup?.close();
  return said.slice(0, MAX_ERROR_CHARS).trim();
}

/** The system's places of shared libraries. Nothing of a user's is there. */
const LIBRARIES = [
  "/lib",
  "/lib64",
  "/usr/lib",
  "/usr/lib64",
  "/usr/local/lib",
  "/nix/store",
  "/etc/ld.so.cache",
];

/** Beside a Node of the user's are global modules or a project, so that only Node's own library is taken from there. */
function findLibraries(node: string) {
  const own = path.join(path.dirname(path.dirname(node)), "lib");
  const names = LIBRARIES.includes(own) || !fs.existsSync(own) ? [] : fs.readdirSync(own);
  const ownLibraries = names
    .filter((name) => name.startsWith("libnode.so"))
    .map((name) => path.join(own, name));
  return [...LIBRARIES, ...ownLibraries].flatMap((at) => {
    const stat = fs.lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    return [{ at, link: stat.isSymbolicLink() ? fs.readlinkSync(at) : null }];
  });
}

export function noSandbox(why: string): HotcellError {
  const said = why === "" ? "nothing" : quote(why.replaceAll("\n", "; "));
  const message = `Could not start the sandbox of a wasm tool. The error output is ${said}. Run hotcell doctor.`;
  return new HotcellError("NO_SANDBOX", message);
}
