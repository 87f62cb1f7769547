// Errors for operations that are refused while a background process uses the session.
import { HotcellError } from "../../core/errors.ts";

export function sessionIsBusy(what: string): HotcellError {
  const message = `Could not ${what}: a background process works in the session. Stop it first.`;
  return new HotcellError("LOCKED", message);
}

export function canNotHide(): HotcellError {
  const message =
    "Could not run the command: a secret has come into the project, and can't be hidden while a background process works in the session. Stop that first.";
  return new HotcellError("LOCKED", message);
}
