// Prepares sandboxes in advance: if consecutive commands need the same sandbox, the next command does not wait for it.
import { type SandboxPlan, type SandboxProcess, startSandboxProcess } from "../process/sandbox-process.ts";
import type { SpawnResources } from "../process/spawn-isolated.ts";

export interface SandboxPool {
  open(plan: SandboxPlan): SandboxProcess;
  /** Starts the next sandbox if the last two commands needed the same one: the next command probably does too. */
  prepare(): void;
  close(): Promise<void>;
}

export function createSandboxPool(resources: SpawnResources): SandboxPool {
  let last: SandboxPlan | null = null;
  let isRepeated = false;
  /** The sandbox prepared for the next command. */
  let prepared: SandboxProcess | null = null;
  let terminations: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const terminatePrepared = (): void => {
    terminations = Promise.all([terminations, prepared?.terminate()]);
    prepared = null;
  };
  return {
    open(plan) {
      isRepeated = last !== null && isSame(plan, last);
      last = plan;
      if (!isRepeated || prepared?.hasEnded()) terminatePrepared();
      const taken = prepared ?? startSandboxProcess(plan, resources);
      prepared = null;
      taken.createSandbox(plan.bwrapArgs);
      taken.keepAlive(true);
      return taken;
    },
    prepare() {
      if (isClosed || !isRepeated || prepared !== null || last!.stdio !== "captured") return;
      try {
        prepared = startSandboxProcess(last!, resources);
      } catch {
        // `open` reports the error if a command needs this sandbox.
        return;
      }
      if (last!.isPlain) prepared.createSandbox(last!.bwrapArgs);
      prepared.keepAlive(false);
    },
    async close() {
      isClosed = true;
      terminatePrepared();
      await terminations;
    },
  };
}

/** Comparing the command lines is not enough: a descriptor number in them may now refer to another mount namespace. */
function isSame(a: SandboxPlan, b: SandboxPlan): boolean {
  return (
    a.mountNamespace === b.mountNamespace &&
    a.stdio === b.stdio &&
    a.line.join("\0") === b.line.join("\0") &&
    a.limits.memoryBytes === b.limits.memoryBytes &&
    a.limits.processes === b.limits.processes &&
    a.isPlain === b.isPlain &&
    (!a.isPlain || Buffer.compare(a.bwrapArgs, b.bwrapArgs) === 0)
  );
}
