// Applies one step to the project. Steps are idempotent: after a kill, all steps run again.
import fs from "node:fs";
import { osErrorCode } from "../../core/errors.ts";
import type { Pieces } from "../fs/cooperative.ts";
import {
  areOneFile,
  type FileIdentity,
  fingerprintAt,
  isOneFile,
  lookAt,
  sameVersion,
} from "../fs/fingerprint.ts";
import { isThere, type NoWay, pathTo, piecesAtExactly, type Spot } from "../fs/no-follow.ts";
import type { Owner } from "../fs/owner.ts";
import { fdPath, openChild, type Root } from "../fs/paths.ts";
import { kindOf, readNames } from "../fs/tree.ts";
import type { StepOutcome } from "./journal.ts";
import { enter, moveAside, returnTo } from "./move-aside.ts";
import { type CommitStep, putVersion } from "./plan/commit-step.ts";
import type { ConflictReason } from "./plan/plan.ts";

export interface StepPlace {
  readonly project: Root;
  /** The step's staged content. */
  readonly fresh: Spot;
  /** Where the replaced or deleted entry is moved. */
  readonly aside: Spot;
  /** Whether another step of the same transaction removes this path. */
  readonly isRemoved: (path: string) => boolean;
  /** Called after each change. */
  readonly tick: () => void;
}

export const LEFT: StepOutcome = { state: "left", conflict: null, kept: false };
const NEW_DIRECTORY = 0o700;
const DONE: StepOutcome = { state: "done", conflict: null, kept: false };

const left = (conflict: ConflictReason, kept = false): StepOutcome => ({ state: "left", conflict, kept });

export function applyStep(step: CommitStep, place: StepPlace): Pieces<StepOutcome> {
  return piecesAtExactly(place.project, step.path, function* (spot) {
    if (typeof spot === "string") return withoutParent(step, place, spot);
    return yield* OPERATIONS[step.op](step, place, spot);
  });
}

/** Cleans up after a failed step. A step that was done after all can be undone like any other. */
export function* takeBackStep(step: CommitStep, place: StepPlace): Pieces<StepOutcome> {
  const { project, fresh, aside, tick } = place;
  if (step.op === "mkdir" || step.op === "chmod") return DONE;
  return yield* piecesAtExactly(project, step.path, function* (spot) {
    if (!isThere(aside)) return LEFT;
    if (typeof spot === "string") return { ...LEFT, kept: true };
    if (step.op === "put" && (areOneFile(fresh, spot) || (yield* hasStepVersion(step, spot)))) return DONE;
    return { ...LEFT, kept: !returnTo(spot, aside, tick) };
  });
}

/** The parent directory is missing: a removal is done, and no other step is possible. */
function withoutParent({ op, path }: CommitStep, { aside, isRemoved }: StepPlace, way: NoWay): StepOutcome {
  if (op === "rmdir" || (op === "delete" && (way === "missing" || isThere(aside)))) return DONE;
  if (op === "chmod" && isRemoved(path)) return DONE;
  if (way === "missing") return left("removed in the project");
  return left("below something that is no directory in the project");
}

type Operation = (step: CommitStep, place: StepPlace, spot: Spot) => Pieces<StepOutcome>;

const OPERATIONS: Readonly<Record<CommitStep["op"], Operation>> = {
  *delete({ expect }, { aside, tick }, spot) {
    const found = lookAt(spot);
    if (found === null && !isThere(aside)) return DONE;
    const obstacle = yield* moveAside({ at: spot, aside, expect: expect!, found, tick });
    return obstacle === null ? DONE : { state: "left", ...obstacle };
  },

  *rmdir(_step, { tick }, spot) {
    return mapErrors({ ENOENT: DONE, ENOTDIR: DONE, ENOTEMPTY: NOT_EMPTY, EEXIST: NOT_EMPTY }, () => {
      fs.rmdirSync(pathTo(spot));
      tick();
    });
  },

  *mkdir({ mode, owner }, { tick }, spot) {
    mapErrors({ EEXIST: DONE }, () => {
      fs.mkdirSync(pathTo(spot), NEW_DIRECTORY);
      tick();
    });
    return withOpened(spot, (fd, stat) => {
      if (!stat.isDirectory()) return left("made in the project");
      // A directory with another mode or with entries is somebody else's, or was finished before a kill.
      if (permissionsOf(stat) !== NEW_DIRECTORY || readNames(fd, true).length > 0) return DONE;
      setOwner(fd, stat, owner);
      if (setMode(fd, stat, mode!)) tick();
      return DONE;
    });
  },

  *put(step, place, spot) {
    // While the staged file has no name in the project, nobody else can write to it.
    const fresh = lookAt(place.fresh);
    const found = lookAt(spot);
    if (isOneFile(fresh, found)) return DONE;
    const outcome = yield* replace(step, place, { spot, fresh, found });
    if (outcome.state === "done") return outcome;
    // Somebody made the same version, or the step was done before a kill and the staged file is gone.
    return (yield* hasStepVersion(step, spot)) ? DONE : outcome;
  },

  *chmod({ path, mode, expect }, { isRemoved, tick }, spot) {
    if (!isThere(spot)) return isRemoved(path) ? DONE : left("removed in the project");
    return withOpened(spot, (fd, stat) => {
      const { kind, owner } = expect!;
      const isMode = [permissionsOf(expect!), mode].includes(permissionsOf(stat));
      const isOwners = owner === null || owner.uid === stat.uid;
      if (!isMode || !isOwners || kindOf(stat) !== kind) return left("changed in the project");
      if (setMode(fd, stat, mode!)) tick();
      return isAt(spot, stat) ? DONE : left("changed in the project");
    });
  },
};

interface StepState {
  readonly spot: Spot;
  /** The staged entry, and the project's. */
  readonly fresh: FileIdentity | null;
  readonly found: FileIdentity | null;
}

function* replace(
  { expect }: CommitStep,
  { fresh: staged, aside, tick }: StepPlace,
  { spot, fresh, found }: StepState,
): Pieces<StepOutcome> {
  if (expect === null && found !== null) return left("made in the project");
  if (fresh === null) return left("what was staged for it is gone");
  const obstacle = expect && (yield* moveAside({ at: spot, aside, expect, found, tick }));
  if (obstacle !== null) return { state: "left", ...obstacle };
  const isAside = expect !== null;
  const taken = {
    EEXIST: left("made in the project", isAside),
    ENOENT: left("removed in the project", isAside),
  };
  return mapErrors(taken, () => {
    enter(staged, spot);
    tick();
  });
}

/** Whether the project has the step's version, whoever made it. */
function* hasStepVersion(step: CommitStep, spot: Spot): Pieces<boolean> {
  return sameVersion(yield* fingerprintAt(spot), putVersion(step));
}

function withOpened(spot: Spot, work: (fd: number, stat: fs.Stats) => StepOutcome): StepOutcome {
  const fd = openChild(spot.dir, spot.name);
  try {
    return work(fd, fs.fstatSync(fd));
  } finally {
    fs.closeSync(fd);
  }
}

function isAt(spot: Spot, { dev, ino }: fs.Stats): boolean {
  const found = fs.lstatSync(pathTo(spot), { throwIfNoEntry: false });
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
