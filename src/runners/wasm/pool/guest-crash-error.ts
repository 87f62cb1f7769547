import { HotcellError } from "../../../core/errors.ts";

export function guestCrashError(said: string): HotcellError {
  const reason = said === "" ? "" : `: ${said.slice(0, 500)}`;
  return new HotcellError(
    "GUEST_CRASHED",
    `The process of the wasm tool ended unexpectedly${reason}. Call the tool again: it gets a new process. If that one ends too, the machine may lack memory, or the tool's module makes it fail.`,
  );
}
