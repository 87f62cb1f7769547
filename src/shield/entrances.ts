// The way into an enclosure: bubblewrap, in the room, waiting to be told what to make there. Nothing of a command is
// decided by then, so one that waits is good for any command that comes in by the same line.
import type { Room } from "../workspace/overlay/room.ts";
import { LINKS } from "./entrance-line.ts";
import { type Spawned, type Surroundings, spawnAlone } from "./spawn-alone.ts";
import { isAlive } from "./start-process.ts";

export interface Entrance {
  readonly room: Room;
  readonly line: readonly string[];
  readonly attached: boolean;
}

export interface Entrances {
  open(entrance: Entrance): Spawned;
  /** Where two commands in a row came in alike, the next is likely to, and need not wait for its entrance. */
  prepare(): void;
  close(): Promise<void>;
}

export function createEntrances(surroundings: Surroundings): Entrances {
  let last: Entrance | null = null;
  let isRepeated = false;
  /** For one that comes as the last did. When this process is dead it reads the end of its arguments, has nothing to make or run, and ends. */
  let waiting: Spawned | null = null;
  let leaving: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const spawn = ({ line, attached }: Entrance): Spawned =>
    spawnAlone(line, { attached, links: LINKS, surroundings });
  const dismiss = (): void => {
    if (waiting !== null) leaving = Promise.all([leaving, end(waiting)]);
    waiting = null;
  };
  return {
    open(entrance) {
      isRepeated = last !== null && isSame(entrance, last);
      last = entrance;
      if (!isRepeated || (waiting !== null && hasEnded(waiting))) dismiss();
      if (waiting === null) return spawn(entrance);
      const taken = waiting;
      waiting = null;
      for (const part of partsOf(taken)) part.ref();
      return taken;
    },
    prepare() {
      if (isClosed || !isRepeated || waiting !== null || last!.attached) return;
      try {
        waiting = spawn(last!);
      } catch {
        // Whoever needs one is told.
        return;
      }
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
function isSame(a: Entrance, b: Entrance): boolean {
  return a.room === b.room && a.attached === b.attached && a.line.join("\0") === b.line.join("\0");
}

/** Also when this process has not been told yet. */
function hasEnded({ child }: Spawned): boolean {
  const isTold = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  return isTold || !isAlive(child.pid!);
}

async function end(spawned: Spawned): Promise<void> {
  const { child, links, stdout, stderr } = spawned;
  child.ref();
  const closed = hasEnded(spawned) || new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  for (const stream of [...links, stdout, stderr]) stream?.destroy();
  await closed;
}

/** What this process would stay for. */
function partsOf({ child, links, stdout, stderr }: Spawned) {
  return [child, ...links, stdout, stderr].filter((part) => part !== null);
}
