import type { ErrorCode } from "../../core/errors.ts";
import type { MountsErrorCode, MountsObservation, Result } from "../../core/types.ts";

/** The shape of the toolset `mounts`. */
export function mountsObservation(result: Result): Unmeta<MountsObservation> {
  if (result.ok) return { ...result.output, ok: true };
  const { code, message } = result.error;
  const error = { code: MOUNTS_CODES.get(code) ?? "E_INTERNAL", message };
  return { ok: false, error: result.output === undefined ? error : { ...error, details: result.output } };
}

type Unmeta<T> = T extends unknown ? Omit<T, "meta"> : never;

export const MOUNTS_CODES: ReadonlyMap<ErrorCode, MountsErrorCode> = new Map([
  ["NOT_FOUND", "ENOENT"],
  ["PATH_OUTSIDE_WORKSPACE", "E_SANDBOX_VIOLATION"],
  ["SYMLINK_OUTSIDE_WORKSPACE", "E_SANDBOX_VIOLATION"],
  ["PROTECTED_PATH", "E_SANDBOX_VIOLATION"],
  ["FILE_TOO_LARGE", "E_READ_LIMIT"],
  ["WRITE_TOO_LARGE", "E_WRITE_LIMIT"],

  ["INVALID_FRONTMATTER", "E_INVALID_FRONTMATTER"],
  ["PRECONDITION_FAILED", "E_PRECONDITION_FAILED"],
  ["PATCH_FAILED", "E_PRECONDITION_FAILED"],

  ["INVALID_ARGUMENTS", "E_INVALID_ARGUMENTS"],
  ["NOT_A_FILE", "E_INVALID_ARGUMENTS"],
  ["NOT_A_DIRECTORY", "E_INVALID_ARGUMENTS"],
  ["UNKNOWN_TOOL", "E_UNKNOWN_TOOL"],
  ["DENIED", "E_DENIED"],
  ["COMMAND_BLOCKED", "E_DENIED"],
  ["TIMEOUT", "E_TIMEOUT"],
  ["NO_SANDBOX", "E_NO_SANDBOX"],
] as const);
