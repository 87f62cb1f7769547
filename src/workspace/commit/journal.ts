// What a commit has to know about itself after a kill at any instant. Each phase is recorded, whole or not
// at all and on the disk, before what belongs to it is done.
import fs from "node:fs";
import path from "node:path";
import { type ErrorCode, HotcellError, osErrorCode } from "../../core/errors.ts";
import { showName } from "../names.ts";
import type { Places } from "./choose-places.ts";
import { type CommitStep, putVersion } from "./commit-step.ts";
import { type Fingerprint, type Identity, type Version, versionOf } from "./fingerprint.ts";
import type { ConflictReason } from "./plan.ts";
import { syncDirectory } from "./sync.ts";

/**
 * `staging`: nothing of the project is touched. `applying`: all is staged, from here on it goes through.
 * `undoing`: steps are put back. `keeping`: what was replaced is put away. `done`: nothing is left to do.
 */
export type Phase = "staging" | "applying" | "undoing" | "keeping" | "done";

export interface Outcome {
  readonly state: "done" | "left" | "undone";
  readonly conflict: ConflictReason | null;
  /** What was moved aside for it could not be put back: it is kept with what was replaced. */
  readonly kept: boolean;
  /** Of the file that was put. */
  readonly put?: Identity;
}

export interface Journal extends Places {
  readonly version: 1;
  readonly phase: Phase;
  /** The project's path: recovery works nowhere else. */
  readonly project: string;
  readonly onConflict: "undo all" | "undo the change" | "leave";
  readonly outcomes: readonly Outcome[];
  /** The steps to put back, and the directory of the transaction that does it. */
  readonly undoing: { readonly steps: readonly number[]; readonly name: string } | null;
  /** How often steps were put back. */
  readonly undone: number;
  /** Why it was given up. */
  readonly failure: { readonly code: ErrorCode; readonly message: string } | null;
}

export interface Steps {
  readonly steps: readonly CommitStep[];
  /** When they put back another transaction's: the index there of each. */
  readonly undoes: readonly number[] | null;
}

const JOURNAL = "journal.json";
const STEPS = "steps.json";

export function readJournal(txDir: string): Journal | null {
  const journal = readJson<Journal>(txDir, JOURNAL);
  if (journal === null || journal.version === 1) return journal;
  throw new HotcellError(
    "NOT_SUPPORTED",
    "Could not read the journal of a commit: a newer hotcell wrote it.",
  );
}

/** One that was called off has none. */
export function hasJournal(txDir: string): boolean {
  return fs.existsSync(path.join(txDir, JOURNAL));
}

/** Whether something of a commit is in the project, or may be. */
export function stands(txDir: string): boolean {
  const journal = readJournal(txDir);
  return journal?.phase !== "done" || journal.outcomes.some(({ state }) => state === "done");
}

/** Whether recovery has something to do. */
export function isUnfinished(txDir: string): boolean {
  return ![undefined, "done"].includes(readJournal(txDir)?.phase);
}

/** With which file it was, where that is known. */
export type PutVersion = Version & Partial<Identity>;

/** What is at a path; null: nothing. */
export type Versions = ReadonlyMap<string, PutVersion | null>;

export interface Committed {
  /** Everything in the project that is as the commit made it: both ends of a rename, directories, what is gone. */
  readonly versions: Versions;
  /** What was there before. */
  readonly replaced: ReadonlyMap<string, Fingerprint | null>;
  /** Files that are as the session had them. */
  readonly own: ReadonlySet<string>;
  /** Files that have something of somebody else's too, which the session has not; whether all of the session's is in them. */
  readonly merged: ReadonlyMap<string, boolean>;
}

export function committedIn(txDir: string): Committed {
  const journal = readJournal(txDir);
  if (journal === null || journal.outcomes.length === 0)
    return { versions: new Map(), replaced: new Map(), own: new Set(), merged: new Map() };
  const versions = new Map<string, PutVersion | null>();
  const replaced = new Map<string, Fingerprint | null>();
  const own = new Set<string>();
  const merged = new Map<string, boolean>();
  for (const [index, step] of readSteps(txDir).steps.entries()) {
    const { state, put } = journal.outcomes[index]!;
    if (state !== "done") continue;
    if (!versions.has(step.path)) replaced.set(step.path, step.expect);
    versions.set(step.path, versionAfter(step, put));
    if (step.content === "view") own.add(step.path);
    if (step.settles === "merged") merged.set(step.path, step.content === "merged");
  }
  return { versions, replaced, own, merged };
}

