import { HotcellError } from "../../../core/errors.ts";

export function guestCrashed(said: string): HotcellError {
  const reason = said === "" ? "" : `: ${said.slice(0, 500)}`;
  return new HotcellError("GUEST_CRASHED", `The process of the wasm tool ended unexpectedly${reason}.`);
}
