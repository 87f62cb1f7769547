import { type ErrorCode, HotcellError, isOfSqlite, osErrorCode } from "../../core/errors.ts";
import type { Cooperative } from "./cooperative.ts";
import { showName } from "./names.ts";

const FREE_SPACE = "Free some space. Remove unneeded sessions with hotcell session discard or gc.";

/** The code, the state found and, if there is one, the next step. */
type Explanation = readonly [ErrorCode, string, string?];

const CODES: ReadonlyMap<string, Explanation> = new Map<string, Explanation>([
  ["ENOENT", ["NOT_FOUND", "nothing is there"]],
  ["ENOTDIR", ["NOT_A_DIRECTORY", "a part of the path is not a directory"]],
  ["EISDIR", ["NOT_A_FILE", "it is a directory"]],
  ["EEXIST", ["ALREADY_EXISTS", "something is there already"]],
  ["ENOTEMPTY", ["ALREADY_EXISTS", "the directory is not empty"]],
  ["ENXIO", ["NOT_A_FILE", "it is not a regular file"]],
  ["ENAMETOOLONG", ["INVALID_ARGUMENTS", "the name is too long for this file system"]],
  ["ELOOP", ["EXECUTION_ERROR", "it changed while it was opened; try again"]],
  ["EACCES", ["EXECUTION_ERROR", "permission denied by the system"]],
  ["EPERM", ["EXECUTION_ERROR", "the system does not permit it"]],
  ["ENOSPC", ["EXECUTION_ERROR", "the disk is full", FREE_SPACE]],
  ["EDQUOT", ["EXECUTION_ERROR", "the disk quota is used up", FREE_SPACE]],
  ["EIO", ["EXECUTION_ERROR", "the disk reported an input/output error"]],
  ["EROFS", ["EXECUTION_ERROR", "the file system is read-only"]],
  ["EMFILE", ["EXECUTION_ERROR", "too many files are open; try again"]],
  ["EFBIG", ["EXECUTION_ERROR", "the file would be larger than allowed"]],
  [
    "EOVERFLOW",
    [
      "EXECUTION_ERROR",
      "it, or a directory above it, belongs to another user or group, whose files overlayfs cannot copy for an ordinary user",
      "Use a session with --strategy clone.",
    ],
  ],
  ["EXDEV", ["EXECUTION_ERROR", "the two paths are on different file systems"]],
]);

/** Runs file-system work and turns an error of the system into one that names the failed action. An error of SQLite stays: it is about the database, not about this file. */
export function explainErrors<T>(action: string, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explain(action, path, error);
  }
}

/** `explainErrors` for asynchronous work. */
export async function explainAsyncErrors<T>(
  action: string,
  path: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explain(action, path, error);
  }
}

/** `explainErrors` for work that yields. */
export function* explainErrorsCooperatively<T>(
  action: string,
  path: string,
  work: Cooperative<T>,
): Cooperative<T> {
  try {
    return yield* work;
  } catch (error) {
    throw explain(action, path, error);
  }
}

function explain(action: string, path: string, error: unknown): unknown {
  const code = isNotEmpty(error) ? "ENOTEMPTY" : osErrorCode(error);
  if (error instanceof HotcellError || code === undefined || isOfSqlite(error)) return error;
  const [hotcellCode, state, next] = CODES.get(code) ?? ["EXECUTION_ERROR", "the system refused"];
  const message = `Could not ${action} "${showName(path)}": ${state} (${code}).${next ? ` ${next}` : ""}`;
  return new HotcellError(hotcellCode, message, { path, errno: code });
}

/** For a rename onto a non-empty directory, XFS reports EEXIST. */
function isNotEmpty(error: unknown): boolean {
  return osErrorCode(error) === "EEXIST" && (error as NodeJS.ErrnoException).syscall === "rename";
}
