import { HotcellError, osErrorCode } from "../../core/errors.ts";

/** Does the work, or the other if the disk or the memory is too full for it. */
export async function fallBackIfFull<T>(
  work: () => T | Promise<T>,
  whenFull: () => T | Promise<T>,
  isFull: (code: unknown) => boolean = isDiskOrMemoryFull,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isFull(error instanceof HotcellError ? error.details.errno : osErrorCode(error))) throw error;
    return whenFull();
  }
}

export const isDiskFull = (code: unknown): boolean => code === "ENOSPC" || code === "EDQUOT";

const isDiskOrMemoryFull = (code: unknown): boolean => isDiskFull(code) || code === "ENOMEM";
