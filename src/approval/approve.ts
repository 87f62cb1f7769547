// Asks a person. An approval is bound to the digest of the arguments that the person saw, and is used once.
import { HotcellError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import type { Verdict } from "../core/types.ts";
import { NETWORK } from "../policy/tool-names.ts";
import { checkRemember, type Remember, type RememberFor } from "./remembered.ts";

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
  /** Who asks: the agent's id, and where it works. `session` is null on the host. */
  readonly agentId: string | null;
  readonly session: string | null;
  readonly project: string;
  /** What the call would change: a diff, or the plan of a commit; or the scripts that a command runs. Null if that is not known beforehand. */
  readonly preview: string | null;
  /** For how long a yes can hold, beside this call. Empty for a commit, and for what a rule asks. */
  readonly rememberFor: readonly RememberFor[];
  /** The rule that allows this call and as little else as a rule can; null if there is none. */
  readonly allowRule: string | null;
}

export type ApprovalAnswer =
  | boolean
  | {
      readonly approved: boolean;
      /** The digest that the person saw; another digest approves nothing. */
      readonly digest?: string;
      readonly reason?: string;
      /** A yes that holds for longer than this call. */
      readonly remember?: Remember;
      /** A no because nobody answered in time. */
      readonly expired?: boolean;
    };

export type Approve = (
  request: ApprovalRequest,
  signal: AbortSignal,
) => ApprovalAnswer | Promise<ApprovalAnswer>;

/** An approval of one call with these arguments. */
export interface Grant {
  /** For how long the yes holds; null for this call alone. */
  readonly remember: Remember | null;
  /** Throws unless this is the first use and the digest is the approved one. */
  use(callId: string, digest: string): void;
}

export async function askApproval(
  request: ApprovalRequest,
  approve: Approve | null,
  signal: AbortSignal,
): Promise<Grant> {
  if (approve === null) throw notApproved(request, nobodyToAsk(request));
  const answer = await askSafely(request, approve, signal);
  const {
    approved,
    digest = request.digest,
    reason = "the answer was no",
    remember = null,
    expired = false,
  } = typeof answer === "boolean" ? { approved: answer } : answer;
  if (approved !== true) throw notApproved(request, reason, expired);
  if (digest !== request.digest) throw notApproved(request, "the answer was for other arguments");
  if (remember !== null) checkSafely(request, remember);
  return createGrant(request, remember);
}

/** A yes that can't hold for so long is none: the person meant something else than this call. */
function checkSafely(request: ApprovalRequest, remember: Remember): void {
  try {
    checkRemember(remember, request);
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    throw notApproved(request, `the answer could not be taken. ${error.message.replace(/\.$/, "")}`);
  }
}

function nobodyToAsk({ allowRule, verdict }: ApprovalRequest): string {
  const isNamed = allowRule === null || verdict.reason.includes(allowRule);
  const nor = isNamed ? "" : `, nor the rule ${quote(allowRule)}`;
  return `nobody can be asked: the cell has no onAsk function${nor}`;
}

/** How to have this call allowed, and not more. */
export function adviceFor(request: ApprovalRequest): string {
  if (request.tool === NETWORK) return ". To allow it without a question, write allow in the rule that asks";
  const { allowRule, verdict } = request;
  const isNamed = allowRule === null || verdict.reason.includes(allowRule);
  return isNamed ? "" : `. To allow it, add --rule '${allowRule}'`;
}

/** If asking fails, or gives something else than an answer, that counts as a denial. */
async function askSafely(
  request: ApprovalRequest,
  approve: Approve,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  try {
    const answer = await approve(request, signal);
    if (typeof answer === "boolean" || typeof answer?.approved === "boolean") return answer;
    const reason = `onAsk answered ${quote(answer)}; allowed are true, false and { approved }`;
    return { approved: false, reason };
  } catch (error) {
    return {
      approved: false,
      reason: `asking failed (${error instanceof Error ? error.message : "no reason given"})`,
    };
  }
}

function createGrant(request: ApprovalRequest, remember: Remember | null): Grant {
  let used = false;
  return {
    remember,
    use(callId, digest) {
      if (used) throw notApproved(request, "the approval was used already");
      if (callId !== request.callId || digest !== request.digest)
        throw notApproved(request, "the approval was for another call");
      used = true;
    },
  };
}

function notApproved({ tool, verdict }: ApprovalRequest, reason: string, expired = false): HotcellError {
  return new HotcellError(
    "DENIED",
    `${tool} was not run: it needs approval, which was not given: ${reason}. ${verdict.reason}`,
    { rule: verdict.rule, ...(expired && { why: "expired" }) },
  );
}
