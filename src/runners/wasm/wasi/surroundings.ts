// What a guest cannot compute: time and chance. The machine's own, or repeatable ones from a seed.
import { createHash, randomFillSync } from "node:crypto";
import type { GuestSeed } from "../../../tools/wasm/guests.ts";
import type { Surroundings } from "./preview1.ts";

const NS_PER_MS = 1_000_000;
/** The longest wait at once; the time limit of the call ends a longer one. */
const MAX_SLEEP_MS = 2_147_483_647;

/** The clocks are the guest's own: the monotonic one starts with the call. */
export function machineSurroundings(): Surroundings {
  const began = process.hrtime.bigint();
  return {
    now: () => BigInt(Math.round((performance.timeOrigin + performance.now()) * NS_PER_MS)),
    monotonic: () => process.hrtime.bigint() - began + 1n,
    random: (into) => void randomFillSync(into),
    sleep(milliseconds) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.min(milliseconds, MAX_SLEEP_MS));
    },
  };
}

/** Each look at a clock is a microsecond after the one before. A sleep takes no time, and moves the clocks. */
export function seededSurroundings({ startMs, random }: GuestSeed): Surroundings {
  let passed = 0n;
  let block = 0;
  let bytes = Buffer.alloc(0);
  const tick = () => {
    passed += 1000n;
    return passed;
  };
  return {
    now: () => BigInt(startMs) * BigInt(NS_PER_MS) + tick(),
    monotonic: tick,
    random(into) {
      for (let at = 0; at < into.length; at++) {
        if (bytes.length === 0) bytes = createHash("sha256").update(`${random}:${block++}`).digest();
        into[at] = bytes[0]!;
        bytes = bytes.subarray(1);
      }
    },
    sleep(milliseconds) {
      passed += BigInt(Math.round(milliseconds * NS_PER_MS));
    },
  };
}
