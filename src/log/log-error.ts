import { HotcellError, osErrorCode } from "../core/errors.ts";

export function logUnavailable(file: string, found: string, cause?: unknown): HotcellError {
  const message = `Could not use the log: ${found}. hotcell runs no call without a log. Repair the state directory, or use another one.`;
  return new HotcellError("LOG_UNAVAILABLE", message, { file }, { cause });
}

export function tamperedLogError(file: string, found: string): HotcellError {
  const message = `Could not continue the log: ${found}. Run "hotcell audit verify": it shows the problem, and which files to move so that a new log begins.`;
  return new HotcellError("LOG_TAMPERED", message, { file });
}

/** `cause` names the process that has the log open. */
export function logInUse(cause: HotcellError): HotcellError {
  const message = `Could not open the log: another cell has it open, and a log has one writer. Close that cell or wait for it. To work in parallel, use a separate session. (${cause.message})`;
  return new HotcellError("LOCKED", message, cause.details, { cause });
}

export function isTampered(error: unknown): boolean {
  return error instanceof HotcellError && error.code === "LOG_TAMPERED";
}

/** Runs the work. Any error of the operating system in it means that the log is not available. */
export function failClosed<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof HotcellError) throw error;
    throw logUnavailable(file, osErrorCode(error) ?? String(error), error);
  }
}
