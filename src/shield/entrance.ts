// The way into an enclosure: a shell that waits in it to be told what to run.
import fs from "node:fs";
import type { Readable } from "node:stream";
import { explaining } from "../workspace/os-error.ts";
import type { Room } from "../workspace/overlay/room.ts";
import type { Cgroup, CgroupLimits } from "./cgroup.ts";
import { ARGS, DESCRIPTORS, GATE, LINKS } from "./entrance-line.ts";
import { openNamelessFile } from "./nameless-file.ts";
import { type Spawned, type Surroundings, spawnAlone } from "./spawn-alone.ts";
import { childrenOf } from "./start-process.ts";

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
  /** Once. */
  make(enclosure: Uint8Array): void;
  /** There is a first process of its pid namespace. */
  readonly isMade: Promise<unknown>;
  /** The shell waits, and its cgroup has all that there is. */
  readonly isReady: Promise<unknown>;
  /** Null where none can be made. */
  readonly cgroup: Cgroup | null;
  /** Has the shell run this. Once. */
  begin(command: Uint8Array): void;
  close(): void;
}

export interface Status {
  /** The first process of its pid namespace, which leads its session. */
  pid: number | null;
  exitCode: number | null;
}

export function openEntrance(
  { line, attached, seccomp, limits }: EntrancePlan,
  surroundings: Surroundings,
): Entrance {
  const file = openNamelessFile();
  let open: number | null = file.write;
  const close = () => {
    if (open !== null) fs.closeSync(open);
    open = null;
  };
  try {
    const spawned = spawnAlone(line, { attached, links: LINKS, also: file.read, surroundings });
    const link = (fd: number) => spawned.links[fd - ARGS]!;
    const status: Status = { pid: null, exitCode: null };
    const isMade = readStatus(link(DESCRIPTORS.status), status);
    const isThere = new Promise((resolve) => link(GATE).once("data", resolve));
    link(DESCRIPTORS.seccomp).end(seccomp);
    const cgroup = surroundings.makeCgroup(limits);
    const isReady = placed(cgroup, isMade, isThere);
    // Nobody may be waiting for one that is opened ahead.
    isReady.catch(() => {});
    return {
      spawned,
      status,
      isMade,
      isReady,
      cgroup,
      make: (enclosure) => void link(ARGS).end(enclosure),
      begin(command) {
        explaining("start the command with", file.name, () => fs.writeFileSync(file.write, command));
        close();
        link(GATE).end("go\n");
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
