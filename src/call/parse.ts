// Step 1 of a call: parses any form that an entry point or a model sends into { id, name, arguments }.
// It makes only lossless repairs and reports each one. It never accepts a call that was cut off.
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { quote } from "../core/quote.ts";
import type { Call, CallRequest } from "../core/types.ts";
import { readArguments } from "./read-arguments.ts";
import { readCallId } from "./read-call-id.ts";
import { type CallObject, type ProviderCall, readCallObject } from "./read-call-object.ts";
import { type RawCall, readCallText } from "./read-call-text.ts";

export interface Parsed {
  readonly call: Call;
  readonly repairs: readonly string[];
}

/** Throws INVALID_ARGUMENTS, or UNKNOWN_TOOL for a value that cannot be a tool's name. */
export function parseCall(request: CallRequest | ProviderCall | string, newId: () => string): Parsed {
  const raw = typeof request === "string" ? readCallText(request) : readRequest(request);
  const name = readName(raw.name);
  const given = readArguments(raw.arguments);
  const { id, repairs } = readCallId(raw.id, newId);
  return {
    call: Object.freeze({ id, name, arguments: given.arguments }),
    repairs: [...raw.repairs, ...given.repairs, ...repairs],
  };
}

function readRequest(request: CallRequest | ProviderCall): RawCall {
  const { truncated, ...raw } = readFields(request);
  if (truncated) throw cutOff();
  return { ...raw, repairs: [] };
}

function readFields(request: CallRequest | ProviderCall): CallObject {
  try {
    return readCallObject(request);
  } catch {
    throw new HotcellError("INVALID_ARGUMENTS", "Could not read the call: expected { name, arguments }.");
  }
}

function cutOff(): HotcellError {
  const message =
    "Could not run the call: it was cut off before its end. Send it again, whole; a smaller one may fit.";
  return new HotcellError("INVALID_ARGUMENTS", message, { why: "truncated" });
}

function readName(name: unknown): string {
  if (typeof name !== "string") {
    throw new HotcellError(
      "UNKNOWN_TOOL",
      `Could not look up the tool: expected a name, got ${quote(name)}.`,
    );
  }
  if (Buffer.byteLength(name) > LIMITS.maxToolNameBytes) {
    const limit = `longer than ${LIMITS.maxToolNameBytes} bytes`;
    throw new HotcellError(
      "UNKNOWN_TOOL",
      `Could not look up the tool: its name ${quote(name)} is ${limit}.`,
    );
  }
  return name;
}
