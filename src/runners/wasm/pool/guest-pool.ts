// The guest processes of a cell: started by the first use, kept for the next calls of the same tool, ended when idle. A
// tool that took over its process must not meet the input and the grants of another one.
import { LIMITS } from "../../../core/limits.ts";
import type { GuestProcess } from "./guest-process.ts";

export interface GuestPool {
  /** Waits for a free place. Throws if the signal aborts meanwhile. */
  take(tool: string, signal: AbortSignal): Promise<GuestProcess>;
  /** Gives a process back; one that is not usable any more is replaced by the next `take`. */
  give(guest: GuestProcess): void;
  close(): Promise<void>;
}

export interface GuestPoolOptions {
  readonly size: number;
  readonly start: () => GuestProcess;
}

interface Idle {
  readonly tool: string;
  readonly guest: GuestProcess;
  readonly timer: NodeJS.Timeout;
}

interface Waiting {
  readonly tool: string;
  readonly start: () => void;
  /** How often another one that came later got the place. */
  passedOver: number;
}

/** A place goes to the next one who waits for the same tool, which needs no new process; the first waits for no more turns than this. */
const MAX_PASSED_OVER = 16;

export function createGuestPool({ size, start }: GuestPoolOptions): GuestPool {
  /** All processes, with their tools. */
  const all = new Map<GuestProcess, string>();
  const idle: Idle[] = [];
  const waiting: Waiting[] = [];
  let busy = 0;

  const end = (guest: GuestProcess): Promise<void> => {
    all.delete(guest);
    return guest.kill();
  };
  const takeIdle = (at: number): GuestProcess | null => {
    const [found] = at < 0 ? [] : idle.splice(at, 1);
    if (found === undefined) return null;
    clearTimeout(found.timer);
    return found.guest;
  };
  const startOne = (tool: string): GuestProcess => {
    const kept = takeIdle(idle.findLastIndex((one) => one.tool === tool && one.guest.isUsable));
    kept?.keepAlive(true);
    if (kept !== null) return kept;
    const unused = all.size < size ? null : takeIdle(0);
    if (unused !== null) void end(unused);
    const started = start();
    all.set(started, tool);
    return started;
  };
  /** Until there is a place; the one who waited leaves the queue if its signal aborts. */
  const waitForPlace = (tool: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const entry: Waiting = {
        tool,
        passedOver: 0,
        start() {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = () => {
        const at = waiting.indexOf(entry);
        if (at >= 0) waiting.splice(at, 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting.push(entry);
    });
  const leavePlace = (tool: string | undefined): void => {
    const [first] = waiting;
    const same = waiting.findIndex((one) => one.tool === tool);
    const isPassedOver = first !== undefined && same > 0 && first.passedOver < MAX_PASSED_OVER;
    if (isPassedOver) first.passedOver++;
    const [next] = waiting.splice(isPassedOver ? same : 0, 1);
    if (next === undefined) busy--;
    else next.start();
  };

  return {
    async take(tool, signal) {
      signal.throwIfAborted();
      if (busy < size) busy++;
      else await waitForPlace(tool, signal);
      try {
        return startOne(tool);
      } catch (error) {
        leavePlace(tool);
        throw error;
      }
    },
    give(guest) {
      const tool = all.get(guest);
      if (guest.isUsable) {
        guest.keepAlive(false);
        const timer = setTimeout(() => {
          takeIdle(idle.findIndex((one) => one.guest === guest));
          void end(guest);
        }, LIMITS.guestIdleMs).unref();
        idle.push({ tool: tool!, guest, timer });
      } else void end(guest);
      leavePlace(tool);
    },
    async close() {
      for (const { timer } of idle.splice(0)) clearTimeout(timer);
      await Promise.all([...all.keys()].map(end));
    },
  };
}
