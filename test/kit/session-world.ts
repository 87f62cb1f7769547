// A project and the state of its sessions, in a directory of their own.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { createProtection } from "../../src/policy/protected.ts";
import { openStateDir } from "../../src/workspace/files/state-dir.ts";
import { fileClock } from "../../src/workspace/fs/file-clock.ts";
import type { Strategy } from "../../src/workspace/layers/record.ts";
import { createSession } from "../../src/workspace/session/create-session.ts";
import { openSession } from "../../src/workspace/session/session.ts";
import type { Session } from "../../src/workspace/session/session-types.ts";
import { type PlantedTree, plant } from "./planted-tree.ts";
import { removeTree } from "./remove-tree.ts";

export const STRATEGIES: readonly Strategy[] = ["kernel", "clone"];

export interface SessionWorld {
  readonly top: string;
  readonly project: string;
  readonly stateDir: string;
  create(strategy: Strategy): Promise<Session>;
  open(id: string): Promise<Session>;
  /** With the sessions that are still open. */
  remove(): void;
}

/** `fill` makes what is not easily written down. */
export function makeSessionWorld(
  files: PlantedTree = new Map(),
  dir = os.tmpdir(),
  fill: (project: string) => void = () => {},
): SessionWorld {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(dir, "hotcell-session-")));
  const project = path.join(top, "project");
  plant(project, files);
  fill(project);
  const stateDir = openStateDir(path.join(top, "state"), project);
  const place = { stateDir, protectionOf: createProtection() };
  waitForClock(stateDir);
  const opened: Session[] = [];
  const closing = async (opening: Promise<Session>): Promise<Session> => {
    opened.push(await opening);
    return opening;
  };
  return {
    top,
    project,
    stateDir,
    create: (strategy) => closing(createSession(project, { ...place, strategy })),
    open: (id) => closing(openSession(id, place)),
    remove() {
      for (const session of opened) session.close();
      removeTree(top);
    },
  };
}

/** What is as new as a session may have been changed since, so the project has to be older. */
export function waitForClock(dir: string): void {
  for (const began = fileClock(dir); fileClock(dir) === began; );
}

/** Gone when the test ends. */
export function tempSessionWorld(...args: Parameters<typeof makeSessionWorld>): SessionWorld {
  const world = makeSessionWorld(...args);
  onTestFinished(() => world.remove());
  return world;
}
