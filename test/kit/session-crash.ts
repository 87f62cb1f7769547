// A session with two calls, made anew before each fault; and what must hold after one, whatever it hit.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { createProtection } from "../../src/policy/protected.ts";
import { openStateDir } from "../../src/workspace/files/state-dir.ts";
import { createSession } from "../../src/workspace/session/create-session.ts";
import { collectGarbage } from "../../src/workspace/session/registry/gc.ts";
import { listSessions } from "../../src/workspace/session/registry/list-sessions.ts";
import { recoverSessions } from "../../src/workspace/session/registry/recover-sessions.ts";
import { openSession } from "../../src/workspace/session/session.ts";
import type { Session } from "../../src/workspace/session/session-types.ts";
import { type Fault, type FaultKind, injectFaults } from "./inject.ts";
import { tempDir } from "./temp-cell.ts";

type Files = Readonly<Record<string, string>>;

const BASE: Files = { a: "a\n", "d/x": "x\n", "d/y": "y\n" };
const FIRST: Files = { ...BASE, a: "one\n" };
const SECOND: Files = { a: "two\n", "d/x": "x\n", "d/z": "z\n" };

const CHANGED = [SECOND, { ...SECOND, a: "three\n" }, { a: "three\n", "d/z": "z\n" }];

/** What the session may show after each operation was hit: as before it, or as after it. */
export const ENDINGS: Readonly<Record<string, readonly Files[]>> = {
  change: CHANGED,
  "change in an empty layer": CHANGED,
  rewind: [SECOND, FIRST],
  "rewind paths": [SECOND, { ...SECOND, "d/y": "y\n" }, { ...BASE, a: "two\n" }],
  "discard paths": [SECOND, { ...SECOND, a: "a\n" }],
  discard: [SECOND, BASE],
  fork: [SECOND],
  commit: [SECOND],
};

const CHANGES =
  "mkdir mkdirat rename renameat renameat2 unlink unlinkat rmdir symlink symlinkat link linkat write pwrite64 fsync utimensat".split(
    " ",
  );

export interface CrashWorld {
  readonly project: string;
  readonly stateDir: string;
  readonly id: string;
  /** Puts project and session back. */
  reset(): Promise<void>;
}

/** The one session that is there, for who does not know its id. */
const ONLY = "only";

/** Project and session are made again before each fault: a copy of a session's files is not the same to the strategy clone. */
export async function makeFollowingWorld(strategy: "kernel" | "clone"): Promise<CrashWorld> {
  const top = tempDir();
  const project = path.join(top, "project");
  const stateDir = path.join(top, "state");
  const reset = async () => {
    for (const dir of [project, stateDir]) fs.rmSync(dir, { recursive: true, force: true });
    writeFiles(project, BASE);
    openStateDir(stateDir, project);
    const session = await createSession(project, { stateDir, protectionOf: createProtection(), strategy });
    await commitAndEdit(session, project);
    session.close();
  };
  return { project, stateDir, id: ONLY, reset };
}

export async function makeCrashWorld(
  strategy: "kernel" | "clone",
  prepare: (session: Session, project: string) => Promise<void> = makeCalls,
): Promise<CrashWorld> {
  const top = tempDir();
  const kept = path.join(top, "kept");
  const project = path.join(top, "now/project");
  writeFiles(project, BASE);
  const stateDir = openStateDir(path.join(top, "now/state"), project);
  const session = await createSession(project, { stateDir, protectionOf: createProtection(), strategy });
  await prepare(session, project);
  session.close();
  execFileSync("cp", ["-a", path.join(top, "now"), kept]);
  return {
    project,
    stateDir,
    id: session.record.id,
    async reset() {
      execFileSync("rm", ["-rf", path.join(top, "now")]);
      execFileSync("cp", ["-a", kept, path.join(top, "now")]);
    },
  };
}

async function makeCalls({ change, workspace }: Session): Promise<void> {
  await change({ id: "c1", tool: "test" }, async () => workspace.write("a", "one\n"));
  await change({ id: "c2", tool: "test" }, async () => {
    workspace.write("a", "two\n");
    workspace.remove("d/y");
    workspace.write("d/z", "z\n");
  });
}

/** Does the operation with each fault at each change of a file. */
export async function crashEverywhere(
  world: CrashWorld,
  operation: string,
  kinds: readonly FaultKind[],
): Promise<Fault[]> {
  const child = path.join(import.meta.dirname, "../machine/session-step.mjs");
  const faults = await injectFaults({
    argv: [process.execPath, child, world.stateDir, world.id, operation],
    syscalls: CHANGES,
    pathPrefix: path.dirname(world.project),
    kinds,
    reset: world.reset,
    check: (fault) => checkSession(world, operation, fault),
  });
  return faults;
}

/** Makes a session, with each fault at each change of a file. */
export async function crashCreating(world: CrashWorld, kinds: readonly FaultKind[]): Promise<Fault[]> {
  const child = path.join(import.meta.dirname, "../machine/session-step.mjs");
  const place = { stateDir: world.stateDir, protectionOf: createProtection() };
  return injectFaults({
    argv: [process.execPath, child, world.stateDir, world.project, "create"],
    syscalls: CHANGES,
    pathPrefix: path.dirname(world.project),
    kinds,
    reset: world.reset,
    async check() {
      const made = (await listSessions(place)).filter(({ id }) => id !== world.id);
      expect(made.length).toBeLessThanOrEqual(1);
      for (const { id, state } of made) {
        expect(state).toBe("idle");
        (await openSession(id, place)).close();
      }
      await collectGarbage(place);
      expect(await listSessions(place)).toMatchObject([{ id: world.id, changes: 3 }]);
      expect(readFiles(world.project)).toEqual(BASE);
    },
  });
}

