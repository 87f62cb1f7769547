// V8 ends the process when its heap is full. So work whose memory depends on what others created is refused before.
import v8 from "node:v8";
import { HotcellError } from "../../core/errors.ts";

export function heapLeft(): number {
  const { heap_size_limit: limit, used_heap_size: used } = v8.getHeapStatistics();
  return Math.max(0, limit - used);
}

/** Names what does not fit in memory, and what else to do than to give hotcell more. */
export function tooLargeForMemory(problem: string, remedy: string): HotcellError {
  const message = `${problem} ${remedy}, or run hotcell with more memory (NODE_OPTIONS=--max-old-space-size=MEGABYTES).`;
  return new HotcellError("EXECUTION_ERROR", message, { errno: "ENOMEM" });
}
