// V8 ends the process when its heap is full. So work whose memory depends on what others created is refused before.
import v8 from "node:v8";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";

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

export function heapLeft(): number {
  const { heap_size_limit: limit, used_heap_size: used } = v8.getHeapStatistics();
  return Math.max(0, limit - used);
}

/** Says what does not fit in memory, and what else helps than to give hotcell more. */
export function tooLargeForMemory(problem: string, remedy: string): HotcellError {
  const message = `${problem} ${remedy}, or run hotcell with more memory (NODE_OPTIONS=--max-old-space-size=MEGABYTES).`;
  return new HotcellError("EXECUTION_ERROR", message, { errno: "ENOMEM" });
}