export function committedPaths(txDir: string): string[] {
  return [...committedIn(txDir).versions.keys()].sort();
}

export interface Reverted {
  /** What is there again: of several steps at one path, from before the first. */
  readonly versions: Versions;
  /** Where that is what the session has not seen. */
  readonly unseen: ReadonlySet<string>;
}

/** How often steps of a commit were put back. */
export function timesUndone(txDir: string): number {
  return readJournal(txDir)?.undone ?? 0;
}

/** Where a commit was taken back, after so many times before. */
export function revertedIn(txDir: string, before: number): Reverted {
  const journal = readJournal(txDir);
  const times = Array.from({ length: (journal?.undone ?? 0) - before }, (_, index) => before + index + 1);
  const which = new Set(times.flatMap((time) => readSteps(path.join(txDir, undoName(time))).undoes!));
  const isMeant = (index: number) => which.has(index) && journal!.outcomes[index]!.state === "undone";
  const undone = which.size === 0 ? [] : readSteps(txDir).steps.filter((_, index) => isMeant(index));
  return {
    versions: new Map(undone.toReversed().map(({ path: at, expect }) => [at, expect && versionOf(expect)])),
    unseen: new Set(undone.filter(({ settles }) => settles !== undefined).map(({ path: at }) => at)),
  };
}

/** The directory, in a transaction's own, of the one that puts its steps back for the so-manieth time. */
export const undoName = (time: number): string => `undo-${time}`;

export interface TakenBack {
  /** What the commit had put there. */
  readonly put: PutVersion | null;
  /** What is there again. */
  readonly again: Fingerprint | null;
  /** Whether the session has not seen that. */
  readonly isUnseen: boolean;
}

export function takenBackIn(txDir: string): Map<string, TakenBack> {
  const outcomes = readJournal(txDir)?.outcomes ?? [];
  const steps = outcomes.some(({ state }) => state === "undone") ? readSteps(txDir).steps : [];
  const found = new Map<string, TakenBack>();
  for (const [index, step] of steps.entries()) {
    const { state, put } = outcomes[index]!;
    if (state !== "undone") continue;
    const first = found.get(step.path) ?? { again: step.expect, isUnseen: step.settles !== undefined };
    found.set(step.path, { ...first, put: versionAfter(step, put) });
  }
  return found;
}

function versionAfter(step: CommitStep, put: Identity | undefined): PutVersion | null {
  const { op, mode, expect } = step;
  if (op === "delete" || op === "rmdir") return null;
  if (op === "mkdir") return { kind: "directory", mode: mode!, sha256: null };
  return op === "put" ? { ...versionOf(putVersion(step)), ...put } : versionOf({ ...expect!, mode: mode! });
}

export function checkProject(journal: Journal, project: string): void {
  if (journal.project === project) return;
  const message = `Could not go on with the commit: it was made for "${showName(journal.project)}", not for "${showName(project)}". Put the project back to where it was.`;
  throw new HotcellError("WORKSPACE_UNUSABLE", message, { project: journal.project });
}

export function writeJournal(txDir: string, journal: Journal): void {
  const at = path.join(txDir, JOURNAL);
  writeSynced(`${at}.new`, journal);
  fs.renameSync(`${at}.new`, at);
  syncDirectory(txDir);
}

export function readSteps(txDir: string): Steps {
  return readJson<Steps>(txDir, STEPS)!;
}

/** Nobody reads them before a journal says that all is staged. */
export function writeSteps(txDir: string, steps: Steps): void {
  writeSynced(path.join(txDir, STEPS), steps);
}

/** The journal goes last: as long as it is there, so is what it speaks of. */
export function forget(txDir: string): void {
  for (const name of [STEPS, `${JOURNAL}.new`, JOURNAL]) unlinkIfThere(path.join(txDir, name));
}

function readJson<T>(txDir: string, name: string): T | null {
  try {
    return JSON.parse(fs.readFileSync(path.join(txDir, name), "utf8")) as T;
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

function writeSynced(at: string, value: unknown): void {
  const fd = fs.openSync(at, "w", 0o600);
  try {
    fs.writeFileSync(fd, `${JSON.stringify(value)}\n`);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function unlinkIfThere(at: string): void {
  try {
    fs.unlinkSync(at);
  } catch (error) {
    if (osErrorCode(error) !== "ENOENT") throw error;
  }
}
