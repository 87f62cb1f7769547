import { HotcellError } from "../../core/errors.ts";
import { showName } from "../fs/names.ts";
import type { OpenEntry, ResolvedPath } from "../fs/paths.ts";

export function requireExisting(place: ResolvedPath, action: string): OpenEntry {
  if (place.found !== null) return place.found;
  throw new HotcellError("NOT_FOUND", `Could not ${action} "${showName(place.path)}": nothing is there.`, {
    path: place.path,
  });
}

export function notAFile(action: string, at: string, state: string): HotcellError {
  return new HotcellError("NOT_A_FILE", `Could not ${action} "${showName(at)}": ${state}.`, { path: at });
}

export function notADirectory(action: string, at: string): HotcellError {
  const message = `Could not ${action} "${showName(at)}": it is not a directory.`;
  return new HotcellError("NOT_A_DIRECTORY", message, { path: at });
}

export function alreadyExists(action: string, at: string): HotcellError {
  const message = `Could not ${action} "${showName(at)}": something is there already.`;
  return new HotcellError("ALREADY_EXISTS", message, { path: at });
}

export function refuseRoot(action: string, at: string): void {
  if (at === "") throw new HotcellError("DENIED", `Could not ${action} the workspace itself.`);
}

export function refuseIntoItself(action: string, from: string, to: string): void {
  if (from !== "" && !to.startsWith(`${from}/`)) return;
  throw new HotcellError("INVALID_ARGUMENTS", `Could not ${action} "${showName(from) || "."}" into itself.`);
}
