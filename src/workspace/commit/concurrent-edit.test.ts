// Somebody works in the project while a commit is carried out: between any two of its steps an edit is made.
// No edit may be lost: it is in the project, or kept with what was replaced and reported.
import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { type CommitWorld, makeCommitWorld, type Tree } from "../../../test/kit/worlds/commit-world.ts";
import { readJournal } from "./journal.ts";
import type { ConflictPolicy } from "./plan/plan.ts";
import type { CommitResult } from "./run-commit.ts";

const EDIT = "somebody's edit\n";

interface Style {
  readonly name: string;
  edit(at: string): void;
  /** Gives the edit, before the commit begins. */
  prepare?(at: string): () => void;
}

const STYLES: readonly Style[] = [
  { name: "written in place", edit: (at) => fs.writeFileSync(at, EDIT) },
  {
    name: "saved by a rename",
    edit(at) {
      fs.writeFileSync(`${at}~`, EDIT);
      fs.renameSync(`${at}~`, at);
    },
  },
  {
    name: "replaced by a directory",
    edit(at) {
      fs.rmSync(at, { force: true });
      fs.mkdirSync(at);
      fs.writeFileSync(`${at}/inner`, EDIT);
    },
  },
  {
    name: "removed and recreated",
    edit(at) {
      fs.rmSync(at, { force: true });
      fs.writeFileSync(at, EDIT, { flag: "wx" });
    },
  },
];

const LATE: Style = {
  name: "written by who has the file open",
  edit() {},
  prepare(at) {
    const fd = fs.openSync(at, "r+");
    return () => {
      fs.ftruncateSync(fd);
      fs.writeSync(fd, EDIT, 0);
      fs.closeSync(fd);
    };
  },
};

const PATHS = ["edited.txt", "removed.txt", "made.txt", "from.txt", "sub/to.txt"];
const POLICIES: readonly ConflictPolicy[] = ["abort", "skip"];

let world: CommitWorld;
afterEach(() => world.remove());

function layOut(): void {
  world = makeCommitWorld();
  world.begin({
    "edited.txt": "file 644 old\n",
    "removed.txt": "file 644 removed\n",
    "from.txt": "file 644 it moves\n",
    "other.txt": "file 644 other\n",
    sub: "directory 755",
  });
  world.change("view", {
    "edited.txt": "file 644 new\n",
    "removed.txt": null,
    "from.txt": null,
    "sub/to.txt": "file 644 it moves\n",
    "made.txt": "file 644 made\n",
    "other.txt": "file 600 other new\n",
  });
}

/** False when the commit has fewer steps. */
async function editAt(step: number, at: string, style: Style, policy: ConflictPolicy): Promise<boolean> {
  layOut();
  const [before, after] = [world.tree("project"), world.tree("view")];
  const full = path.join(world.project.path, at);
  const edit = style.prepare?.(full) ?? (() => style.edit(full));
  let isEdited = false;
  let isLate = false;
  const result = await world.apply(world.plan({ policy }), {
    onStep(n) {
      if (n !== step) return;
      edit();
      isLate = style === LATE && ["keeping", "done"].includes(readJournal(world.txDir)?.phase ?? "");
      isEdited = true;
    },
  });
  if (isEdited) await checkNothingLost(at, result, { before, after, policy, isLate });
  return isEdited;
}

interface Expected {
  readonly before: Tree;
  readonly after: Tree;
  readonly policy: ConflictPolicy;
  /** What is written when the commit is all but over is kept; nobody can notice it any more. */
  readonly isLate: boolean;
}

async function checkNothingLost(
  at: string,
  result: CommitResult,
  { before, after, policy, isLate }: Expected,
): Promise<void> {
  const tree = world.tree("project");
  const isThere = Object.entries(tree).some(([found, what]) => found.startsWith(at) && what.endsWith(EDIT));
  const isKept = keptFiles().includes(EDIT) && (isLate || result.conflicts.length > 0);
  expect({ at, lost: !isThere && !isKept }).toEqual({ at, lost: false });
  const isMet = result.conflicts.length > 0;
  const rest = (from: Tree) => Object.entries(from).filter(([found]) => !isOf(found, at));
  if (!isMet) expect(rest(tree)).toEqual(rest(after));
  if (isMet && policy === "abort") expect(rest(tree)).toEqual(rest(before));
  expect(await world.recover()).toBe("none");
}

/** The two ends of the rename belong to one change. */
function isOf(found: string, at: string): boolean {
  const change = ["from.txt", "sub/to.txt"].includes(at) ? ["from.txt", "sub/to.txt"] : [at];
  return change.some((end) => found === end || found.startsWith(`${end}/`));
}

function keptFiles(): string[] {
  const files = fs.readdirSync(world.txDir, { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile() && entry.parentPath.includes("undo"))
    .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), "utf8"));
}

/** Until the commit has no more steps. */
async function editAtEveryStep(
  paths: readonly string[],
  style: Style,
  policy: ConflictPolicy,
): Promise<void> {
  for (const at of paths) {
    let step = 1;
    for (; await editAt(step, at, style, policy); step++) world.remove();
    expect(step).toBeGreaterThan(20);
    if (at !== paths.at(-1)) world.remove();
  }
}

test.each(POLICIES.flatMap((policy) => STYLES.map((style) => [style.name, policy, style] as const)))(
  "crash-009: an edit that is %s at any step of a commit (%s) is not lost",
  (_name, policy, style) => editAtEveryStep(PATHS, style, policy),
);

test.each(POLICIES)(
  "crash-009: an edit that is written at any step of a commit (%s) by who has the file open is not lost",
  (policy) => editAtEveryStep(["edited.txt", "removed.txt", "from.txt"], LATE, policy),
);
