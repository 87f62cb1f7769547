// Why an answer ended, in the words of a wire. Servers also end answers that they abort, with a reason of their own.
import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import type { StopReason } from "./model.ts";

/** Throws MODEL_STREAM_CUT for a reason that is not known, or is missing: such an answer may be a part of one. */
export function readStopReason(
  known: ReadonlyMap<string, StopReason>,
  reason: string,
  host: string,
): StopReason {
  const stop = known.get(reason);
  if (stop !== undefined) return stop;
  const given = reason === "" ? "it gave no reason" : `it gave the reason ${quote(reason)}`;
  throw new HotcellError(
    "MODEL_STREAM_CUT",
    `${host} ended its answer before it was complete: ${given}. Ask again.`,
  );
}
