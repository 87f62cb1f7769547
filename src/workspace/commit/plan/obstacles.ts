// Finds what is known to fail before the first write. For root the owner's permissions count, not root's: what the
// owner made read-only stays as it is.
import fs from "node:fs";
import { HotcellError, osErrorCode } from "../../../core/errors.ts";
import { showName } from "../../fs/names.ts";
import { atExactPath, type EntryRef, entryPath, inDirectory } from "../../fs/no-follow.ts";
import { parentOf } from "../../fs/path-text.ts";
import { fdPath, type Root } from "../../fs/paths.ts";
import { type CommitStep, unlocksDirectory } from "./commit-step.ts";
import type { Obstacle } from "./plan.ts";

const { W_OK, X_OK } = fs.constants;
const STICKY = 0o1000;

/** At a contested path the session may not be the one that made the file writable. */
export function findObstacles(
  project: Root,
  steps: readonly CommitStep[],
  contested: ReadonlySet<string> = new Set(),
): Obstacle[] {
  const opened = new Set(steps.filter(unlocksDirectory).map(({ path }) => path));
  const judged = new Map<string, string | null>();
  /** A missing directory is created with the needed permissions, if its parent allows that. */
  const directoryProblem = (directory: string): string | null => {
    if (!judged.has(directory)) inDirectory(project, directory, (dir) => noteDirectory(directory, dir));
    return judged.get(directory)!;
  };
  const noteDirectory = (directory: string, dir: number | null): void => {
    if (!judged.has(directory)) judged.set(directory, judge(directory, dir));
  };
  const judge = (directory: string, dir: number | null): string | null => {
    if (opened.has(directory)) return null;
    return dir === null
      ? directoryProblem(parentOf(directory))
      : writeProblem(fdPath(dir), "its directory", W_OK | X_OK, () => fs.fstatSync(dir).mode);
  };
  return steps.flatMap((step) => {
    const problem =
      contentProblem(step) ??
      ownProblem(project, step, {
        visit: (dir) => noteDirectory(parentOf(step.path), dir),
        becomesWritable: makesWritable(step) && !contested.has(step.path),
      }) ??
      (step.op === "chmod" ? null : directoryProblem(parentOf(step.path)));
    return problem === null ? [] : [{ path: step.path, problem }];
  });
}

export function refuseObstacles(action: string, obstacles: readonly Obstacle[]): void {
  const [first] = obstacles;
  if (first === undefined) return;
  const paths = new Set(obstacles.map(({ path }) => path));
  const more = paths.size > 1 ? ` ${paths.size - 1} more paths have a similar problem.` : "";
  const message = `Could not ${action} "${showName(first.path)}": ${first.problem}.${more} Change that first.`;
  throw new HotcellError("EXECUTION_ERROR", message, { path: first.path, obstacles });
}

function contentProblem({ op, content, sha256, expect }: CommitStep): string | null {
  if (content === "view" && sha256 === null) return "the session's file cannot be read";
  const isTaken = op === "put" || op === "delete";
  return isTaken && expect?.kind === "file" && expect.sha256 === null
    ? "it cannot be read, so hotcell could not keep it for a revert"
    : null;
}

interface OwnCheck {
  /** Receives the open parent directory. */
  readonly visit: (dir: number) => void;
  /** The commit makes the file writable for its owner, so the owner may replace it. */
  readonly becomesWritable: boolean;
}

/** What prevents a change of the entry itself. */
function ownProblem(project: Root, step: CommitStep, { visit, becomesWritable }: OwnCheck): string | null {
  if (step.expect === null || step.expect.ino === "" || step.expect.kind === "symlink") return null;
  return atExactPath(project, step.path, (ref) => {
    if (typeof ref === "string") return null;
    visit(ref.dir);
    return stickyProblem(ref, step) ?? entryProblem(ref, step, becomesWritable);
  });
}

function entryProblem(ref: EntryRef, { op, expect }: CommitStep, becomesWritable: boolean): string | null {
  const problem = writeProblem(entryPath(ref), "it", W_OK, () => expect!.mode);
  if (problem === IMMUTABLE || problem === READ_ONLY_DISK) return problem;
  if (op === "put" && !becomesWritable) return problem;
  // The owner may remove it or change its mode. Others need write permission, to be able to put it back.
  if (isOwners(ref)) return null;
  return op === "chmod" ? "it belongs to another user" : problem;
}

function makesWritable({ op, content, mode, expect }: CommitStep): boolean {
  return op === "put" && content !== "link" && expect !== null && (mode! & ~expect.mode & 0o200) !== 0;
}

function stickyProblem(ref: EntryRef, { op }: CommitStep): string | null {
  const directory = fs.fstatSync(ref.dir);
  const isHeld = (directory.mode & STICKY) !== 0 && !isOwner(directory) && !isOwners(ref);
  return isHeld && op !== "chmod"
    ? "its directory has the sticky bit, so only the owner may replace it"
    : null;
}

/** True if the entry does not exist: nobody else owns it. */
function isOwners(ref: EntryRef): boolean {
  const found = fs.lstatSync(entryPath(ref), { throwIfNoEntry: false });
  return found === undefined || isOwner(found);
}

function isOwner({ uid }: fs.Stats): boolean {
  return [0, uid].includes(process.geteuid!());
}

const IMMUTABLE = "it is immutable (chattr -i)";
const READ_ONLY_DISK = "the file system is read-only";

function writeProblem(
  at: string | Buffer,
  what: "it" | "its directory",
  rights: number,
  modeOf: () => number,
): string | null {
  try {
    fs.accessSync(at, rights);
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return null;
    if (osErrorCode(error) === "EPERM") return IMMUTABLE.replace("it", what);
    if (osErrorCode(error) === "EROFS") return READ_ONLY_DISK;
    if (osErrorCode(error) === "EACCES") return `${what} is read-only for this user`;
    throw error;
  }
  const isRoot = process.geteuid!() === 0;
  return isRoot && (modeOf() & 0o200) === 0 ? `${what} is read-only for its owner` : null;
}
