import { HotcellError } from "./errors.ts";

/** The reason of a signal that stops work which is to be continued later, as when the server stops. */
export function createSuspension(): HotcellError {
  return new HotcellError("CANCELLED", "hotcell is stopping. The run can be resumed.", { suspended: true });
}

/** Whether the signal stops the work only for now: what waits stays as it is. */
export function isSuspended({ reason }: AbortSignal): boolean {
  return reason instanceof HotcellError && reason.details.suspended === true;
}
