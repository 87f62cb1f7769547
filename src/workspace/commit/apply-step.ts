// Applies one step to the project. Steps are idempotent: after a kill, all steps run again.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import {
  areOneFile,
  fingerprintAt,
  identityAt,
  isOneFile,
  sameVersion,
  type UnhashedFingerprint,
} from "../fs/fingerprint.ts";
import {
  atExactPathCooperatively,
  type EntryRef,
  entryExists,
  entryPath,
  type Unreachable,
} from "../fs/no-follow.ts";
import type { Owner } from "../fs/owner.ts";
import { fdPath, openChild, type Root } from "../fs/paths.ts";
import { kindOf, readNames } from "../fs/tree.ts";
import type { StepOutcome } from "./journal.ts";
import { linkInto, moveAside, moveBack } from "./move-aside.ts";
import { type CommitStep, putVersion } from "./plan/commit-step.ts";
import type { ConflictReason } from "./plan/plan.ts";

export interface StepContext {
  readonly project: Root;
  /** The step's staged content. */
  readonly fresh: EntryRef;
  /** Where the replaced or deleted entry is moved. */
  readonly aside: EntryRef;
  /** Whether another step of the same transaction removes this path. */
  readonly isRemoved: (path: string) => boolean;
  /** Called after each change. */
  readonly tick: () => void;
}

export const SKIPPED_OUTCOME: StepOutcome = { state: "left", conflict: null, kept: false };
const NEW_DIRECTORY = 0o700;
const DONE: StepOutcome = { state: "done", conflict: null, kept: false };

const left = (conflict: ConflictReason, kept = false): StepOutcome => ({ state: "left", conflict, kept });

export function applyStep(step: CommitStep, place: StepContext): Cooperative<StepOutcome> {
  return atExactPathCooperatively(place.project, step.path, function* (ref) {
    if (typeof ref === "string") return withoutParent(step, place, ref);
    return yield* OPERATIONS[step.op](step, place, ref);
  });
}

/** Cleans up after a failed step. A step that was done after all can be undone like any other. */
export function* undoStep(step: CommitStep, place: StepContext): Cooperative<StepOutcome> {
  const { project, fresh, aside, tick } = place;
  if (step.op === "mkdir" || step.op === "chmod") return DONE;
  return yield* atExactPathCooperatively(project, step.path, function* (ref) {
    if (!entryExists(aside)) return SKIPPED_OUTCOME;
    if (typeof ref === "string") return { ...SKIPPED_OUTCOME, kept: true };
    if (step.op === "put" && (areOneFile(fresh, ref) || (yield* hasStepVersion(step, ref)))) return DONE;
    return { ...SKIPPED_OUTCOME, kept: !moveBack(ref, aside, tick) };
  });
}

/** The parent directory is missing: a removal is done, and no other step is possible. */
function withoutParent(
  { op, path }: CommitStep,
  { aside, isRemoved }: StepContext,
  way: Unreachable,
): StepOutcome {
  if (op === "rmdir" || (op === "delete" && (way === "missing" || entryExists(aside)))) return DONE;
  if (op === "chmod" && isRemoved(path)) return DONE;
  if (way === "missing") return left("removed in the project");
  return left("parent is not a directory in the project");
}

type Operation = (step: CommitStep, place: StepContext, ref: EntryRef) => Cooperative<StepOutcome>;

