import v8 from "node:v8";
import { HotcellError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/limits.ts";

/** A plan has all its changes in memory, and V8 ends the process when its heap is full. */
export function refuseTooMany(changes: number): void {
  const { heap_size_limit: limit, used_heap_size: used } = v8.getHeapStatistics();
  const most = Math.max(0, Math.floor((limit - used) / LIMITS.planBytesOfChange));
  if (changes <= most) return;
  const message = `Could not plan a commit of ${changes} changes: the memory that Node allows this process is enough for about ${most}. Commit some of the changed paths, or run hotcell with more memory (NODE_OPTIONS=--max-old-space-size=MEGABYTES).`;
  throw new HotcellError("EXECUTION_ERROR", message);
}
