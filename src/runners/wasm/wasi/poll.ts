// poll_oneoff: waits for the nearest time, or says at once which files and streams are ready. They always are.
import type { DescriptorTable } from "./descriptors.ts";
import { errnoOf, fault, WasiFault } from "./errno.ts";
import type { GuestMemory } from "./memory.ts";

export interface PollParts {
  readonly memory: GuestMemory;
  readonly descriptors: DescriptorTable;
  readonly clock: (id: number) => bigint;
  readonly sleep: (milliseconds: number) => void;
}

interface PollEvent {
  readonly userData: bigint;
  readonly errno: number;
  readonly kind: number;
  readonly bytes: bigint;
}

const MAX_SUBSCRIPTIONS = 4096;
const SUBSCRIPTION_BYTES = 48;
const EVENT_BYTES = 32;
const [CLOCK, READ, WRITE] = [0, 1, 2];

export function createPoll({ memory, descriptors, clock, sleep }: PollParts) {
  const readiness = (fd: number, kind: number): Pick<PollEvent, "errno" | "bytes"> => {
    const found = descriptors.find(fd);
    const isWrong =
      found === undefined ||
      found.kind === "directory" ||
      (kind === READ && found.kind === "output") ||
      (kind === WRITE && found.kind === "input");
    if (isWrong) return { errno: errnoOf("EBADF"), bytes: 0n };
    if (found.kind !== "file" || kind === WRITE) return { errno: 0, bytes: 1n };
    const left = found.files.statFile(found.file).size - BigInt(found.position);
    return { errno: 0, bytes: left > 0n ? left : 0n };
  };

  const delayOf = (view: DataView): bigint => {
    const now = clock(view.getUint32(16, true));
    const time = view.getBigUint64(24, true);
    const isAbsolute = (view.getUint16(40, true) & 1) !== 0;
    if (!isAbsolute) return time;
    return time > now ? time - now : 0n;
  };

  return {
    poll_oneoff(at: number, into: number, count: number, result: number) {
      const size = count >>> 0;
      if (size === 0 || size > MAX_SUBSCRIPTIONS) fault("EINVAL");
      const events: PollEvent[] = [];
      let nearest: { readonly delay: bigint; readonly userData: bigint } | null = null;
      for (let index = 0; index < size; index++) {
        const view = memory.view(at + index * SUBSCRIPTION_BYTES, SUBSCRIPTION_BYTES);
        const userData = view.getBigUint64(0, true);
        const kind = view.getUint8(8);
        if (kind > WRITE!) fault("EINVAL");
        if (kind !== CLOCK) {
          events.push({ userData, kind, ...readiness(view.getUint32(16, true), kind) });
          continue;
        }
        try {
          const delay = delayOf(view);
          if (nearest === null || delay < nearest.delay) nearest = { delay, userData };
        } catch (error) {
          if (!(error instanceof WasiFault)) throw error;
          events.push({ userData, errno: errnoOf(error.errno), kind, bytes: 0n });
        }
      }
      if (nearest !== null && (events.length === 0 || nearest.delay === 0n)) {
        if (nearest.delay > 0n) sleep(Number(nearest.delay) / 1e6);
        events.push({ userData: nearest.userData, errno: 0, kind: CLOCK!, bytes: 0n });
      }
      events.forEach((event, index) => {
        putEvent(memory, into + index * EVENT_BYTES, event);
      });
      memory.setU32(result, events.length);
    },
  };
}

function putEvent(memory: GuestMemory, at: number, { userData, errno, kind, bytes }: PollEvent): void {
  memory.range(at, EVENT_BYTES).fill(0);
  const view = memory.view(at, EVENT_BYTES);
  view.setBigUint64(0, userData, true);
  view.setUint16(8, errno, true);
  view.setUint8(10, kind);
  view.setBigUint64(16, bytes, true);
}