/** A directory that was removed, made anew and committed, in which the user then works; he comes after the session. */
async function commitAndEdit(session: Session, project: string): Promise<void> {
  const { change, workspace } = session;
  await change({ id: "c1", tool: "test" }, async () => workspace.remove("d", { recursive: true }));
  await change({ id: "c2", tool: "test" }, async () => workspace.write("d/x", "two\n"));
  await session.commit();
  writeFiles(project, EDITED);
}

const EDITED: Files = { a: "a\n", "d/new": "user\n", "d/x": "user\n" };

export async function removeDirectory({ change, workspace }: Session): Promise<void> {
  await change({ id: "c1", tool: "test" }, async () => workspace.remove("d", { recursive: true }));
}

/** Takes back a part of what was removed, with each fault at each change of a file. */
export async function crashRestoring(world: CrashWorld, kinds: readonly FaultKind[]): Promise<Fault[]> {
  return crashStep(world, "discard below", kinds, async (session) => {
    // All files are copies, and so newer than the removal: then nobody can prove that the session has known d/y.
    const endings = [{ a: "a\n" }, { a: "a\n", "d/x": "x\n" }, BASE];
    expect(endings).toContainEqual(await session.read(async () => filesOf(session)));
    expect(readFiles(world.project)).toEqual(BASE);
  });
}

/** Reads in a session that has to follow the user, with each fault at each change of a file. */
export async function crashFollowing(world: CrashWorld, kinds: readonly FaultKind[]): Promise<Fault[]> {
  return crashStep(world, "read", kinds, async (session) => {
    expect(await session.read(async () => filesOf(session))).toEqual(EDITED);
    expect(await session.commit()).toMatchObject({ tx: null, conflicts: [] });
    expect(readFiles(world.project)).toEqual(EDITED);
    // What was brought in is the user's, and goes on being so.
    writeFiles(world.project, { "d/new": "again\n" });
    expect(await session.read(async () => filesOf(session))).toEqual({ ...EDITED, "d/new": "again\n" });
    expect(await session.commit()).toMatchObject({ tx: null, conflicts: [] });
  });
}

function crashStep(
  world: CrashWorld,
  operation: string,
  kinds: readonly FaultKind[],
  check: (session: Session) => Promise<void>,
): Promise<Fault[]> {
  const child = path.join(import.meta.dirname, "../machine/session-step.mjs");
  const place = { stateDir: world.stateDir, protectionOf: createProtection() };
  return injectFaults({
    argv: [process.execPath, child, world.stateDir, world.id, operation],
    syscalls: CHANGES,
    pathPrefix: path.dirname(world.project),
    kinds,
    reset: world.reset,
    async check() {
      const [only] = fs.readdirSync(path.join(world.stateDir, "sessions"));
      const session = await openSession(world.id === ONLY ? only! : world.id, place);
      try {
        await check(session);
      } finally {
        session.close();
      }
    },
  });
}

async function checkSession(
  { project, stateDir, id }: CrashWorld,
  operation: string,
  fault: Fault,
): Promise<void> {
  await recoverSessions(stateDir);
  if (fault.kind === "SIGKILL") expect(fault.stdout === "" || fault.stdout === "done").toBe(true);
  const place = { stateDir, protectionOf: createProtection() };
  const session = await openSession(id, place);
  try {
    const shown = filesOf(session);
    expect(ENDINGS[operation], JSON.stringify(shown)).toContainEqual(shown);
    checkProject(project, operation);
    // What a call has changed is its own.
    if (shown.a === "three\n") expect(session.record.stack.at(-1)!.call?.id).toBe("c3");
    if (operation === "discard") return;
    // Whatever was hit, the first call that has changes in the session can be rewound to, and the session goes on.
    await session.change({ id: "after", tool: "test" }, async () => session.workspace.write("new", "new\n"));
    expect(filesOf(session)).toEqual({ ...shown, new: "new\n" });
    await session.rewind("#1");
    if (operation !== "commit") expect(filesOf(session)).toEqual(BASE);
  } finally {
    session.close();
  }
}

/** The project is touched by a commit only, and by that wholly or not at all. */
function checkProject(project: string, operation: string): void {
  const found = JSON.stringify(readFiles(project));
  const allowed = operation === "commit" ? [BASE, SECOND] : [BASE];
  expect(allowed.map((files) => JSON.stringify(files))).toContain(found);
}

function filesOf({ workspace }: Session): Files {
  const files = Array.from(workspace.walk(".")).filter(({ kind }) => kind === "file");
  return Object.fromEntries(files.map(({ path: at }) => [at, workspace.read(at).toString()]));
}

function writeFiles(root: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), content);
  }
}

function readFiles(root: string): Files {
  const names = fs.readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => fs.statSync(path.join(root, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, fs.readFileSync(path.join(root, name), "utf8")]));
}
