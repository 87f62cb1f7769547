// Taking what a session changed into the project. The plan is an object that a person can look at; a commit
// makes it anew and goes on only when it is still the same.
import fs from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { holdLock, isHeld } from "../../core/lock.ts";
import { quote } from "../../core/quote.ts";
import { applyCommit, type CommitResult } from "../commit/apply.ts";
import {
  expectedVersion,
  type Fingerprint,
  type FingerprintOf,
  lookOf,
  rememberFingerprints,
  type Version,
  versionOf,
} from "../commit/fingerprint.ts";
import {
  committedIn,
  hasJournal,
  isUnfinished,
  revertedIn,
  stands,
  timesUndone,
  type Versions,
} from "../commit/journal.ts";
import { type CommitPlan, planCommit } from "../commit/plan.ts";
import { type RevertResult, revertCommit } from "../commit/revert.ts";
import type { Watching } from "../commit/watching.ts";
import type { Change } from "../diff/changes.ts";
import { applyHunks } from "../diff/hunks.ts";
import { joinPath } from "../diff/path-names.ts";
import { threeWayMerge } from "../diff/three-way-merge.ts";
import type { TouredDirectory } from "../diff/touched.ts";
import { workspaceKey } from "../host.ts";
import { openRealRoot, type Root } from "../paths.ts";
import { inPieces, type Pieces } from "../pieces.ts";
import {
  hiddenAbove,
  isFile,
  isVersionThere,
  type Known,
  loseBases,
  moveBases,
  openBases,
  parentsUpwards,
  readStack,
} from "./bases.ts";
import { type CommitOptions, checkCommitOptions } from "./commit-options.ts";
import { moveHunkBases } from "./hunk-bases.ts";
import { withLayer } from "./layers.ts";
import { type Layer, readRecord, type SessionRecord, sessionDir } from "./record.ts";
import { type DiffOptions, withDiff } from "./session-diff.ts";
import type { Sides } from "./session-view.ts";
import { liveLayer } from "./stack.ts";
import { sessionIds } from "./unused.ts";

/** Commits what a view shows; one is made when none is given. */
export type Committing = (by: Pick<DiffOptions, "shown" | "known">) => Promise<CommitResult>;

/** What a commit would do; nothing is touched. */
export function planSession(id: string, options: CommitOptions, place: DiffOptions): Promise<CommitPlan> {
  return withPlan(id, options, place, (plan) => plan);
}

/** Works with the plan while both sides are there to be read. */
async function withPlan<T>(
  id: string,
  options: CommitOptions,
  place: DiffOptions,
  work: (plan: CommitPlan, sides: Sides, record: SessionRecord) => T | Promise<T>,
): Promise<T> {
  checkCommitOptions(options);
  const { selection = "all" } = options;
  const wantsLines = selection !== "all" && selection.hunks.length > 0;
  const fingerprintOf = rememberFingerprints();
  const diffOptions = wantsLines ? place : { ...place, fingerprintOf };
  return withDiff(id, diffOptions, async ({ changes }, sides, record) => {
    const planning = planOf({ changes, sides, record, fingerprintOf }, options, place);
    return work(await inPieces(planning, place.signal), sides, record);
  });
}

export function commitSession(
  id: string,
  options: CommitOptions,
  place: DiffOptions,
  watching: Watching,
): Promise<CommitResult> {
  const dir = sessionDir(place.stateDir, id);
  return withPlan(id, options, place, (plan, sides, record) => {
    if (options.planHash !== undefined && options.planHash !== plan.hash) throw planIsOld(plan);
    const txDir = txDirOf(dir, lastCommit(dir) + 1);
    const apply = async () => {
      refuseOthersUnfinished(id, place.stateDir);
      const where = { project: sides.before, view: sides.after, txDir };
      return applyCommit(plan, { ...where, ...watching }, place.signal);
    };
    return whileCommitting(record, place.stateDir, apply, place.signal);
  });
}

/** One commit, revert or recovery at a time in a project, whichever session it is of. */
export async function whileCommitting<T>(
  { workspace }: Pick<SessionRecord, "workspace">,
  stateDir: string,
  work: (project: Root) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const dir = path.join(stateDir, "workspaces", workspaceKey(workspace));
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = path.join(dir, "commit.lock");
  await untilFree(lock, signal);
  const release = holdLock(lock);
  try {
    return await workIn(workspace, work);
  } finally {
    release();
  }
}

const LOCK_PAUSE_MS = 5;

/** Who holds it may be of this very process, and has to go on. */
async function untilFree(lock: string, signal: AbortSignal | undefined): Promise<void> {
  const deadline = performance.now() + LIMITS.lockWaitMs;
  while (isHeld(lock) && performance.now() < deadline) {
    await setTimeout(LOCK_PAUSE_MS);
    signal?.throwIfAborted();
  }
}

