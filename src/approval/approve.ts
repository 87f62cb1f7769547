// Asks a person. An approval is bound to the digest of the arguments that the person saw, and is used once.
import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Verdict } from "../core/types.ts";

export interface ApprovalRequest {
  readonly callId: string;
  readonly tool: string;
  /** Frozen: the call runs with exactly these arguments. */
  readonly arguments: JsonObject;
  /** The call's paths after following links, relative to the workspace. The call writes to no other path. */
  readonly paths: readonly string[];
  /** SHA-256 of the canonical arguments. */
  readonly digest: string;
  readonly verdict: Verdict;
}

export type ApprovalAnswer =
  | boolean
  | {
      readonly approved: boolean;
      /** The digest that the person saw; another digest approves nothing. */
      readonly digest?: string;
      readonly reason?: string;
    };

export type Approve = (
  request: ApprovalRequest,
  signal: AbortSignal,
) => ApprovalAnswer | Promise<ApprovalAnswer>;

/** An approval of one call with these arguments. */
export interface Grant {
  /** Throws unless this is the first use and the digest is the approved one. */
  use(callId: string, digest: string): void;
}

export async function askApproval(
  request: ApprovalRequest,
  approve: Approve | null,
  signal: AbortSignal,
): Promise<Grant> {
  if (approve === null) throw notApproved(request, "nobody can be asked: the cell has no approve function");
  const answer = await askSafely(request, approve, signal);
  const {
    approved,
    digest = request.digest,
    reason = "the answer was no",
  } = typeof answer === "boolean" ? { approved: answer } : answer;
  if (approved !== true) throw notApproved(request, reason);
  if (digest !== request.digest) throw notApproved(request, "the answer was for other arguments");
  return createGrant(request);
}

/** If asking fails, the answer counts as a denial. */
async function askSafely(
  request: ApprovalRequest,
  approve: Approve,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  try {
    return await approve(request, signal);
  } catch (error) {
    return {
      approved: false,
      reason: `asking failed (${error instanceof Error ? error.message : "no reason given"})`,
    };
  }
}

function createGrant(request: ApprovalRequest): Grant {
  let used = false;
  return {
    use(callId, digest) {
      if (used) throw notApproved(request, "the approval was used already");
      if (callId !== request.callId || digest !== request.digest)
        throw notApproved(request, "the approval was for another call");
      used = true;
    },
  };
}

function notApproved({ tool, verdict }: ApprovalRequest, reason: string): HotcellError {
  return new HotcellError(
    "DENIED",
    `${tool} was not run: it needs approval, and ${reason}. ${verdict.reason}`,
    {
      rule: verdict.rule,
    },
  );
}
