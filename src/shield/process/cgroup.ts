// A cgroup for one command, if this user may create one. The kernel then counts the memory and the processes of the
// whole command, whatever user they run as.
import fs from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { osErrorCode } from "../../core/errors.ts";
import { processToken, tokenIsAlive } from "../../core/process-token.ts";
import type { CommandLimits } from "./command.ts";
import { readSystemText } from "./read-text.ts";

export interface Cgroup {
  /** Later children of the process belong to the cgroup too. Adding a process may take the kernel some milliseconds. */
  add(pid: number): Promise<void>;
  /** Whether the kernel's OOM killer ended a process in the cgroup. */
  ranOutOfMemory(): boolean;
  close(): Promise<void>;
}

export type CgroupLimits = Pick<CommandLimits, "memoryBytes" | "processes">;

interface Hierarchy {
  /** The directory in which we create cgroups. */
  readonly parent: string;
  readonly limits: (limits: CgroupLimits) => Readonly<Record<string, number>>;
  readonly oomFile: string;
}

const PREFIX = "hotcell-";
const ROOT = "/sys/fs/cgroup";

/** Returns null if no cgroup can be created. */
export type MakeCgroup = (limits: CgroupLimits) => Cgroup | null;

export function createCgroups(): MakeCgroup {
  const hierarchies = findHierarchies();
  if (hierarchies === null) return () => null;
  for (const { parent } of hierarchies) removeAbandoned(parent);
  return (limits) => openCgroup(limits, hierarchies);
}

function openCgroup(limits: CgroupLimits, hierarchies: readonly Hierarchy[]): Cgroup | null {
  const name = PREFIX + processToken();
  const made: string[] = [];
  const procsFiles: number[] = [];
  const closeFiles = () => {
    for (const fd of procsFiles.splice(0)) fs.closeSync(fd);
  };
  try {
    for (const { parent, limits: files } of hierarchies) {
      const dir = path.join(parent, name);
      fs.mkdirSync(dir);
      made.push(dir);
      for (const [file, value] of Object.entries(files(limits)))
        fs.writeFileSync(path.join(dir, file), `${value}`);
      procsFiles.push(fs.openSync(path.join(dir, "cgroup.procs"), "w"));
    }
  } catch (error) {
    closeFiles();
    made.forEach(removeGroup);
    if (osErrorCode(error) === undefined) throw error;
    return null;
  }
  const writes: Promise<void>[] = [];
  return {
    async add(pid) {
      if (isIn(pid, name, made.length)) return;
      const added = procsFiles.map((fd) => writeFile(fd, `${pid}`));
      writes.push(...added);
      await Promise.all(added);
    },
    ranOutOfMemory: () => hierarchies.some(({ oomFile }, at) => oomKills(path.join(made[at]!, oomFile)) > 0),
    async close() {
      const files = procsFiles.splice(0);
      // A write that has not begun would go to the file that has the number of a closed descriptor by then.
      await Promise.allSettled(writes);
      for (const fd of files) fs.closeSync(fd);
      await Promise.all(made.splice(0).map(removeEmptied));
    },
  };
}

const writeFile = promisify(fs.writeFile);

/** Whether the process already belongs to the cgroup, because its parent does. */
function isIn(pid: number, name: string, hierarchies: number): boolean {
  const groups = readSystemText(`/proc/${pid}/cgroup`).trim().split("\n");
  return groups.filter((group) => group.endsWith(`/${name}`)).length === hierarchies;
}

/** Returns one hierarchy with all controllers (v2), or one for each controller (v1), at the cgroups of this process. */
function findHierarchies(): readonly Hierarchy[] | null {
  const own = new Map(
    readSystemText("/proc/self/cgroup")
      .trim()
      .split("\n")
      .map((line) => line.split(":"))
      .map(([, controllers = "", ...at]) => [controllers, at.join(":")]),
  );
  if (fs.existsSync(`${ROOT}/cgroup.controllers`)) return findUnifiedHierarchy(own.get("") ?? "/");
  const [memory, pids] = [own.get("memory"), own.get("pids")];
  if (memory === undefined || pids === undefined) return null;
  return [
    {
      parent: path.join(ROOT, "memory", memory),
      limits: ({ memoryBytes }) => ({ "memory.limit_in_bytes": memoryBytes }),
      oomFile: "memory.oom_control",
    },
    {
      parent: path.join(ROOT, "pids", pids),
      limits: ({ processes }) => ({ "pids.max": processes }),
      oomFile: "pids.events",
    },
  ];
}

/** A cgroup with processes cannot delegate controllers, except the root. So our cgroup's parent is the second choice. */
function findUnifiedHierarchy(own: string): readonly Hierarchy[] | null {
  const parents = [path.join(ROOT, own), path.join(ROOT, path.dirname(own))];
  const parent = parents.find((dir) => delegates(dir, "memory") && delegates(dir, "pids"));
  if (parent === undefined) return null;
  const limits = ({ memoryBytes, processes }: CgroupLimits) => ({
    "memory.max": memoryBytes,
    "pids.max": processes,
  });
  return [{ parent, limits, oomFile: "memory.events" }];
}

function delegates(dir: string, controller: string): boolean {
  return readSystemText(path.join(dir, "cgroup.subtree_control")).split(/\s+/).includes(controller);
}

function oomKills(file: string): number {
  return Number(/^oom_kill (\d+)$/m.exec(readSystemText(file))?.[1] ?? 0);
}

function removeAbandoned(parent: string): void {
  for (const name of fs.readdirSync(parent)) {
    if (name.startsWith(PREFIX) && !tokenIsAlive(name.slice(PREFIX.length)))
      removeGroup(path.join(parent, name));
  }
}

function removeGroup(dir: string): boolean {
  try {
    fs.rmdirSync(dir);
    return true;
  } catch (error) {
    return osErrorCode(error) !== "EBUSY";
  }
}

/** The kernel counts ended processes for a moment longer, so removal is retried. */
async function removeEmptied(dir: string): Promise<void> {
  for (let tries = 0; tries < 200 && !removeGroup(dir); tries++) await setTimeout(5);
}
