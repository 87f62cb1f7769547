import { HotcellError } from "../../core/errors.ts";

export function notSearchable(state: string): HotcellError {
  return new HotcellError("INVALID_ARGUMENTS", `Could not search: ${state}.`);
}

/** For a text with a line break, or a pattern whose every match has one. */
export function refuseLineBreak(): HotcellError {
  return notSearchable(
    "the pattern has a line break, but the search works line by line; give text of one line",
  );
}
