import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { runPaths } from "../../log/runs.ts";
import { type Cooperative, runToEnd } from "../fs/cooperative.ts";
import { O_PATH } from "../fs/paths.ts";
import { removeBelowCooperatively } from "../fs/tree-change.ts";
import { type SessionRecord, sessionDir, writeRecord } from "./record.ts";

/** Ids sort by age, and reveal nothing about the project. */
export function newSessionId(): string {
  return `${Date.now().toString(36)}-${randomBytes(4).toString("hex")}`;
}

/** The session exists once its directory has its final name. */
export function makeSession(record: SessionRecord, stateDir: string): void {
  const dir = sessionDir(stateDir, record.id);
  const made = `${dir}.new`;
  try {
    fs.mkdirSync(made, { recursive: true, mode: 0o700 });
    fillSession(made, record);
    fs.renameSync(made, dir);
  } catch (error) {
    removeDirectory(made);
    throw error;
  }
}

function fillSession(made: string, record: SessionRecord): void {
  const { name: live } = record.stack.at(-1)!;
  for (const name of ["mask", "merged", "notes", live]) fs.mkdirSync(path.join(made, name), { mode: 0o700 });
  fs.symlinkSync(record.workspace, path.join(made, "lower"));
  writeRecord(made, record);
}

/** The session is gone once its directory is renamed. Its log stays, and gets the link to the project. */
export function removeSession(id: string, stateDir: string): void {
  const dir = sessionDir(stateDir, id);
  fs.renameSync(dir, `${dir}.gone`);
  if (fs.existsSync(runPaths(stateDir, id).dir))
    fs.renameSync(`${dir}.gone/lower`, projectLink(id, stateDir));
  removeDirectory(`${dir}.gone`);
}

/** The project of a session, also of one that was removed and has a log; null if it is not known. */
export function findProject(id: string, stateDir: string): string | null {
  const links = [path.join(stateDir, "sessions", id, "lower"), projectLink(id, stateDir)];
  const link = links.find((at) => fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink());
  return link === undefined ? null : fs.readlinkSync(link);
}

const projectLink = (id: string, stateDir: string): string =>
  path.join(runPaths(stateDir, id).dir, "project");

/** Removes a layer and its notes, also an incomplete one that a killed process left. */
export function* removeLayer(dir: string, name: string): Cooperative<void> {
  for (const directory of [name, `w${name}`]) yield* removeTree(path.join(dir, directory));
  for (const beside of fs.readdirSync(dir).filter((entry) => entry.startsWith(`${name}.`)))
    fs.unlinkSync(path.join(dir, beside));
}

/** Removes a tree of any depth, whatever permissions an agent took away. */
export function removeDirectory(dir: string): void {
  runToEnd(removeTree(dir));
}

function* removeTree(dir: string): Cooperative<void> {
  if (yield* emptyTree(dir)) fs.rmdirSync(dir);
}

/** False if there is none. */
export function emptyDirectory(dir: string): boolean {
  return runToEnd(emptyTree(dir));
}

function* emptyTree(dir: string): Cooperative<boolean> {
  let fd: number;
  try {
    fd = fs.openSync(dir, O_PATH | fs.constants.O_DIRECTORY);
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return false;
    throw error;
  }
  try {
    yield* removeBelowCooperatively(fd, true);
  } finally {
    fs.closeSync(fd);
  }
  return true;
}
