import type { JsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";

/** The length of an escaped control character in JSON, such as `\u001f`. */
const MOST_ESCAPED_CHARS = 6;
/** Reserved for the path and for notes. */
const BESIDE_CHARS = 64 * 1024;
/** This many bytes of any text fit into one observation. */
const SURE_BYTES = Math.floor((LIMITS.maxObservationBytes - BESIDE_CHARS) / MOST_ESCAPED_CHARS);

/** Reads at most `maxBytes` bytes of a file. Reads fewer if the JSON would exceed the limit of an observation, so that the caller can continue at a line. */
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
