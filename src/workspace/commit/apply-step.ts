// One step on the project. Done twice it is done once: after a kill, all steps are simply done again.
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
  /** Where what it replaces or deletes goes. */
  readonly aside: Spot;
  /** Whether another step of the same transaction takes this path away. */
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
    if (typeof spot === "string") return withoutWay(step, place, spot);
    return yield* OPERATIONS[step.op](step, place, spot);
  });
}

/** Clears up after a step that failed. What is done after all can be put back like every other step. */
export function* takeBackStep(step: CommitStep, place: StepPlace): Pieces<StepOutcome> {
  const { project, fresh, aside, tick } = place;
  if (step.op === "mkdir" || step.op === "chmod") return DONE;
  return yield* piecesAtExactly(project, step.path, function* (spot) {
    if (!isThere(aside)) return LEFT;
    if (typeof spot === "string") return { ...LEFT, kept: true };
    if (step.op === "put" && (areOneFile(fresh, spot) || (yield* isAlike(step, spot)))) return DONE;
    return { ...LEFT, kept: !returnTo(spot, aside, tick) };
  });
}

/** What was to go is gone with its directory; nothing else can be done. */
function withoutWay({ op, path }: CommitStep, { aside, isRemoved }: StepPlace, way: NoWay): StepOutcome {
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
    const hindrance = yield* moveAside({ at: spot, aside, expect: expect!, found, tick });
    return hindrance === null ? DONE : { state: "left", ...hindrance };
  },

  *rmdir(_step, { tick }, spot) {
    return unless({ ENOENT: DONE, ENOTDIR: DONE, ENOTEMPTY: NOT_EMPTY, EEXIST: NOT_EMPTY }, () => {
      fs.rmdirSync(pathTo(spot));
      tick();
    });
  },

  *mkdir({ mode, owner }, { tick }, spot) {
    unless({ EEXIST: DONE }, () => {
      fs.mkdirSync(pathTo(spot), NEW_DIRECTORY);
      tick();
    });
    return opened(spot, (fd, stat) => {
      if (!stat.isDirectory()) return left("made in the project");
      // One with another mode or with something in it is somebody else's, or was finished before a kill.
      if (permissionsOf(stat) !== NEW_DIRECTORY || readNames(fd, true).length > 0) return DONE;
      setOwner(fd, stat, owner);
      if (setMode(fd, stat, mode!)) tick();
      return DONE;
    });
  },

  *put(step, place, spot) {
    // As long as it has no name in the project, nobody else can write it.
    const fresh = lookAt(place.fresh);
    const found = lookAt(spot);
    if (isOneFile(fresh, found)) return DONE;
    const outcome = yield* replace(step, place, { spot, fresh, found });
    if (outcome.state === "done") return outcome;
    // Somebody made the same, or it was put before a kill and what was staged is gone.
    return (yield* isAlike(step, spot)) ? DONE : outcome;
  },

  *chmod({ path, mode, expect }, { isRemoved, tick }, spot) {
    if (!isThere(spot)) return isRemoved(path) ? DONE : left("removed in the project");
    return opened(spot, (fd, stat) => {
      const { kind, owner } = expect!;
      const isMode = [permissionsOf(expect!), mode].includes(permissionsOf(stat));
      const isOwners = owner === null || owner.uid === stat.uid;
      if (!isMode || !isOwners || kindOf(stat) !== kind) return left("changed in the project");
      if (setMode(fd, stat, mode!)) tick();
      return isAt(spot, stat) ? DONE : left("changed in the project");
    });
  },
};

interface Looked {
  readonly spot: Spot;
  /** What is staged, and what the project has there. */
  readonly fresh: FileIdentity | null;
  readonly found: FileIdentity | null;
}

function* replace(
  { expect }: CommitStep,
  { fresh: staged, aside, tick }: StepPlace,
  { spot, fresh, found }: Looked,
): Pieces<StepOutcome> {
  if (expect === null && found !== null) return left("made in the project");
  if (fresh === null) return left("what was staged for it is gone");
  const hindrance = expect && (yield* moveAside({ at: spot, aside, expect, found, tick }));
  if (hindrance !== null) return { state: "left", ...hindrance };
  const isAside = expect !== null;
  const taken = {
    EEXIST: left("made in the project", isAside),
    ENOENT: left("removed in the project", isAside),
  };
  return unless(taken, () => {
    enter(staged, spot);
    tick();
  });
}

/** Whether a version like the step's own is there, whoever made it. */
function* isAlike(step: CommitStep, spot: Spot): Pieces<boolean> {
  return sameVersion(yield* fingerprintAt(spot), putVersion(step));
}

function opened(spot: Spot, work: (fd: number, stat: fs.Stats) => StepOutcome): StepOutcome {
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

/** A directory keeps what it has from its parent (setgid). False when there was nothing to change. */
function setMode(fd: number, stat: fs.Stats, mode: number): boolean {
  const wanted = mode | (stat.isDirectory() ? stat.mode & 0o7000 : 0);
  if ((stat.mode & 0o7777) === wanted) return false;
  fs.chmodSync(fdPath(fd), wanted);
  return true;
}

const NOT_EMPTY = left("not empty in the project");

/** Does the work, which may meet one of these states of the project. */
function unless(outcomes: Readonly<Record<string, StepOutcome>>, work: () => void): StepOutcome {
  try {
    work();
    return DONE;
  } catch (error) {
    const outcome = new Map(Object.entries(outcomes)).get(osErrorCode(error) ?? "");
    if (outcome === undefined) throw error;
    return outcome;
  }
}
