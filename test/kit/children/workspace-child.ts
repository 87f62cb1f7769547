import { spawnSync } from "node:child_process";
import path from "node:path";
import type { WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";

/** A method of the workspace and its arguments. */
export type Step = readonly [method: keyof WorkspaceFS, ...args: unknown[]];

export type Answer = { readonly value: unknown } | { readonly code: string; readonly message: string };

interface Place {
  readonly root: string;
  readonly stateDir: string;
}

const CHILD = path.join(import.meta.dirname, "./workspace-child.mjs");

export function childArgv({ root, stateDir }: Place, steps: readonly Step[]): string[] {
  return [process.execPath, CHILD, root, stateDir, JSON.stringify(steps)];
}

/** The child's result of each step; then of opening and closing the workspace. */
export function readAnswers(stdout: string): Answer[] {
  const lines = stdout.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Answer);
}

/** Runs the steps in a child process that `before` starts (`prlimit`, `unshare`…). */
export function workInChild(place: Place, steps: readonly Step[], before: readonly string[] = []): Answer[] {
  const [command, ...args] = [...before, ...childArgv(place, steps)];
  const { stdout, stderr, status } = spawnSync(command!, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`the child failed: ${stderr}`);
  return readAnswers(stdout);
}
