import { realpathSync } from "node:fs";

/** The path without links; null if nothing is there, or it cannot be resolved. */
export function tryRealPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
