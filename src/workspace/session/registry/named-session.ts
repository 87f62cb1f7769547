// Sessions that a caller finds again by a name.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../../core/errors.ts";
import { sessionDir } from "../../layers/record.ts";

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
    return id;
  } catch (error) {
    if (osErrorCode(error) !== "EEXIST") throw error;
    return path.basename(fs.readlinkSync(link));
  }
}

function linkOf(stateDir: string, project: string, name: string): string {
  return path.join(stateDir, "named", nameKey(project, name));
}

export function nameKey(project: string, name: string): string {
  return createHash("sha256").update(`${project}\0${name}`).digest("hex").slice(0, 16);
}
