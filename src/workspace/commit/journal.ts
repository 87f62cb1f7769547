// The state of a commit that must survive a kill at any instant. Each phase is recorded, atomically and durably,
// before its work starts.
import fs from "node:fs";
import path from "node:path";
import { type ErrorCode, HotcellError, osErrorCode } from "../../core/errors.ts";
import { type Fingerprint, type Version, versionOf } from "../fs/fingerprint.ts";
import { showName } from "../fs/names.ts";
import { replaceJson, writeSynced } from "../fs/replace-json.ts";
import { syncDirectory } from "../fs/sync.ts";
import { type CommitStep, putVersion } from "./plan/commit-step.ts";
import type { ConflictReason } from "./plan/plan.ts";
import type { StagingDirs } from "./staging-dirs.ts";

/**
 * `staging`: the project is untouched. `applying`: everything is staged, from here on the commit goes through.
 * `undoing`: steps are undone. `keeping`: replaced entries are stored. `done`: nothing remains to be done.
 */
export type Phase = "staging" | "applying" | "undoing" | "keeping" | "done";

export interface StepOutcome {
  readonly state: "done" | "left" | "undone";
  readonly conflict: ConflictReason | null;
  /** The entry that was moved aside could not be put back: it is stored with the replaced ones. */
  readonly kept: boolean;
}

export interface Journal extends StagingDirs {
  readonly version: 1;
  readonly phase: Phase;
  /** The project's path: recovery refuses any other. */
  readonly project: string;
  readonly onConflict: "undo all" | "undo the change" | "leave";
  readonly outcomes: readonly StepOutcome[];
  /** The steps to undo, and the directory of the transaction that undoes them. */
  readonly undoing: { readonly steps: readonly number[]; readonly name: string } | null;
  /** How often steps were undone. */
  readonly undone: number;
  /** Why it was aborted. */
  readonly failure: { readonly code: ErrorCode; readonly message: string } | null;
}

export interface StepList {
  readonly steps: readonly CommitStep[];
  /** If they undo another transaction: the index of each undone step there. */
  readonly undoes: readonly number[] | null;
  readonly leaving?: LeavingPaths;
}

/** The paths that leave the session's layers with a commit, besides those of its steps. */
export interface LeavingPaths {
  /** The topmost committed layer; null if a background process was writing to it. */
  readonly top: string | null;
  readonly paths: "all" | readonly string[];
}

const JOURNAL = "journal.json";
const STEPS = "steps.json";

export function readJournal(txDir: string): Journal | null {
  const journal = readJson<Journal>(txDir, JOURNAL);
  if (journal === null || journal.version === 1) return journal;
  throw new HotcellError(
    "NOT_SUPPORTED",
    "Could not read the journal of a commit: a newer version of hotcell wrote it.",
  );
}

/** An aborted commit has no journal. */
export function hasJournal(txDir: string): boolean {
  return fs.existsSync(path.join(txDir, JOURNAL));
}

/** When a commit started. */
export function committedMs(txDir: string): number {
  return fs.statSync(path.join(txDir, STEPS)).mtimeMs;
}

/** Whether the project has, or may have, changes of a commit. */
export function hasEffect(txDir: string): boolean {
  const journal = readJournal(txDir);
  return journal?.phase !== "done" || journal.outcomes.some(({ state }) => state === "done");
}

/** Whether recovery has something to do. */
export function isUnfinished(txDir: string): boolean {
  return ![undefined, "done"].includes(readJournal(txDir)?.phase);
}

/** What a commit did at a path. Several steps at one path count as one, from before the first to after the last. */
export interface Committed {
  readonly was: Fingerprint | null;
  readonly put: Version | null;
  /** The last step. */
  readonly step: CommitStep;
  readonly index: number;
}

export interface CommitOutcome {
  /** Every project path that is as the commit made it: both ends of a rename, directories, deleted paths. */
  readonly done: ReadonlyMap<string, Committed>;
  /** Paths at which it did nothing, or undid its change. */
  readonly left: readonly string[];
}