async function workIn<T>(workspace: string, work: (project: Root) => Promise<T>): Promise<T> {
  const project = openRealRoot(workspace);
  try {
    return await work(project);
  } finally {
    fs.closeSync(project.fd);
  }
}

/** What another session's commit has left half done must not be committed over. Only who has the lock can tell it from one that is under way. */
function refuseOthersUnfinished(id: string, stateDir: string): void {
  const { workspace } = readRecord(sessionDir(stateDir, id));
  const other = sessionIds(stateDir).find((candidate) => {
    const dir = sessionDir(stateDir, candidate);
    return candidate !== id && readRecord(dir).workspace === workspace && unfinishedCommits(dir).length > 0;
  });
  if (other === undefined) return;
  const message = `Could not commit: a commit of the session ${quote(other)} to the same project was interrupted. Run hotcell session recover first.`;
  throw new HotcellError("COMMIT_INTERRUPTED", message, { session: other });
}

/** Where a commit is kept, by its number. */
export function txDirOf(dir: string, number: number | string): string {
  return path.join(dir, "tx", String(number));
}

/** How often steps of each commit were put back. */
export function revertsIn(dir: string): Record<string, number> {
  return Object.fromEntries(commitsIn(dir).map((number) => [number, timesUndone(txDirOf(dir, number))]));
}

/** Numbers of the session's commits, oldest first. */
export function commitsIn(dir: string): number[] {
  const tx = path.join(dir, "tx");
  if (!fs.existsSync(tx)) return [];
  return fs
    .readdirSync(tx)
    .map(Number)
    .filter((number) => Number.isSafeInteger(number) && hasJournal(path.join(tx, String(number))))
    .sort((a, b) => a - b);
}

/** The last commit of which something was not put back. */
export function lastStanding(dir: string): string | undefined {
  return commitsIn(dir)
    .map(String)
    .findLast((number) => stands(txDirOf(dir, number)));
}

/** Where a commit is: the one with this number, or the last that stands. */
function commitDir(dir: string, tx: string | undefined): string {
  const numbers = commitsIn(dir).map(String);
  const number = tx ?? lastStanding(dir);
  if (number !== undefined && numbers.includes(number)) return txDirOf(dir, number);
  const none = numbers.length === 0 ? "" : " that was not taken back";
  const state = `the session has no commit${tx === undefined ? none : ` ${quote(tx)}`}`;
  throw new HotcellError("NOT_FOUND", `Could not revert: ${state}.`);
}

export function unfinishedCommits(dir: string): string[] {
  return commitsIn(dir)
    .map((number) => txDirOf(dir, number))
    .filter(isUnfinished);
}

export function refuseUnfinished(id: string, dir: string): void {
  if (unfinishedCommits(dir).length === 0) return;
  const message = `Could not open the session ${quote(id)}: a commit of it was interrupted. Run hotcell session recover first.`;
  throw new HotcellError("COMMIT_INTERRUPTED", message, { session: id });
}

/** What was committed is the project's own now: a later change of it begins from there. It is noted with a layer of the session's own; `isLeft` says that no later call writes into that, `toured` all that it has, where that is known. */
export function* settleCommits(
  record: SessionRecord,
  stateDir: string,
  layer: Layer,
  isLeft: boolean,
  toured: readonly TouredDirectory[] | null,
): Pieces<SessionRecord> {
  const dir = sessionDir(stateDir, record.id);
  const unsettled = commitsIn(dir).filter((number) => number > record.commits);
  if (unsettled.length === 0) return record;
  yield* withProjectInPieces(record, function* (project) {
    for (const number of unsettled) {
      const { versions, own, merged } = committedIn(txDirOf(dir, number));
      const inLayer = isLeft ? filesIn(layer, stateDir, own, toured) : new Set<string>();
      const seen = new Map([...versions].filter(([at]) => !merged.has(at)));
      const users = usersDirectories(seen, readStack(record.stack, stateDir), project);
      yield* moveBases(new Map([...users, ...seen]), layer, stateDir, project, inLayer);
      if (merged.size > 0) moveHunkBases(txDirOf(dir, number), record, layer, stateDir);
    }
  });
  // What was put back at once was never the project's.
  const reverts = { ...revertsIn(dir), ...record.reverts };
  return { ...record, commits: unsettled.at(-1)!, reverts };
}

/** Directories that the session has made, and a user too, into which a commit has put something. */
function usersDirectories(put: Versions, { bases, hidden }: Known, project: Root): Versions {
  const made = [...put].filter(([, version]) => version !== null);
  const above = new Set(made.flatMap(([at]) => [...parentsUpwards(at)]));
  const isOwn = (at: string) => bases.get(at)?.base === null && hiddenAbove(at, hidden) === undefined;
  const found = [...above].filter(isOwn).map((at) => [at, lookOf(project, at)] as const);
  const directories = found.flatMap(([at, look]) =>
    look?.kind === "directory" ? [[at, look] as const] : [],
  );
  return new Map(
    directories.map(([at, look]) => [at, versionOf({ ...look, mode: look.mode & 0o777, sha256: null })]),
  );
}

