import { HotcellError, osErrorCode } from "../core/errors.ts";

export function logUnavailable(file: string, found: string, cause?: unknown): HotcellError {
  const message = `Could not use the log: ${found}. Nothing runs unlogged: mend the state directory, or name another one.`;
  return new HotcellError("LOG_UNAVAILABLE", message, { file }, { cause });
}

export function logTampered(file: string, found: string): HotcellError {
  const message = `Could not continue the log: ${found}. "hotcell audit verify" says what is wrong with it, and what to move away so that a new log begins.`;
  return new HotcellError("LOG_TAMPERED", message, { file });
}

/** `cause` names the process that has the log open. */
export function logInUse(cause: HotcellError): HotcellError {
  const message = `Could not open the log: another cell has it open, and a log has one writer. Close that cell, or wait until it is done; a cell that works beside it needs a session of its own. (${cause.message})`;
  return new HotcellError("LOCKED", message, cause.details, { cause });
}

export function isLocked(error: unknown): error is HotcellError {
  return error instanceof HotcellError && error.code === "LOCKED";
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
