import type { ErrorCode, HotcellError } from "../../core/errors.ts";
import type { Refusal } from "../http/check-request.ts";

/** How a request or an upgrade that fails is answered. */
export function toRefusal({ code, message, details }: HotcellError): Refusal {
  const { isStopping, retryAfterSeconds } = details;
  return {
    status: isStopping === true ? 503 : statusOf(code),
    code,
    message,
    ...(typeof retryAfterSeconds === "number" && { retryAfterSeconds }),
  };
}

/** The HTTP status for an error of hotcell's own. */
function statusOf(code: ErrorCode): number {
  return STATUSES.get(code) ?? (code.startsWith("MODEL_") ? 502 : 400);
}

const STATUSES: ReadonlyMap<ErrorCode, number> = new Map<ErrorCode, number>([
  ["UNAUTHORIZED", 401],
  ["DENIED", 403],
  ["PROTECTED_PATH", 403],
  ["PATH_OUTSIDE_WORKSPACE", 403],
  ["SYMLINK_OUTSIDE_WORKSPACE", 403],
  ["NOT_FOUND", 404],
  ["ALREADY_EXISTS", 409],
  ["LOCKED", 409],
  ["PRECONDITION_FAILED", 409],
  ["COMMIT_INTERRUPTED", 409],
  ["CANCELLED", 409],
  ["FILE_TOO_LARGE", 413],
  ["UNAVAILABLE", 429],
  ["INTERNAL_ERROR", 500],
  ["LOG_UNAVAILABLE", 500],
  ["LOG_TAMPERED", 500],
  ["WORKSPACE_UNUSABLE", 500],
  ["EXECUTION_ERROR", 500],
]);
