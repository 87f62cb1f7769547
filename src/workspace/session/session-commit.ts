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
  fingerprintOf,
  rememberFingerprints,
} from "../commit/fingerprint.ts";
import { committedIn, isUnfinished, revertedVersions } from "../commit/journal.ts";
import { type CommitPlan, type ConflictPolicy, planCommit } from "../commit/plan.ts";
import type { Selection } from "../commit/selection.ts";
import type { Watching } from "../commit/watching.ts";
import type { Change } from "../diff/changes.ts";
import { applyHunks } from "../diff/hunks.ts";
import { threeWayMerge } from "../diff/three-way-merge.ts";
import { workspaceKey } from "../host.ts";
import { openRealRoot, type Root } from "../paths.ts";
import { isVersionThere, moveBases, openBases } from "./bases.ts";
import { readRecord, type SessionRecord, sessionDir } from "./record.ts";
import { type DiffOptions, withDiff } from "./session-diff.ts";
import type { Sides } from "./session-view.ts";
import { liveLayer } from "./stack.ts";
import { sessionIds } from "./unused.ts";

export interface CommitOptions {
  /** All when left out. */
  readonly selection?: Selection;
  readonly onConflict?: ConflictPolicy;
  /** The yes to paths that run by themselves. */
  readonly allowProtected?: boolean;
  /** The hash of the plan that was approved: anything else is refused. */
  readonly planHash?: string;
}

/** What a commit would do; nothing is touched. */
export function planSession(id: string, options: CommitOptions, place: DiffOptions): Promise<CommitPlan> {
  return withPlan(id, options, place, (plan) => plan);
}

/** Works with the plan while both sides are there to be read. */
function withPlan<T>(
  id: string,
  options: CommitOptions,
  place: DiffOptions,
  work: (plan: CommitPlan, sides: Sides, record: SessionRecord) => T | Promise<T>,
): Promise<T> {
  const { selection = "all" } = options;
  const wantsLines = selection !== "all" && selection.hunks.length > 0;
  const fingerprintOf = rememberFingerprints();
  const diffOptions = wantsLines ? place : { ...place, fingerprintOf };
  return withDiff(id, diffOptions, ({ changes }, sides, record) =>
    work(planOf({ changes, sides, record, fingerprintOf }, options, place), sides, record),
  );
}

export function commitSession(
  id: string,
  options: CommitOptions,
  place: DiffOptions,
  watching: Watching,
): Promise<CommitResult> {
  const dir = sessionDir(place.stateDir, id);
  refuseOthersUnfinished(id, place.stateDir);
  return withPlan(id, options, place, (plan, sides, record) => {
    if (options.planHash !== undefined && options.planHash !== plan.hash) throw planIsOld(plan);
    const txDir = path.join(dir, "tx", String(lastCommit(dir) + 1));
    return whileCommitting(record, place.stateDir, () =>
      applyCommit(plan, { project: sides.before, view: sides.after, txDir, ...watching }),
    );
  });
}

/** One commit, revert or recovery at a time in a project, whichever session it is of. */
export async function whileCommitting<T>(
  { workspace }: Pick<SessionRecord, "workspace">,
  stateDir: string,
  work: (project: Root) => Promise<T>,
): Promise<T> {
  const dir = path.join(stateDir, "workspaces", workspaceKey(workspace));
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = path.join(dir, "commit.lock");
  await untilFree(lock);
  const release = holdLock(lock);
  try {
    return await workIn(workspace, work);
  } finally {
    release();
  }
}

const LOCK_PAUSE_MS = 5;

/** Who holds it may be of this very process, and has to go on. */
async function untilFree(lock: string): Promise<void> {
  const deadline = performance.now() + LIMITS.lockWaitMs;
  while (isHeld(lock) && performance.now() < deadline) await setTimeout(LOCK_PAUSE_MS);
}

async function workIn<T>(workspace: string, work: (project: Root) => Promise<T>): Promise<T> {
  const project = openRealRoot(workspace);
  try {
    return await work(project);
  } finally {
    fs.closeSync(project.fd);
  }
}

/** What another session's commit has left half done must not be committed over. */
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

/** Numbers of the session's commits, oldest first. */
export function commitsIn(dir: string): number[] {
  const tx = path.join(dir, "tx");
  if (!fs.existsSync(tx)) return [];
  return fs
    .readdirSync(tx)
    .map(Number)
    .filter(Number.isSafeInteger)
    .sort((a, b) => a - b);
}

export function unfinishedCommits(dir: string): string[] {
  return commitsIn(dir)
    .map((number) => path.join(dir, "tx", String(number)))
    .filter(isUnfinished);
}

/** What was committed is the project's own now: a later change of it begins from there. `isLeft` says that no later call writes into the live layer. */
export function settleCommits(record: SessionRecord, stateDir: string, isLeft: boolean): SessionRecord {
  const dir = sessionDir(stateDir, record.id);
  const unsettled = commitsIn(dir).filter((number) => number > record.commits);
  if (unsettled.length === 0) return record;
  withProject(record, (project) => {
    for (const number of unsettled) {
      const { versions, own } = committedIn(path.join(dir, "tx", String(number)));
      moveBases(versions, liveLayer(record), stateDir, project, isLeft ? own : new Set());
    }
  });
  return { ...record, commits: unsettled.at(-1)! };
}

/** Where a revert was cut off and recovered, the session begins with what is in the project again. */
export function settleReverts(record: SessionRecord, stateDir: string): void {
  const dir = sessionDir(stateDir, record.id);
  withProject(record, (project) => {
    for (const number of commitsIn(dir)) {
      const reverted = revertedVersions(path.join(dir, "tx", String(number)));
      const again = [...reverted].filter(([at, version]) => isVersionThere(project, at, version));
      if (again.length > 0) moveBases(new Map(again), liveLayer(record), stateDir, project);
    }
  });
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
): CommitPlan {
  const bases = openBases(record, stateDir, project);
  return planCommit({
    changes,
    selection,
    baseOf: (at) => {
      const base = bases.baseOf(at);
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
  const found = fingerprintOf(project, at);
  return found?.kind === "directory"
    ? { ...found, mode: -1 }
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
