// Homes that last: one directory for each profile of `hotcell run` in each project. A program writes its home, so
// nothing here follows a link in it.
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { isLocked, isLockHeld, waitForLock } from "../../core/lock.ts";
import { quote } from "../../core/quote.ts";
import type { Owner } from "../fs/owner.ts";
import { replaceJson } from "../fs/replace-json.ts";
import { removeDirectory } from "../layers/session-dirs.ts";
import { bytesIn } from "../session/registry/bytes-in.ts";
import { nameKey } from "../session/registry/named-session.ts";

export interface HomeRecord {
  /** The project's real path. */
  readonly project: string;
  readonly profile: string;
  readonly created: string;
  /** The answers about files of the profile, by name. */
  readonly homeFiles: Readonly<Record<string, boolean>>;
}

export interface HomeSummary extends HomeRecord {
  readonly id: string;
  /** The last start of a program in it. */
  readonly used: string;
  readonly bytes: number;
  readonly inUse: boolean;
}

export interface Home {
  readonly record: HomeRecord;
  /** The directory that the program has as its home. */
  readonly directory: string;
  /** Stores answers about files of the profile. */
  keepAnswers(answers: HomeRecord["homeFiles"]): void;
  release(): void;
}

export interface HomeOwner {
  readonly project: string;
  readonly profile: string;
  /** The user that the program runs as. */
  readonly owner: Owner;
}

/** Creates it at its first use. Throws LOCKED while another program has it. */
export async function openHome(stateDir: string, { project, profile, owner }: HomeOwner): Promise<Home> {
  const dir = path.join(homesDir(stateDir), nameKey(project, profile));
  try {
    fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
    const release = await holdHome(dir, profile);
    try {
      const directory = makeDirectory(dir, owner);
      const record = readRecord(dir) ?? { project, profile, created: now(), homeFiles: {} };
      // Its time is that of the last use.
      replaceJson(recordFile(dir), record);
      const keepAnswers = (homeFiles: HomeRecord["homeFiles"]) =>
        replaceJson(recordFile(dir), { ...record, homeFiles });
      return { record, directory, keepAnswers, release };
    } catch (error) {
      release();
      throw error;
    }
  } catch (error) {
    throw explainHomeFailure(error, `open the home of ${quote(profile)}`);
  }
}

export function listHomes(stateDir: string, project?: string): HomeSummary[] {
  const homes = homesDir(stateDir);
  return namesIn(homes).flatMap((id) => {
    const dir = path.join(homes, id);
    const record = readRecord(dir);
    if (record === null || (project !== undefined && record.project !== project)) return [];
    const used = fs.statSync(recordFile(dir)).mtime.toISOString();
    return [
      { ...record, id, used, bytes: bytesIn(dir, "closed"), inUse: isLockHeld(path.join(dir, "lock")) },
    ];
  });
}

/** Removes a home with everything in it. Throws LOCKED while a program has it. */
export async function removeHome(stateDir: string, { id, profile }: HomeSummary): Promise<void> {
  const dir = path.join(homesDir(stateDir), id);
  const release = await holdHome(dir, profile);
  try {
    // Another run that begins now makes a new home.
    fs.renameSync(dir, `${dir}${GONE}`);
  } finally {
    release();
  }
  // Also what a killed process left.
  const homes = homesDir(stateDir);
  for (const name of fs.readdirSync(homes).filter((one) => one.endsWith(GONE)))
    removeDirectory(path.join(homes, name));
}

const GONE = ".gone";

function namesIn(homes: string): string[] {
  return fs.existsSync(homes) ? fs.readdirSync(homes).filter((name) => !name.endsWith(GONE)) : [];
}

/** An error of the system, with the next step; any other error as it is. */
export function explainHomeFailure(error: unknown, action: string): unknown {
  const code = osErrorCode(error);
  if (error instanceof HotcellError || code === undefined) return error;
  const isFull = ["ENOSPC", "EDQUOT"].includes(code);
  const why = isFull
    ? "the disk of the state directory is full. Make room: hotcell run --list-homes, hotcell run --forget, hotcell session gc"
    : `the system refused (${code}). To begin with an empty home: hotcell run --forget`;
  return new HotcellError("EXECUTION_ERROR", `Could not ${action}: ${why}.`);
}

const homesDir = (stateDir: string) => path.join(stateDir, "homes");
const recordFile = (dir: string) => path.join(dir, "home.json");
const directoryIn = (dir: string) => path.join(dir, "home");
const now = () => new Date().toISOString();

/** hotcell alone writes the directory around the home. */
function makeDirectory(dir: string, { uid, gid }: Owner): string {
  const directory = directoryIn(dir);
  if (!fs.existsSync(directory)) fs.mkdirSync(directory, { mode: 0o700 });
  if (process.geteuid?.() === 0) fs.lchownSync(directory, uid, gid);
  fs.chmodSync(directory, 0o700);
  return directory;
}

/** Null if there is none: a process was killed while it made or removed the home. */
function readRecord(dir: string): HomeRecord | null {
  try {
    return JSON.parse(fs.readFileSync(recordFile(dir), "utf8")) as HomeRecord;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(osErrorCode(error) ?? "")) return null;
    throw error;
  }
}

async function holdHome(dir: string, profile: string): Promise<() => void> {
  try {
    return await waitForLock(path.join(dir, "lock"));
  } catch (error) {
    if (!isLocked(error)) throw error;
    const { pid, command } = error.details ?? {};
    const message = `Could not use the home of ${quote(profile)}: a home has one program at a time, and process ${pid} (${command}) has it. End that program first, or work in another copy of the project.`;
    throw new HotcellError("LOCKED", message, error.details);
  }
}
