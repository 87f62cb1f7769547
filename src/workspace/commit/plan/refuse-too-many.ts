import { LIMITS } from "../../../core/limits.ts";
import { heapLeft, tooLargeForMemory } from "../../layers/memory-budget.ts";

/** A plan has all its changes in memory. */
export function refuseTooMany(changes: readonly { readonly path: string }[]): void {
  const pathLength = changes.reduce((sum, { path }) => sum + path.length, 0);
  const bytes = changes.length * LIMITS.planBytesOfChange + pathLength * LIMITS.planCopiesOfPath;
  const left = heapLeft();
  if (bytes <= left) return;
  const most = Math.floor((changes.length * left) / bytes);
  throw tooLargeForMemory(
    `Could not plan a commit of ${changes.length} changes: the memory that Node allows this process is enough for about ${most}.`,
    "Commit some of the changed paths",
  );
}
