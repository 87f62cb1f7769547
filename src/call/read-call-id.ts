import { LIMITS } from "../core/limits.ts";
import { quote } from "../core/quote.ts";

export interface CallId {
  readonly id: string;
  readonly repairs: readonly string[];
}

/** Returns the caller's id if it is safe to log and display, otherwise a new id. Replacing an id is a repair. */
export function readCallId(given: unknown, newId: () => string): CallId {
  if (isUsable(given)) return { id: given, repairs: [] };
  const id = newId();
  const absent = given === undefined || given === null;
  return { id, repairs: absent ? [] : [`Replaced the call's id ${quote(given)} by ${quote(id)}.`] };
}

function isUsable(given: unknown): given is string {
  if (typeof given !== "string" || given === "") return false;
  return Buffer.byteLength(given) <= LIMITS.maxCallIdBytes && !/[\p{C}\p{Zl}\p{Zp}]/u.test(given);
}