/** Those of the files that the layer has. */
function filesIn(
  layer: Layer,
  stateDir: string,
  files: ReadonlySet<string>,
  toured: readonly TouredDirectory[] | null,
): Set<string> {
  if (toured === null)
    return withLayer(layer, stateDir, (root) => new Set([...files].filter((at) => isFile(root, at))));
  const all = toured.flatMap(({ directory, names }) =>
    names.filter(({ kind }) => kind === "file").map(({ name }) => joinPath(directory, name)),
  );
  return new Set(all.filter((at) => files.has(at)));
}

export function revertInSession(
  record: SessionRecord,
  stateDir: string,
  tx: string | undefined,
): Promise<RevertResult> {
  const txDir = commitDir(sessionDir(stateDir, record.id), tx);
  return whileCommitting(record, stateDir, (project) => revertCommit(txDir, project));
}

/** Where a commit was reverted since the last time, the session begins with what is in the project again. */
export function* settleReverts(record: SessionRecord, stateDir: string): Pieces<SessionRecord> {
  const dir = sessionDir(stateDir, record.id);
  const reverts = revertsIn(dir);
  const unsettled = commitsIn(dir).filter((number) => reverts[number]! > (record.reverts?.[number] ?? 0));
  if (unsettled.length === 0) return record;
  yield* withProjectInPieces(record, function* (project) {
    for (const number of unsettled) {
      const again = new Map<string, Version | null>();
      const { versions, unseen } = revertedIn(txDirOf(dir, number), record.reverts?.[number] ?? 0);
      for (const [at, version] of versions)
        if (yield* isVersionThere(project, at, version)) again.set(at, version);
      if (again.size > 0) yield* standOn(again, unseen, liveLayer(record), stateDir, project);
    }
  });
  return { ...record, reverts };
}

function* standOn(
  versions: Versions,
  unseen: ReadonlySet<string>,
  live: Layer,
  stateDir: string,
  project: Root,
): Pieces<void> {
  const isUnseen = ([at]: readonly [string, unknown]) => unseen.has(at);
  yield* moveBases(new Map([...versions].filter((one) => !isUnseen(one))), live, stateDir, project);
  loseBases(
    [...versions].filter(isUnseen).map(([at]) => at),
    live,
    stateDir,
  );
}

export function withProject<T>(
  { workspace }: Pick<SessionRecord, "workspace">,
  work: (project: Root) => T,
): T {
  const project = openRealRoot(workspace);
  try {
    return work(project);
  } finally {
    fs.closeSync(project.fd);
  }
}

export function* withProjectInPieces<T>(
  { workspace }: Pick<SessionRecord, "workspace">,
  work: (project: Root) => Pieces<T>,
): Pieces<T> {
  const project = openRealRoot(workspace);
  try {
    return yield* work(project);
  } finally {
    fs.closeSync(project.fd);
  }
}

interface Planned {
  readonly changes: readonly Change[];
  readonly sides: Sides;
  readonly record: SessionRecord;
  readonly fingerprintOf: FingerprintOf;
}

function planOf(
  { changes, sides: { before: project, after: view }, record, fingerprintOf }: Planned,
  { selection = "all", onConflict = "abort", allowProtected = false }: CommitOptions,
  { stateDir, protectionOf }: DiffOptions,
): Pieces<CommitPlan> {
  const bases = openBases(record, stateDir, project);
  return planCommit({
    changes,
    selection,
    *baseOf(at) {
      const base = yield* bases.baseOf(at);
      return base === undefined ? unknownBase(project, at) : base;
    },
    ancestorText: bases.ancestorText,
    project,
    view,
    fingerprintOf,
    policy: onConflict,
    allowProtected,
    protectionOf,
    applyHunks,
    threeWayMerge,
  });
}

/** Something that no file is: whatever is there counts as changed. Of a directory only the mode does. */
function unknownBase(project: Root, at: string): Fingerprint {
  const found = lookOf(project, at);
  return found?.kind === "directory"
    ? { ...found, sha256: null, mode: -1 }
    : expectedVersion({ kind: "file", mode: 0, sha256: "unknown" });
}

function lastCommit(dir: string): number {
  return commitsIn(dir).at(-1) ?? 0;
}

function planIsOld({ hash }: CommitPlan): HotcellError {
  const message =
    "Could not commit: the session or the project changed since the plan was made. Look at the plan again.";
  return new HotcellError("PRECONDITION_FAILED", message, { plan: hash });
}
