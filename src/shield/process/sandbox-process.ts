// A sandbox process: a shell that waits in the sandbox for the command to run.
import fs from "node:fs";
import type { Readable } from "node:stream";
import { explaining } from "../../workspace/fs/os-error.ts";
import type { Room } from "../../workspace/overlay/mount-namespace.ts";
import type { Cgroup, CgroupLimits } from "./cgroup.ts";
import { fillFile, openNamelessFile } from "./nameless-file.ts";
import { ARGS, DESCRIPTORS, GATE, LINKS } from "./sandbox-command-line.ts";
import { type Spawned, type Surroundings, spawnAlone } from "./spawn-isolated.ts";
import { childrenOf, gone, isAlive, signalTo } from "./start-process.ts";

export interface EntrancePlan {
  readonly room: Room;
  /** An `entranceLine`. */
  readonly line: readonly string[];
  readonly attached: boolean;
  /** bubblewrap's arguments for the sandbox, NUL-separated. */
  readonly enclosure: Uint8Array;
  /** No path in `enclosure` can change before the command begins, so the sandbox can be created in advance. */
  readonly isPlain: boolean;
  readonly seccomp: Uint8Array;
  readonly limits: CgroupLimits;
}

export interface Entrance {
  readonly spawned: Spawned;
  readonly status: Status;
  /** Creates the sandbox, unless it was already requested. */
  make(enclosure: Uint8Array): void;
  /** Resolves when the first process of the pid namespace exists. */
  readonly isMade: Promise<unknown>;
  /** Resolves when the shell waits and its cgroup contains all processes of the sandbox. */
  readonly isReady: Promise<unknown>;
  /** Null if no cgroup can be created. */
  readonly cgroup: Cgroup | null;
  /** Makes the shell run this command. Call it once. */
  begin(command: Uint8Array): void;
  /** Reports the end even before Node emits the exit event. */
  hasEnded(): boolean;
  /** Whether the sandbox keeps Node's event loop alive. */
  matters(is: boolean): void;
  /** Ends a sandbox that no command uses. */
  dismiss(): Promise<void>;
  /** Closes the file descriptors after the end of the sandbox. */
  close(): void;
}

export interface Status {
  /** The first process of the pid namespace, which is also the session leader. */
  pid: number | null;
  exitCode: number | null;
  /** The shell could not enter the working directory or set the limits. */
  isRefused: boolean;
}

export function openEntrance(plan: EntrancePlan, surroundings: Surroundings): Entrance {
  const file = openNamelessFile();
  let write: number | null = file.write;
  const close = () => {
    if (write !== null) fs.closeSync(write);
    write = null;
  };
  try {
    const { line, attached, seccomp, limits } = plan;
    const spawned = spawnAlone(line, { attached, links: LINKS, also: file.read, surroundings });
    const cgroup = surroundings.makeCgroup(limits);
    const link = (fd: number) => spawned.links[fd - ARGS]!;
    const status: Status = { pid: null, exitCode: null, isRefused: false };
    const isMade = readStatus(link(DESCRIPTORS.status), status);
    const isReady = addToCgroup(cgroup, isMade, readGate(link(GATE), status));
    // Nobody may be waiting for a sandbox that is prepared in advance.
    isReady.catch(() => {});
    let isRequested = false;
    link(DESCRIPTORS.seccomp).end(seccomp);
    return {
      spawned,
      status,
      isMade,
      isReady,
      cgroup,
      make(enclosure) {
        if (!isRequested) link(ARGS).end(enclosure);
        isRequested = true;
      },
      begin(command) {
        explaining("start the command by", file.name, () => fillFile(file, command));
        close();
        link(GATE).end("go\n");
      },
      hasEnded: () => hasEnded(spawned),
      matters(is) {
        for (const part of [spawned.child, ...streamsOf(spawned)]) is ? part.ref() : part.unref();
      },
      async dismiss() {
        await kill(spawned, status, isRequested ? isMade : null);
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
  isMade: Promise<number>,
  isShellReady: Promise<unknown>,
): Promise<void> {
  const pid = await isMade;
  await cgroup?.add(pid);
  await isShellReady;
  for (const child of childrenOf(pid)) await cgroup?.add(child);
}

/** Reads one JSON document per line: first the pid, which it returns, and last the exit code. */
function readStatus(stream: Readable, status: Status): Promise<number> {
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
function readGate(stream: Readable, status: Status): Promise<unknown> {
  return new Promise((resolve) => {
    stream.once("data", (there) => {
      stream.on("data", () => {
        status.isRefused = true;
      });
      resolve(there);
    });
  });
}

function hasEnded({ child }: Spawned): boolean {
  const isRequested = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  return isRequested || !isAlive(child.pid!);
}

/** Waits for the pid before it kills bubblewrap: otherwise the first process of the sandbox would wait for ever. */
async function kill(spawned: Spawned, status: Status, isMade: Promise<unknown> | null): Promise<void> {
  const { child } = spawned;
  child.ref();
  const isClosed = hasEnded(spawned) || new Promise((resolve) => child.once("close", resolve));
  if (isMade !== null) await Promise.race([isMade, isClosed]);
  if (status.pid !== null) signalTo(status.pid, "SIGKILL");
  // If the child failed to start, child.kill would signal this process and its whole process group.
  if (child.pid !== undefined) child.kill("SIGKILL");
  for (const stream of streamsOf(spawned)) stream.destroy();
  await isClosed;
  if (status.pid !== null) await gone(status.pid);
}

function streamsOf({ links, stdout, stderr }: Spawned) {
  return [...links, stdout, stderr].filter((stream) => stream !== null);
}