const OPERATIONS: Readonly<Record<CommitStep["op"], Operation>> = {
  *delete({ expect }, { aside, tick }, ref) {
    const found = identityAt(ref);
    if (found === null && !entryExists(aside)) return DONE;
    const obstacle = yield* moveAside({ at: ref, aside, expect: expect!, found, tick });
    return obstacle === null ? DONE : { state: "left", ...obstacle };
  },

  *rmdir(_step, { tick }, ref) {
    return mapErrors({ ENOENT: DONE, ENOTDIR: DONE, ENOTEMPTY: NOT_EMPTY, EEXIST: NOT_EMPTY }, () => {
      fs.rmdirSync(entryPath(ref));
      tick();
    });
  },

  *mkdir({ mode, owner }, { tick }, ref) {
    mapErrors({ EEXIST: DONE }, () => {
      fs.mkdirSync(entryPath(ref), NEW_DIRECTORY);
      tick();
    });
    return withOpened(ref, (fd, stat) => {
      if (!stat.isDirectory()) return left("created in the project");
      // A directory with another mode or with entries is somebody else's, or was finished before a kill.
      if (permissionsOf(stat) !== NEW_DIRECTORY || readNames(fd, true).length > 0) return DONE;
      setOwner(fd, stat, owner);
      if (setMode(fd, stat, mode!)) tick();
      return DONE;
    });
  },

  *put(step, place, ref) {
    // While the staged file has no name in the project, nobody else can write to it.
    const fresh = identityAt(place.fresh);
    const found = identityAt(ref);
    if (isOneFile(fresh, found)) return DONE;
    const outcome = yield* replace(step, place, { ref, fresh, found });
    if (outcome.state === "done") return outcome;
    // Somebody made the same version, or the step was done before a kill and the staged file is gone.
    return (yield* hasStepVersion(step, ref)) ? DONE : outcome;
  },

  *chmod({ path, mode, expect }, { isRemoved, tick }, ref) {
    if (!entryExists(ref)) return isRemoved(path) ? DONE : left("removed in the project");
    return withOpened(ref, (fd, stat) => {
      const { kind, owner } = expect!;
      const isMode = [permissionsOf(expect!), mode].includes(permissionsOf(stat));
      const isOwners = owner === null || owner.uid === stat.uid;
      if (!isMode || !isOwners || kindOf(stat) !== kind) return left("changed in the project");
      if (setMode(fd, stat, mode!)) tick();
      return isAt(ref, stat) ? DONE : left("changed in the project");
    });
  },
};

interface StepState {
  readonly ref: EntryRef;
  /** The staged entry, and the project's. */
  readonly fresh: UnhashedFingerprint | null;
  readonly found: UnhashedFingerprint | null;
}

function* replace(
  { expect }: CommitStep,
  { fresh: staged, aside, tick }: StepContext,
  { ref, fresh, found }: StepState,
): Cooperative<StepOutcome> {
  if (expect === null && found !== null) return left("created in the project");
  if (fresh === null) return left("staged content is missing");
  const obstacle = expect && (yield* moveAside({ at: ref, aside, expect, found, tick }));
  if (obstacle !== null) return { state: "left", ...obstacle };
  const isAside = expect !== null;
  const taken = {
    EEXIST: left("created in the project", isAside),
    ENOENT: left("removed in the project", isAside),
  };
  return mapErrors(taken, () => {
    linkInto(staged, ref);
    tick();
  });
}

/** Whether the project has the step's version, no matter who wrote it. */
function* hasStepVersion(step: CommitStep, ref: EntryRef): Cooperative<boolean> {
  return sameVersion(yield* fingerprintAt(ref), putVersion(step));
}

function withOpened(ref: EntryRef, work: (fd: number, stat: fs.Stats) => StepOutcome): StepOutcome {
  const fd = openChild(ref.dir, ref.name);
  try {
    return work(fd, fs.fstatSync(fd));
  } finally {
    fs.closeSync(fd);
  }
}

function isAt(ref: EntryRef, { dev, ino }: fs.Stats): boolean {
  const found = fs.lstatSync(entryPath(ref), { throwIfNoEntry: false });
  return found?.dev === dev && found.ino === ino;
}

const permissionsOf = ({ mode }: { readonly mode: number }): number => mode & 0o777;

function setOwner(fd: number, { uid, gid }: fs.Stats, owner: Owner | null): void {
  if (owner !== null && (owner.uid !== uid || owner.gid !== gid))
    fs.chownSync(fdPath(fd), owner.uid, owner.gid);
}

/** A directory keeps mode bits inherited from its parent (setgid). False if nothing had to change. */
function setMode(fd: number, stat: fs.Stats, mode: number): boolean {
  const wanted = mode | (stat.isDirectory() ? stat.mode & 0o7000 : 0);
  if ((stat.mode & 0o7777) === wanted) return false;
  fs.chmodSync(fdPath(fd), wanted);
  return true;
}

const NOT_EMPTY = left("not empty in the project");

/** Does the work, and maps these error codes to outcomes. */
function mapErrors(outcomes: Readonly<Record<string, StepOutcome>>, work: () => void): StepOutcome {
  try {
    work();
    return DONE;
  } catch (error) {
    const outcome = new Map(Object.entries(outcomes)).get(osErrorCode(error) ?? "");
    if (outcome === undefined) throw error;
    return outcome;
  }
}
