// A file in the state directory that only takes up space. On a full disk hotcell removes it, so that a person can still
// commit, or discard what fills the disk.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { fallBackIfFull, isDiskFull } from "./fall-back-if-full.ts";

/** Does the work; on a full disk once more, with the space of the reserve. */
export async function withReserve<T>(stateDir: string, work: () => Promise<T>): Promise<T> {
  try {
    const again = () => {
      removeIfThere(reserveFile(stateDir));
      return work();
    };
    return await fallBackIfFull(work, again, isDiskFull);
  } finally {
    keepReserve(stateDir);
  }
}

/** Makes the reserve if it is missing and there is space for it. */
export function keepReserve(stateDir: string): void {
  const file = reserveFile(stateDir);
  if (fs.existsSync(file)) return;
  try {
    fs.writeFileSync(file, Buffer.alloc(LIMITS.reserveBytes), { mode: 0o600 });
  } catch {
    removeIfThere(file);
  }
}

const reserveFile = (stateDir: string): string => path.join(stateDir, "reserve");

function removeIfThere(file: string): void {
  try {
    fs.unlinkSync(file);
  } catch (error) {
    if (osErrorCode(error) !== "ENOENT") throw error;
  }
}