export function readCommitted(txDir: string): CommitOutcome {
  const outcomes = readJournal(txDir)?.outcomes ?? [];
  const done = new Map<string, Committed>();
  const left: string[] = [];
  for (const [index, step] of outcomes.length === 0 ? [] : readSteps(txDir).steps.entries()) {
    if (outcomes[index]!.state !== "done") left.push(step.path);
    else
      done.set(step.path, {
        was: (done.get(step.path) ?? { was: step.expect }).was,
        put: versionAfter(step),
        step,
        index,
      });
  }
  return { done, left };
}

export function committedPaths(txDir: string): string[] {
  return [...readCommitted(txDir).done.keys()].sort();
}

/** How often steps of a commit were undone. */
export function countReverts(txDir: string): number {
  return readJournal(txDir)?.undone ?? 0;
}

export interface Reverted {
  /** The committed version. */
  readonly put: Version | null;
  /** The restored version. */
  readonly was: Version | null;
  /** Whether the session has not seen the restored version: the commit resolved a conflict. */
  readonly isUnseen: boolean;
  /** Where the content of `put` is kept: the index of a step of the revert; null if it had none, or the project has it. */
  readonly keptAt: number | null;
}

/** What one revert of a commit did, by path. */
export function readReverted(txDir: string, time: number): Map<string, Reverted> {
  const undoDir = path.join(txDir, undoName(time));
  const { outcomes } = readJournal(undoDir) ?? { outcomes: [] };
  const { steps, undoes } = readSteps(undoDir);
  const original = readSteps(txDir).steps;
  const found = new Map<string, Reverted>();
  for (const [index, step] of steps.entries()) {
    if (outcomes[index]?.state !== "done") continue;
    const isKept = step.expect !== null && (step.op === "put" || step.op === "delete");
    const first = found.get(step.path) ?? { put: step.expect && versionOf(step.expect), keptAt: null };
    found.set(step.path, {
      put: first.put,
      was: versionAfter(step),
      isUnseen: isUnseen(original[undoes![index]!]!, versionAfter(step)),
      keptAt: first.keptAt ?? (isKept ? index : null),
    });
  }
  return found;
}

/** A commit may have replaced a version that the session had not seen: by resolving a conflict, or because somebody wrote to the replaced file afterwards. */
function isUnseen({ settles, expect }: CommitStep, was: Version | null): boolean {
  if (settles !== undefined || expect?.kind !== was?.kind) return true;
  return was?.kind !== "directory" && expect?.sha256 !== was?.sha256;
}

/** The name of a transaction's subdirectory for the transaction that undoes its steps the n-th time. */
export const undoName = (time: number): string => `undo-${time}`;

function versionAfter(step: CommitStep): Version | null {
  const { op, mode, expect } = step;
  if (op === "delete" || op === "rmdir") return null;
  if (op === "mkdir") return { kind: "directory", mode: mode!, sha256: null };
  return versionOf(op === "put" ? putVersion(step) : { ...expect!, mode: mode! });
}

export function checkProject(journal: Journal, project: string): void {
  if (journal.project === project) return;
  const message = `Could not continue the commit: it belongs to "${showName(journal.project)}", not to "${showName(project)}". Move the project back.`;
  throw new HotcellError("WORKSPACE_UNUSABLE", message, { project: journal.project });
}

export function writeJournal(txDir: string, journal: Journal): void {
  const at = path.join(txDir, JOURNAL);
  replaceJson(at, journal);
  syncDirectory(txDir);
}

export function readSteps(txDir: string): StepList {
  return readJson<StepList>(txDir, STEPS)!;
}

/** Nobody reads the steps before a journal says that everything is staged. */
export function writeSteps(txDir: string, steps: StepList): void {
  writeSynced(path.join(txDir, STEPS), `${JSON.stringify(steps)}\n`);
}

/** Removes the journal last: while it exists, so do the files that it refers to. */
export function removeJournal(txDir: string): void {
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

function unlinkIfThere(at: string): void {
  try {
    fs.unlinkSync(at);
  } catch (error) {
    if (osErrorCode(error) !== "ENOENT") throw error;
  }
}
