// Runs commits in a child process that can be killed, in a world that can be reset.
import { execFileSync, type SpawnSyncOptions, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { Recovery } from "../../../src/workspace/commit/recover.ts";
import { asNobodyLater } from "../as-nobody.ts";
import { MEMORY_DIR } from "../memory-dir.ts";
import { type CommitWorld, makeCommitWorld, type Tree } from "../worlds/commit-world.ts";

export const COMMIT_CHILD = path.join(import.meta.dirname, "./commit-child.mjs");
const NOBODY = 65534;

export type Action = "commit" | "recover" | "revert";

export interface ChildRun {
  readonly killed: boolean;
  readonly steps: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly isUnfinished?: boolean;
  readonly maxRssKb?: number;
}

export interface Scene {
  readonly world: CommitWorld;
  readonly before: Tree;
  readonly after: Tree;
  run(action: Action, killAt?: number): ChildRun;
  /** Kills it after some time, at any step. */
  runFor(action: Action, timeoutMs: number): void;
  /** In this process. */
  recover(): Promise<Recovery>;
  /** Saves the present state for `reset`. The first saved state is the one before the commit. */
  save(): void;
  reset(): void;
}

export interface SceneOptions {
  readonly layOut: (world: CommitWorld) => void;
  /** Without root's rights. */
  readonly isOrdinary?: boolean;
  /** A directory on another file system than the project's. */
  readonly stateBase?: string;
}

export function makeScene({ layOut, isOrdinary = false, stateBase }: SceneOptions): Scene {
  const world = makeCommitWorld(MEMORY_DIR, stateBase);
  layOut(world);
  const { top, txDir } = world;
  fs.mkdirSync(path.dirname(txDir), { recursive: true });
  const isDropped = isOrdinary && process.getuid?.() === 0;
  if (isDropped) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, top]);
  fs.writeFileSync(`${top}/plan.json`, JSON.stringify(world.plan()));
  const spawn = (action: Action, killAt: number, options: SpawnSyncOptions) =>
    spawnSync(process.execPath, [COMMIT_CHILD, top, txDir, action, String(killAt)], {
      ...options,
      ...(isDropped && { uid: NOBODY, gid: NOBODY }),
    });
  const shell = (script: string) => execFileSync("sh", ["-ec", script, "sh", top, txDir]);
  shell(SAVE);
  return {
    world,
    before: world.tree("project"),
    after: world.tree("view"),
    run(action, killAt = 0) {
      const child = spawn(action, killAt, {});
      if (child.signal === "SIGKILL") return { killed: true, steps: killAt };
      if (child.status !== 0) throw new Error(String(child.stderr));
      return { killed: false, ...JSON.parse(String(child.stdout)) };
    },
    runFor: (action, timeoutMs) => spawn(action, 0, { timeout: timeoutMs, killSignal: "SIGKILL" }),
    recover: () => (isDropped ? asNobodyLater(world.recover) : world.recover()),
    save: () => shell(SAVE),
    reset: () => shell(RESET),
  };
}

const SAVE = `
cd "$1"
if [ -e saved ]; then chmod -R u+rwX saved; rm -rf saved; fi
mkdir saved
cp -a project saved/project
if [ -e "$2" ]; then cp -a "$2" saved/tx; fi`;

const RESET = `
cd "$1"
rm -rf "$2"
chmod -R u+rwX project
find project -mindepth 1 -delete
cp -a saved/project/. project
if [ -e saved/tx ]; then cp -a saved/tx "$2"; fi`;
