// Entrances are opened ahead: where commands come in alike, the next need not wait until its enclosure is made.
import { type Entrance, type EntrancePlan, openEntrance } from "./entrance.ts";
import type { Surroundings } from "./spawn-alone.ts";
import { gone, isAlive } from "./start-process.ts";

export interface Entrances {
  open(plan: EntrancePlan): Entrance;
  /** Where two commands in a row came in alike, the next is likely to. */
  prepare(): void;
  close(): Promise<void>;
}

export function createEntrances(surroundings: Surroundings): Entrances {
  let last: EntrancePlan | null = null;
  let isRepeated = false;
  /** For one that comes as the last did. When this process is dead it reads the end of what it waits for, has nothing to run, and ends. */
  let waiting: Entrance | null = null;
  let leaving: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const dismiss = (): void => {
    if (waiting !== null) leaving = Promise.all([leaving, end(waiting)]);
    waiting = null;
  };
  const take = (plan: EntrancePlan): Entrance => {
    const taken = waiting ?? openEntrance(plan, surroundings);
    if (waiting === null || !plan.isPlain) taken.make(plan.enclosure);
    waiting = null;
    for (const part of partsOf(taken)) part.ref();
    return taken;
  };
  return {
    open(plan) {
      isRepeated = last !== null && isSame(plan, last);
      last = plan;
      if (!isRepeated || (waiting !== null && hasEnded(waiting))) dismiss();
      return take(plan);
    },
    prepare() {
      if (isClosed || !isRepeated || waiting !== null || last!.attached) return;
      try {
        waiting = openEntrance(last!, surroundings);
      } catch {
        // Whoever needs one is told.
        return;
      }
      if (last!.isPlain) waiting.make(last!.enclosure);
      for (const part of partsOf(waiting)) part.unref();
    },
    async close() {
      isClosed = true;
      dismiss();
      await leaving;
    },
  };
}

/** Not by the line alone: a descriptor in it may have come to be another room's. */
function isSame(a: EntrancePlan, b: EntrancePlan): boolean {
  return (
    a.room === b.room &&
    a.attached === b.attached &&
    a.line.join("\0") === b.line.join("\0") &&
    a.limits.memoryBytes === b.limits.memoryBytes &&
    a.limits.processes === b.limits.processes &&
    a.isPlain === b.isPlain &&
    (!a.isPlain || Buffer.compare(a.enclosure, b.enclosure) === 0)
  );
}

/** Also when this process has not been told yet. */
function hasEnded({ spawned: { child } }: Entrance): boolean {
  const isTold = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  return isTold || !isAlive(child.pid!);
}

async function end(entrance: Entrance): Promise<void> {
  const { child } = entrance.spawned;
  child.ref();
  const closed = hasEnded(entrance) || new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  for (const stream of streamsOf(entrance)) stream.destroy();
  entrance.close();
  await closed;
  if (entrance.status.pid !== null) await gone(entrance.status.pid);
  await entrance.cgroup?.close();
}

/** What this process would stay for. */
function partsOf(entrance: Entrance) {
  return [entrance.spawned.child, ...streamsOf(entrance)];
}

function streamsOf({ spawned: { links, stdout, stderr } }: Entrance) {
  return [...links, stdout, stderr].filter((stream) => stream !== null);
}
