// Entrances are opened ahead: where commands come in alike, the next need not wait until its enclosure is made.
import { type Entrance, type EntrancePlan, openEntrance } from "../process/sandbox-process.ts";
import type { Surroundings } from "../process/spawn-isolated.ts";

export interface Entrances {
  open(plan: EntrancePlan): Entrance;
  /** Where two commands in a row came in alike, the next is likely to. */
  prepare(): void;
  close(): Promise<void>;
}

export function createEntrances(surroundings: Surroundings): Entrances {
  let last: EntrancePlan | null = null;
  let isRepeated = false;
  /** For one that comes as the last did. */
  let waiting: Entrance | null = null;
  let leaving: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const dismiss = (): void => {
    leaving = Promise.all([leaving, waiting?.dismiss()]);
    waiting = null;
  };
  return {
    open(plan) {
      isRepeated = last !== null && isSame(plan, last);
      last = plan;
      if (!isRepeated || waiting?.hasEnded()) dismiss();
      const taken = waiting ?? openEntrance(plan, surroundings);
      waiting = null;
      taken.make(plan.enclosure);
      taken.matters(true);
      return taken;
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
      waiting.matters(false);
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
