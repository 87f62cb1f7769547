// An attacker exchanges a directory of the project with a link that leads outside, as fast as it can, while
// commits write, replace, remove and make below it. The naive way (look where the path leads, then use it)
// reaches outside in the same world; a commit must never.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { HotcellError } from "../../../src/core/errors.ts";
import { planCommit } from "../../../src/workspace/commit/plan/plan.ts";
import { recoverCommit } from "../../../src/workspace/commit/recover.ts";
import { applyCommit } from "../../../src/workspace/commit/run-commit.ts";
import type { Change, Side } from "../../../src/workspace/diff/changes.ts";
import { applyHunks, threeWayMerge } from "../../../src/workspace/diff/hunks.ts";
import { runToEnd } from "../../../src/workspace/fs/cooperative.ts";
import { fingerprintOf } from "../../../src/workspace/fs/fingerprint.ts";
import { openRoot, type Root } from "../../../src/workspace/fs/paths.ts";
import { MEMORY_DIR } from "../../kit/memory-dir.ts";
import { compile } from "../../kit/native/compile.ts";
import { createSwappedPair, type SwappedPair } from "../../kit/swapped-pair.ts";
import { editOf, inOnePiece } from "../../kit/worlds/commit-world.ts";
import { buildWorld, type PathRow, type World } from "../../kit/worlds/path-fixture.ts";

const ROUNDS = 2000;
const MOST_CONTROL_ROUNDS = 200_000;

const ROW: PathRow = {
  id: "crash-010",
  cat: "race",
  mode: "rel",
  op: "write",
  input: "d/f",
  fixture: [
    { mkdir: "ws/d" },
    { mkdir: "ws/d/deep/er" },
    { file: "ws/d/f", content: "BENIGN" },
    { file: "ws/d/deep/er/f", content: "BENIGN" },
    { file: "outside/f", content: "CANARY-OUTSIDE" },
    { file: "outside/deep/er/f", content: "CANARY-OUTSIDE" },
    { file: "outside/comes and goes", content: "CANARY-OUTSIDE" },
    { mkdir: "outside/sub" },
    { symlink: "ws/e", target: "../outside" },
  ],
  expected: "deny",
  reason: "target directory replaced by symlink mid-commit",
  tags: ["swap:ws/d:ws/e"],
};

test(`crash-010: ${ROUNDS} commits below a directory that is exchanged with a link touch nothing outside`, async () => {
  const world = await buildWorld(ROW, MEMORY_DIR);
  const pair = createSwappedPair(world.top, ROW);
  const attacker = await startAttacker(world, pair);
  try {
    const before = world.outside();
    const { committed, refused } = await commitRounds(world, pair);
    expect(world.outside()).toBe(before);
    expect(Math.min(committed, refused)).toBeGreaterThan(ROUNDS / 100);
    expect(controlReachesOutside(world, pair)).toBe(true);
    expect(attacker.exitCode).toBeNull();
  } finally {
    attacker.kill("SIGKILL");
    await once(attacker, "close");
    world.remove();
  }
});

async function startAttacker({ top }: World, { names }: SwappedPair): Promise<ChildProcess> {
  const child = spawn(compile("swap", top), names, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout!, "data");
  return child;
}

async function commitRounds(world: World, pair: SwappedPair) {
  fs.mkdirSync(`${world.top}/view/d/deep/er`, { recursive: true });
  const [project, view] = [openRoot(world.root), openRoot(`${world.top}/view`)];
  const count = { committed: 0, refused: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    pair.awaitInside();
    try {
      const { committed, conflicts } = await commit(project, view, `${world.stateDir}/${round}`, round);
      count.committed += committed.length;
      count.refused += conflicts.length;
    } catch (error) {
      if (!(error instanceof HotcellError)) throw error;
      count.refused++;
      await recoverCommit(`${world.stateDir}/${round}`, project);
    }
  }
  for (const { fd } of [project, view]) fs.closeSync(fd);
  return count;
}

/** Every second round the file and the directory are removed that the others make. */
function commit(project: Root, view: Root, txDir: string, round: number) {
  const present = new Map(PATHS.map((at) => [at, runToEnd(fingerprintOf(project, at))]));
  for (const at of EDITED) fs.writeFileSync(`${view.path}/${at}`, `round ${round}`);
  const isMade = round % 2 === 0;
  fs.rmSync(`${view.path}/d/comes and goes`, { force: true });
  fs.rmSync(`${view.path}/d/sub`, { force: true, recursive: true });
  if (isMade) fs.writeFileSync(`${view.path}/d/comes and goes`, `round ${round}`);
  if (isMade) fs.mkdirSync(`${view.path}/d/sub`);
  const planning = planCommit({
    changes: changesOf(isMade),
    selection: "all",
    baseOf: (at) => inOnePiece(present.get(at) ?? null),
    ancestorText: () => null,
    project,
    view: () => view,
    fingerprintOf,
    policy: "ours",
    allowProtected: false,
    lostSecrets: [],
    protectionOf: () => null,
    applyHunks,
    threeWayMerge,
  });
  return applyCommit(runToEnd(planning), { project, view: () => view, txDir });
}

// Names are opened one by one, or many at once.
const EDITED = ["d/f", "d/deep/er/f"];
const PATHS = [...EDITED, "d/comes and goes", "d/sub"];
const FILE: Side = { kind: "file", mode: 0o644, size: 1, target: null };
const DIRECTORY: Side = { kind: "directory", mode: 0o755, size: 0, target: null };

function changesOf(isMade: boolean): Change[] {
  const sides = (side: Side) =>
    isMade
      ? ({ kind: "added", before: null, after: side } as const)
      : ({ kind: "deleted", before: side, after: null } as const);
  return [
    ...EDITED.map(editOf),
    { ...editOf("d/comes and goes"), ...sides(FILE) },
    { ...editOf("d/sub"), ...sides(DIRECTORY) },
  ];
}

function controlReachesOutside(world: World, pair: SwappedPair): boolean {
  const before = world.outside();
  const target = path.join(world.root, "d/f");
  for (let round = 0; round < MOST_CONTROL_ROUNDS; round++) {
    pair.awaitInside();
    try {
      if (fs.realpathSync(target).startsWith(`${world.root}/`)) fs.writeFileSync(target, "naive");
    } catch {}
    if (world.outside() !== before) return true;
  }
  return false;
}
