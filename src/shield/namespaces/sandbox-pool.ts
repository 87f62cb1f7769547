// Prepares sandboxes in advance: if consecutive commands need the same sandbox, the next command does not wait for it.
import { type Entrance, type EntrancePlan, openEntrance } from "../process/sandbox-process.ts";
import type { Surroundings } from "../process/spawn-isolated.ts";

export interface Entrances {
  open(plan: EntrancePlan): Entrance;
  /** Starts the next sandbox if the last two commands needed the same one: the next command probably does too. */
  prepare(): void;
  close(): Promise<void>;
}

export function createEntrances(surroundings: Surroundings): Entrances {
  let last: EntrancePlan | null = null;
  let isRepeated = false;
  /** The sandbox prepared for the next command. */
  let prepared: Entrance | null = null;
  let dismissals: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const dismiss = (): void => {
    dismissals = Promise.all([dismissals, prepared?.dismiss()]);
    prepared = null;
  };
  return {
    open(plan) {
      isRepeated = last !== null && isSame(plan, last);
      last = plan;
      if (!isRepeated || prepared?.hasEnded()) dismiss();
      const taken = prepared ?? openEntrance(plan, surroundings);
      prepared = null;
      taken.make(plan.enclosure);
      taken.matters(true);
      return taken;
    },
    prepare() {
      if (isClosed || !isRepeated || prepared !== null || last!.attached) return;
      try {
        prepared = openEntrance(last!, surroundings);
      } catch {
        // `open` reports the error if a command needs this sandbox.
        return;
      }
      if (last!.isPlain) prepared.make(last!.enclosure);
      prepared.matters(false);
    },
    async close() {
      isClosed = true;
      dismiss();
      await dismissals;
    },
  };
}

/** Comparing the command lines is not enough: a descriptor number in them may now refer to another mount namespace. */
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
