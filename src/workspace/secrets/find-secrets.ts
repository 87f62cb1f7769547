// The project's secrets, with the exceptions that commands may see: a file whose exact content git tracks, because the
// repository contains it anyway, and a certificate. An exception is a copy of the bytes that were judged. So an edit
// between the judgement and a command reveals nothing.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Protection } from "../../policy/protected.ts";
import { createPace } from "../fs/cooperative.ts";
import { type Cursor, createCursor } from "../fs/cursor.ts";
import { fileVersion } from "../fs/file-clock.ts";
import { childPath, type Root } from "../fs/paths.ts";
import { tryEnter } from "../fs/tree.ts";
import { blobId } from "../git/blob-id.ts";
import { readSmallFile } from "../git/git-dir.ts";
import type { GitIndex } from "../git/read-index.ts";
import { createTrackedFiles } from "../git/tracked-files.ts";
import { isSameFile } from "./disclosed-copy.ts";
import { isCertificate } from "./is-certificate.ts";
import { createSecretSearch, type SecretNames } from "./secret-search.ts";

/** A file with a secret's name that commands may see. */
export interface Disclosed {
  readonly bytes: Buffer;
  readonly stat: fs.Stats;
}

/** Names in a directory. Null marks a hidden entry and everything below it; a map is a directory that contains secrets. */
export type Secrets = Map<string, Secrets | Disclosed | null>;

/** The hidden entries, for observations. */
export interface HiddenSecrets {
  readonly count: number;
  /** The first ones, those that git tracks before others. */
  readonly paths: readonly string[];
  /** The first ones that git tracks with other content: for commands they look deleted. */
  readonly changed: readonly string[];
}

export const NONE_HIDDEN: HiddenSecrets = { count: 0, paths: [], changed: [] };

export interface FoundSecrets {
  readonly secrets: Secrets;
  /** False if the result is the same as the previous one. */
  readonly hasChanged: boolean;
  readonly hidden: HiddenSecrets;
}

export type FindSecrets = () => Promise<FoundSecrets>;

/** The judgement of one file, with the version of the file that it is about. */
interface Judged {
  readonly version: string | null;
  readonly disclosed: Disclosed | null;
}

export function createSecretFinder(
  project: Root,
  protectionOf: (path: string) => Protection | null,
): FindSecrets {
  const search = createSecretSearch(project, protectionOf);
  const trackedFiles = createTrackedFiles(project, (path) => protectionOf(path)?.read === "refuse");
  let tracked: GitIndex | null = null;
  let known = new Map<string, Judged>();
  return async () => {
    const { names, hasChanged: hasOtherNames } = await search();
    const index = await trackedFiles();
    const judging = createJudging(index, index === tracked ? known : new Map());
    const secrets = await judgeAll(project, names, judging.judge);
    const hasChanged = hasOtherNames || index !== tracked || judging.hasChanged(known);
    tracked = index;
    known = judging.judged;
    return { secrets, hasChanged, hidden: describeHidden(secrets, index) };
  };
}

function createJudging(index: GitIndex, known: ReadonlyMap<string, Judged>) {
  const judged = new Map<string, Judged>();
  let bytesLeft: number = LIMITS.maxDisclosedBytes;
  return {
    judged,
    judge(dir: number, name: string, path: string): Disclosed | null {
      const stat = fs.lstatSync(childPath(dir, name), { throwIfNoEntry: false });
      if (stat?.isFile() !== true) return null;
      const version = fileVersion(stat);
      const before = known.get(path);
      const disclosed =
        version !== null && before?.version === version
          ? before.disclosed
          : judgeFile(dir, name, stat, index.ids.get(path), index);
      bytesLeft -= disclosed?.bytes.length ?? 0;
      const fitting = bytesLeft < 0 ? null : disclosed;
      judged.set(path, { version, disclosed: fitting });
      return fitting;
    },
    hasChanged: (others: ReadonlyMap<string, Judged>) =>
      judged.size !== others.size ||
      [...judged].some(
        ([path, { disclosed }]) => !isSameFile(disclosed, others.get(path)?.disclosed ?? null),
      ),
  };
}

function judgeFile(
  dir: number,
  name: string,
  stat: fs.Stats,
  id: string | undefined,
  { format }: GitIndex,
): Disclosed | null {
  const mayBeCertificate = /\.pem$/i.test(name);
  if (id === undefined && !mayBeCertificate) return null;
  const bytes = readSmallFile(dir, name, LIMITS.maxDisclosedFileBytes);
  if (bytes === null) return null;
  const isPublic = blobId(bytes, format) === id || (mayBeCertificate && isCertificate(bytes));
  return isPublic ? { bytes, stat } : null;
}

type Judge = (dir: number, name: string, path: string) => Disclosed | null;

interface Level {
  readonly path: string;
  readonly secrets: Secrets;
  /** Names still to judge or enter. */
  readonly rest: [string, SecretNames | null][];
}

/** Enters only directories that contain secrets. */
async function judgeAll(project: Root, names: SecretNames, judge: Judge): Promise<Secrets> {
  const all: Secrets = new Map();
  const cursor = createCursor(project.fd);
  const levels: Level[] = [{ path: "", secrets: all, rest: [...names] }];
  const pace = createPace();
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      await pace();
      const next = level.rest.pop();
      if (next === undefined) {
        levels.pop();
        if (levels.length > 0) cursor.up();
        continue;
      }
      const [name, below] = next;
      const path = level.path + name;
      if (below === null) level.secrets.set(name, judge(cursor.fd, name, path));
      else {
        // A directory that cannot be entered any more is hidden whole.
        const secrets: Secrets | null = canEnter(cursor, name) ? new Map() : null;
        level.secrets.set(name, secrets);
        if (secrets !== null) levels.push({ path: `${path}/`, secrets, rest: [...below] });
      }
    }
    return all;
  } finally {
    cursor.close();
  }
}

function canEnter(cursor: Cursor, name: string): boolean {
  try {
    return tryEnter(cursor, name);
  } catch (error) {
    if (osErrorCode(error) !== "EACCES") throw error;
    return false;
  }
}

function describeHidden(secrets: Secrets, { ids }: GitIndex): HiddenSecrets {
  const changed: string[] = [];
  const others: string[] = [];
  let count = 0;
  for (const path of hiddenPaths(secrets)) {
    count++;
    const first = ids.has(path) ? changed : others;
    if (first.length < LIMITS.maxReportedSecrets) first.push(path);
  }
  return { count, paths: [...changed, ...others].slice(0, LIMITS.maxReportedSecrets), changed };
}

/** The paths of hidden entries, in order of names. */
export function* hiddenPaths(secrets: Secrets): Generator<string, void, void> {
  for (const [path, entry] of leavesOf(secrets)) if (entry === null) yield path;
}

/** The files that commands may see, in order of paths. */
export function* disclosedIn(secrets: Secrets): Generator<[string, Disclosed], void, void> {
  for (const [path, entry] of leavesOf(secrets)) if (entry !== null) yield [path, entry];
}

function* leavesOf(secrets: Secrets): Generator<[string, Disclosed | null], void, void> {
  const levels = [{ path: "", rest: lastFirst(secrets) }];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const next = level.rest.pop();
    if (next === undefined) {
      levels.pop();
      continue;
    }
    const [name, entry] = next;
    const path = level.path + name;
    if (entry instanceof Map) levels.push({ path: `${path}/`, rest: lastFirst(entry) });
    else yield [path, entry];
  }
}

const lastFirst = (secrets: Secrets): [string, Secrets | Disclosed | null][] =>
  [...secrets].sort(([a], [b]) => (a < b ? 1 : -1));
