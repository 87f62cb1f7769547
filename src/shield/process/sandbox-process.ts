// The way into an enclosure: a shell that waits in it to be told what to run.
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
  /** What bubblewrap is told to make, as it reads it. */
  readonly enclosure: Uint8Array;
  /** Nothing in it is found by a way that somebody may change until its command comes. */
  readonly isPlain: boolean;
  readonly seccomp: Uint8Array;
  readonly limits: CgroupLimits;
}

export interface Entrance {
  readonly spawned: Spawned;
  readonly status: Status;
  /** Has the enclosure made, when it is not yet. */
  make(enclosure: Uint8Array): void;
  /** There is a first process of its pid namespace. */
  readonly isMade: Promise<unknown>;
  /** The shell waits, and its cgroup has all that there is. */
  readonly isReady: Promise<unknown>;
  /** Null where none can be made. */
  readonly cgroup: Cgroup | null;
  /** Has the shell run this. Once. */
  begin(command: Uint8Array): void;
  /** Also when this process has not been told yet. */
  hasEnded(): boolean;
  /** Whether this process stays for it. */
  matters(is: boolean): void;
  /** For one that nobody comes in by. */
  dismiss(): Promise<void>;
  /** Gives back what it has open, when it has ended. */
  close(): void;
}

export interface Status {
  /** The first process of its pid namespace, which leads its session. */
  pid: number | null;
  exitCode: number | null;
  /** The shell could not go where the command was to begin, or not limit itself. */
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
    const isReady = placed(cgroup, isMade, readGate(link(GATE), status));
    // Nobody may be waiting for one that is opened ahead.
    isReady.catch(() => {});
    let isTold = false;
    link(DESCRIPTORS.seccomp).end(seccomp);
    return {
      spawned,
      status,
      isMade,
      isReady,
      cgroup,
      make(enclosure) {
        if (!isTold) link(ARGS).end(enclosure);
        isTold = true;
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
        await kill(spawned, status, isTold ? isMade : null);
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

/** What a process starts when it has been put there is in it too. */
async function placed(
  cgroup: Cgroup | null,
  isMade: Promise<number>,
  isThere: Promise<unknown>,
): Promise<void> {
  const pid = await isMade;
  await cgroup?.add(pid);
  await isThere;
  for (const child of childrenOf(pid)) await cgroup?.add(child);
}

/** One JSON document a line: first the process, which is given, at last how the command ended. */
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

/** The shell says that it is there; more it says only where it can't begin. */
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
  const isTold = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  return isTold || !isAlive(child.pid!);
}

/** Who is to be first in the enclosure would be left waiting, if bubblewrap were ended before that one's number is known. */
async function kill(spawned: Spawned, status: Status, isMade: Promise<unknown> | null): Promise<void> {
  const { child } = spawned;
  child.ref();
  const isClosed = hasEnded(spawned) || new Promise((resolve) => child.once("close", resolve));
  if (isMade !== null) await Promise.race([isMade, isClosed]);
  if (status.pid !== null) signalTo(status.pid, "SIGKILL");
  // For one that could not be started Node would kill this process, and its whole group.
  if (child.pid !== undefined) child.kill("SIGKILL");
  for (const stream of streamsOf(spawned)) stream.destroy();
  await isClosed;
  if (status.pid !== null) await gone(status.pid);
}

function streamsOf({ links, stdout, stderr }: Spawned) {
  return [...links, stdout, stderr].filter((stream) => stream !== null);
}
