// Errors for operations that are refused while a background process uses the session.
import { HotcellError } from "../../core/errors.ts";

export function sessionBusyError(what: string): HotcellError {
  const message = `Could not ${what}: a background process uses the session. Stop it first.`;
  return new HotcellError("LOCKED", message);
}

export function cannotHideError(): HotcellError {
  const message =
    "Could not run the command: the project has a new secret, and hotcell cannot hide it while a background process uses the session. Stop that process first.";
  return new HotcellError("LOCKED", message);
}
