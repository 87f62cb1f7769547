import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import type { ConflictPolicy } from "../commit/plan/plan.ts";
import type { Selection } from "../commit/plan/selection.ts";

export interface SessionCommitOptions {
  /** Default: all. */
  readonly selection?: Selection;
  readonly onConflict?: ConflictPolicy;
  /** Confirms files that execute automatically. */
  readonly allowProtected?: boolean;
  /** The hash of the approved plan. Any other plan is refused. */
  readonly planHash?: string;
}

export const CONFLICT_POLICIES: readonly ConflictPolicy[] = ["abort", "skip", "ours", "theirs", "merge"];

/** JavaScript callers have no compiler that checks this. */
export function checkCommitOptions({ onConflict = "abort" }: SessionCommitOptions): void {
  if (CONFLICT_POLICIES.includes(onConflict)) return;
  const message = `Could not commit: onConflict is ${quote(onConflict)}; allowed is ${CONFLICT_POLICIES.map(quote).join(", ")}.`;
  throw new HotcellError("INVALID_ARGUMENTS", message);
}
