// A project and the state of its sessions, in a new directory.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { createProtection } from "../../../src/policy/protected.ts";
import { openStateDir } from "../../../src/workspace/files/state-dir.ts";
import { fileClock } from "../../../src/workspace/fs/file-clock.ts";
import type { Strategy } from "../../../src/workspace/layers/record.ts";
import { type CreateOptions, createSession } from "../../../src/workspace/session/create-session.ts";
import { openSession } from "../../../src/workspace/session/session.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { removeTree } from "../remove-tree.ts";
import { type PlantedTree, plant } from "./planted-tree.ts";

export const STRATEGIES: readonly Strategy[] = ["kernel", "clone"];

export interface SessionWorld {
  readonly top: string;
  readonly project: string;
  readonly stateDir: string;
  create(strategy: Strategy, options?: Pick<CreateOptions, "fs" | "database">): Promise<Session>;
  open(id: string): Promise<Session>;
  /** Closes the sessions that are still open. */
  close(): void;
  /** Also closes the sessions that are still open. */
  remove(): void;
}

/** `fill` creates files that cannot be listed in `files`. */
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
  const close = () => {
    for (const session of opened.splice(0)) session.close();
  };
  return {
    top,
    project,
    stateDir,
    create: (strategy, options) => closing(createSession(project, { ...place, strategy, ...options })),
    open: (id) => closing(openSession(id, place)),
    close,
    remove() {
      close();
      removeTree(top);
    },
  };
}

/** The base of a file as new as the session is unknown, so the project has to be older. */
export function waitForClock(dir: string): void {
  for (const began = fileClock(dir); fileClock(dir) === began; );
}

/** Removed when the test ends. */
export function tempSessionWorld(...args: Parameters<typeof makeSessionWorld>): SessionWorld {
  const world = makeSessionWorld(...args);
  onTestFinished(() => world.remove());
  return world;
}
