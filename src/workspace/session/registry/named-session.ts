// Names of sessions, each unique in its project. A link finds the session of a name, and a file beside the session's
// record tells the name: an open session can be renamed, so the record cannot hold it.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import { readRecord, sessionDir } from "../../layers/record.ts";

/** The session's id; null if no session has the name, or it no longer exists. */
export function findNamedSession(stateDir: string, project: string, name: string): string | null {
  const link = linkOf(stateDir, project, name);
  try {
    const id = path.basename(fs.readlinkSync(link));
    if (fs.existsSync(sessionDir(stateDir, id))) return id;
    fs.unlinkSync(link);
  } catch (error) {
    if (osErrorCode(error) !== "ENOENT") throw error;
  }
  return null;
}

/** Returns the id that has the name now: another one if another process was faster. */
export function nameSession(stateDir: string, project: string, name: string, id: string): string {
  const link = linkOf(stateDir, project, name);
  fs.mkdirSync(path.dirname(link), { recursive: true, mode: 0o700 });
  try {
    fs.symlinkSync(path.join("../sessions", id), link);
    fs.writeFileSync(nameFile(stateDir, id), name, { mode: 0o600 });
    return id;
  } catch (error) {
    if (osErrorCode(error) !== "EEXIST") throw error;
    return path.basename(fs.readlinkSync(link));
  }
}

/** Null if it has none. */
export function readSessionName(stateDir: string, id: string): string | null {
  try {
    return fs.readFileSync(nameFile(stateDir, id), "utf8");
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Gives the session this name instead of the one that it has. */
export function renameSession(stateDir: string, id: string, name: string): void {
  const { workspace } = readRecord(sessionDir(stateDir, id));
  const before = readSessionName(stateDir, id);
  checkSessionName(name);
  refuseTakenName(stateDir, workspace, name, id);
  if (nameSession(stateDir, workspace, name, id) !== id) throw nameIsTaken(name);
  if (before !== null && before !== name) fs.unlinkSync(linkOf(stateDir, workspace, before));
}

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** Refuses a name that nobody could type, or that means another session. */
export function checkSessionName(name: string): void {
  if (NAME.test(name) && name !== "last") return;
  const message = `Could not name the session ${quote(name)}: a name has up to 64 letters, digits, ".", "_" and "-", and is not "last".`;
  throw new HotcellError("INVALID_ARGUMENTS", message);
}

/** Refuses the name of a session that there is not yet. */
export function refuseName(stateDir: string, project: string, name: string): void {
  checkSessionName(name);
  refuseTakenName(stateDir, project, name);
}

function refuseTakenName(stateDir: string, project: string, name: string, id?: string): void {
  const holder = findNamedSession(stateDir, project, name);
  if (holder !== null && holder !== id) throw nameIsTaken(name);
}

function nameIsTaken(name: string): HotcellError {
  const message = `Could not name the session ${quote(name)}: another session of the project has that name. Rename that one first.`;
  return new HotcellError("ALREADY_EXISTS", message);
}

function nameFile(stateDir: string, id: string): string {
  return path.join(sessionDir(stateDir, id), "name");
}

function linkOf(stateDir: string, project: string, name: string): string {
  return path.join(stateDir, "named", nameKey(project, name));
}

export function nameKey(project: string, name: string): string {
  return createHash("sha256").update(`${project}\0${name}`).digest("hex").slice(0, 16);
}
