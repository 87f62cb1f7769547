import { LIMITS } from "../../core/limits.ts";
import { heapLeft, tooLargeForMemory } from "../fs/heap.ts";

/** Counts the entries that a command may have created without end. Throws before they fill the memory of this process. */
export function createMemoryBudget(): { take(pathLength: number): void } {
  let left = heapLeft();
  return {
    take(pathLength) {
      left -= LIMITS.layerBytesOfEntry + pathLength * LIMITS.layerCopiesOfPath;
      if (left < 0) throw tooLargeForMemory(TOO_MANY, "Discard all changes of the session");
    },
  };
}

const TOO_MANY =
  "Could not read the changes of the session: more files and directories were created than fit in the memory that Node allows this process.";
