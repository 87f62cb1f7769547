import type { JsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";

/** A control character as it stands in JSON: `\u001f`. */
const MOST_ESCAPED_CHARS = 6;
/** For the path, and for what is said of the text. */
const BESIDE_CHARS = 64 * 1024;
/** So many bytes of any text fit into one observation. */
const SURE_BYTES = Math.floor((LIMITS.maxObservationBytes - BESIDE_CHARS) / MOST_ESCAPED_CHARS);

/** Reads at most so many bytes of a file; fewer where the answer would be too long as JSON, and be cut where nobody can go on. */
export async function readFitting<T extends JsonObject>(
  size: number,
  maxBytes: number,
  read: (maxBytes: number) => Promise<T>,
): Promise<T> {
  const output = await read(maxBytes);
  const isSure = Math.min(size, maxBytes) <= SURE_BYTES;
  if (isSure || JSON.stringify(output).length <= LIMITS.maxObservationBytes) return output;
  return read(SURE_BYTES);
}
