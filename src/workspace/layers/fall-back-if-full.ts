import { HotcellError, osErrorCode } from "../../core/errors.ts";

/** Does the work, or the other if the disk is too full for it. */
export async function fallBackIfFull<T>(
  work: () => T | Promise<T>,
  whenFull: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return whenFull();
  }
}

function isDiskFull(error: unknown): boolean {
  const code = error instanceof HotcellError ? error.details.errno : osErrorCode(error);
  return code === "ENOSPC" || code === "EDQUOT";
}
