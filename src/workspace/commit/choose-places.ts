// Where a commit has its staging directories: links and renames only work within one file system. There is
// one at the project's top, and one more for each mount or subvolume in it that the commit changes.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { decodeName } from "../names.ts";
import { fdPath, type Root, TEMP_PREFIX } from "../paths.ts";
import type { CommitStep } from "./commit-step.ts";
import { onTheWay, parentOf } from "./exactly.ts";

/** A directory of our own in the project. */
export interface StagingPlace {
  readonly directory: string;
  readonly name: string;
}

export interface Places {
  readonly places: readonly StagingPlace[];
  /** For each step the index of its place. */
  readonly placeOf: readonly number[];
}

export function choosePlaces(project: Root, steps: readonly CommitStep[]): Places {
  const name = `${TEMP_PREFIX}commit-${randomBytes(8).toString("hex")}`;
  const places: StagingPlace[] = [];
  const byParent = new Map<string, number>();
  const mounts = mountsIn(project);
  const placeFor = ({ path }: CommitStep): number => {
    const parent = parentOf(path);
    const known = byParent.get(parent);
    if (known !== undefined) return known;
    const directory = topmostOf(project, path, mounts);
    const found = places.findIndex((place) => place.directory === directory);
    const index = found >= 0 ? found : places.push({ directory, name }) - 1;
    byParent.set(parent, index);
    return index;
  };
  return { places, placeOf: steps.map(placeFor) };
}

/** The topmost directory on the way that is on the path's own file system and can be written: no commit removes it, for what holds it can't be. */
function topmostOf(project: Root, path: string, mounts: ReadonlySet<string>): string {
  let device = -1;
  let topmost: string | null = null;
  let last = "";
  onTheWay(project, path, (dir, directory) => {
    const { dev } = fs.fstatSync(dir);
    // Links and renames cross neither mounts of one device nor devices of one mount (subvolumes).
    if (dev !== device || mounts.has(directory)) topmost = null;
    device = dev;
    last = directory;
    if (topmost === null && mayWrite(dir)) topmost = directory;
  });
  return topmost ?? last;
}

/** Where something is mounted in the project. */
function mountsIn(project: Root): Set<string> {
  const lines = fs.readFileSync("/proc/self/mountinfo", "latin1").trim().split("\n");
  const points = lines.map((line) => line.split(" ")[4]!.replace(/\\([0-7]{3})/g, unescaped));
  const top = `${project.path}/`;
  const names = points.map((point) => decodeName(Buffer.from(point, "latin1")));
  return new Set(names.filter((point) => point.startsWith(top)).map((point) => point.slice(top.length)));
}

const unescaped = (_: string, octal: string): string => String.fromCharCode(Number.parseInt(octal, 8));

function mayWrite(fd: number): boolean {
  try {
    fs.accessSync(fdPath(fd), fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
