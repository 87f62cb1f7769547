// A sandbox process: a shell that waits in the sandbox for the command to run.
import fs from "node:fs";
import type { Readable } from "node:stream";
import { explainErrors } from "../../workspace/fs/os-error.ts";
import type { MountNamespace } from "../../workspace/overlay/mount-namespace.ts";
import type { TerminalSize } from "../terminal/terminal-line.ts";
import type { Cgroup, CgroupLimits } from "./cgroup.ts";
import { fillFile, openNamelessFile } from "./nameless-file.ts";
import { ARGS, CHANNELS, DESCRIPTORS, GATE } from "./sandbox-command-line.ts";
import { type SpawnedProcess, type SpawnResources, type Stdio, spawnIsolated } from "./spawn-isolated.ts";
import { childrenOf, isAlive, sendSignal, waitForExit } from "./start-process.ts";

export interface SandboxPlan {
  readonly mountNamespace: MountNamespace;
  /** A `sandboxCommandLine`. */
  readonly line: readonly string[];
  readonly stdio: Stdio;
  /** bubblewrap's arguments for the sandbox, NUL-separated. */
  readonly bwrapArgs: Uint8Array;
  /** No path in `bwrapArgs` can change before the command begins, so the sandbox can be created in advance. */
  readonly isPlain: boolean;
  readonly seccomp: Uint8Array;
  readonly limits: CgroupLimits;
}

export interface SandboxProcess {
  readonly spawned: SpawnedProcess;
  readonly status: SandboxStatus;
  /** Creates the sandbox, unless it was already requested. */
  createSandbox(bwrapArgs: Uint8Array): void;
  /** Resolves when the first process of the pid namespace exists. */
  readonly created: Promise<unknown>;
  /** Resolves when the shell waits and its cgroup contains all processes of the sandbox. */
  readonly ready: Promise<unknown>;
  /** Null if no cgroup can be created. */
  readonly cgroup: Cgroup | null;
  /** Makes the shell run this command. Call it once. */
  begin(command: Uint8Array): void;
  /** Sets the size of the command's terminal. */
  resize(size: TerminalSize): void;
  /** Reports the end even before Node emits the exit event. */
  hasEnded(): boolean;
  /** Whether the sandbox keeps Node's event loop alive. */
  keepAlive(isKept: boolean): void;
  /** Ends a sandbox that no command uses. */
  terminate(): Promise<void>;
  /** Closes the file descriptors after the end of the sandbox. */
  close(): void;
}

export interface SandboxStatus {
  /** The first process of the pid namespace, which is also the session leader. */
  pid: number | null;
  exitCode: number | null;
  /** The shell could not enter the working directory or set the limits. */
  isRefused: boolean;
}

export function startSandboxProcess(plan: SandboxPlan, resources: SpawnResources): SandboxProcess {
  const file = openNamelessFile();
  let write: number | null = file.write;
  const close = () => {
    if (write !== null) fs.closeSync(write);
    write = null;
  };
  try {
    const { line, stdio, seccomp, limits } = plan;
    const spawned = spawnIsolated(line, { stdio, channels: CHANNELS, extraFd: file.read, resources });
    const cgroup = resources.makeCgroup(limits);
    const channel = (fd: number) => spawned.channels[fd - ARGS]!;
    const status: SandboxStatus = { pid: null, exitCode: null, isRefused: false };
    const created = readStatus(channel(DESCRIPTORS.status), status);
    const ready = addToCgroup(cgroup, created, readGate(channel(GATE), status));
    // Nobody may be waiting for a sandbox that is prepared in advance.
    ready.catch(() => {});
    let isRequested = false;
    channel(DESCRIPTORS.seccomp).end(seccomp);
    return {
      spawned,
      status,
      created,
      ready,
      cgroup,
      createSandbox(bwrapArgs) {
        if (!isRequested) channel(ARGS).end(bwrapArgs);
        isRequested = true;
      },
      begin(command) {
        explainErrors("start the command by", file.name, () => fillFile(file, command));
        close();
        // The helper that sizes a terminal goes on reading.
        if (stdio === "terminal") channel(GATE).write("go\n");
        else channel(GATE).end("go\n");
      },
      resize: ({ rows, columns }) => channel(GATE).write(`${rows} ${columns}\n`),
      hasEnded: () => hasEnded(spawned),
      keepAlive(isKept) {
        for (const part of [spawned.child, ...streamsOf(spawned)]) isKept ? part.ref() : part.unref();
      },
      async terminate() {
        await kill(spawned, status, isRequested ? created : null);
        close();
        await cgroup?.close();
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  } finally {
    fs.closeSync(file.read);
  }
}

/** A process that is in a cgroup passes it on to its later children; earlier children have to be added. */
async function addToCgroup(
  cgroup: Cgroup | null,
  created: Promise<number>,
  shellReady: Promise<unknown>,
): Promise<void> {
  const pid = await created;
  await cgroup?.add(pid);
  await shellReady;
  for (const child of childrenOf(pid)) await cgroup?.add(child);
}

/** Reads one JSON document per line: first the pid, which it returns, and last the exit code. */
function readStatus(stream: Readable, status: SandboxStatus): Promise<number> {
  let text = "";
  return new Promise((resolve) => {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (text + chunk).split("\n");
      text = lines.pop()!;
      for (const said of lines.map((line) => JSON.parse(line))) {
        status.exitCode = said["exit-code"] ?? status.exitCode;
        if (said["child-pid"] === undefined) continue;
        status.pid = said["child-pid"];
        resolve(said["child-pid"]);
      }
    });
  });
}

/** The shell writes once when it is ready. It writes again only if it cannot begin the command. */
function readGate(stream: Readable, status: SandboxStatus): Promise<unknown> {
  return new Promise((resolve) => {
    stream.once("data", (there) => {
      stream.on("data", () => {
        status.isRefused = true;
      });
      resolve(there);
    });
  });
}

function hasEnded({ child }: SpawnedProcess): boolean {
  const isRequested = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  return isRequested || !isAlive(child.pid!);
}

/** Waits for the pid before it kills bubblewrap: otherwise the first process of the sandbox would wait for ever. */
async function kill(
  spawned: SpawnedProcess,
  status: SandboxStatus,
  created: Promise<unknown> | null,
): Promise<void> {
  const { child } = spawned;
  child.ref();
  const isClosed = hasEnded(spawned) || new Promise((resolve) => child.once("close", resolve));
  if (created !== null) await Promise.race([created, isClosed]);
  if (status.pid !== null) sendSignal(status.pid, "SIGKILL");
  // If the child failed to start, child.kill would signal this process and its whole process group.
  if (child.pid !== undefined) child.kill("SIGKILL");
  for (const stream of streamsOf(spawned)) stream.destroy();
  await isClosed;
  if (status.pid !== null) await waitForExit(status.pid);
}

function streamsOf({ channels, stdout, stderr }: SpawnedProcess) {
  return [...channels, stdout, stderr].filter((stream) => stream !== null);
}
