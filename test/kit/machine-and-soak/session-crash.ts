// A session with two calls, recreated before each fault, and the checks after a fault.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { AgentFS } from "agentfs-sdk";
import { expect } from "vitest";
import { createProtection } from "../../../src/policy/protected.ts";
import { exportSession } from "../../../src/workspace/agentfs/export-session.ts";
import { openStateDir } from "../../../src/workspace/files/state-dir.ts";
import { TEMP_PREFIX } from "../../../src/workspace/fs/paths.ts";
import { databaseOf, sessionDir } from "../../../src/workspace/layers/record.ts";
import { createSession } from "../../../src/workspace/session/create-session.ts";
import { collectGarbage } from "../../../src/workspace/session/registry/gc.ts";
import { listSessions, type SessionSummary } from "../../../src/workspace/session/registry/list-sessions.ts";
import { recoverSessions } from "../../../src/workspace/session/registry/recover-sessions.ts";
import { openSession } from "../../../src/workspace/session/session.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { interruptCommit } from "../interrupt-commit.ts";
import { type Fault, type FaultKind, injectFaults } from "../native/inject.ts";
import { openWorkDirectories } from "../open-work-directories.ts";
import { removeTree } from "../remove-tree.ts";
import { readOverlaidCopy } from "../worlds/agentfs-reader.ts";
import { readBySdk } from "../worlds/agentfs-sdk-reader.ts";
import type { Planted } from "../worlds/planted-tree.ts";
import { tempDir } from "../worlds/temp-cell.ts";

type Files = Readonly<Record<string, string>>;

const BASE: Files = { a: "a\n", "d/x": "x\n", "d/y": "y\n" };
const FIRST: Files = { ...BASE, a: "one\n" };
const SECOND: Files = { a: "two\n", "d/x": "x\n", "d/z": "z\n" };

/** What others made of the session's second state, in its database. */
const EDITED_BY_OTHERS: Files = { a: "theirs\n", b: "theirs\n", "d/n": "theirs\n", "d/x": "x\n" };

const CHANGED = [SECOND, { ...SECOND, a: "three\n" }, { a: "three\n", "d/z": "z\n" }];

/** The allowed states of the session after a fault in each operation: before it, or after it. */
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
  "mkdir mkdirat mknod mknodat rename renameat renameat2 unlink unlinkat rmdir symlink symlinkat link linkat write pwrite64 fsync fdatasync ftruncate chmod fchmod fchmodat chown fchown lchown utimensat".split(
    " ",
  );

const STEP_CHILD = path.join(import.meta.dirname, "../children/session-step.mjs");

export interface CrashWorld {
  readonly project: string;
  readonly stateDir: string;
  readonly id: string;
  /** Null in mode `overlay`. */
  readonly database: string | null;
  /** Restores project and session. */
  reset(): Promise<void>;
}

/** The id of the only session. */
const ONLY = "only";

/** Recreates project and session before each fault. Copies would have other inodes and newer times. */
export function makeRebuiltWorld(
  strategy: "kernel" | "clone",
  prepare: (session: Session, project: string) => Promise<void>,
): CrashWorld {
  const top = tempDir();
  const project = path.join(top, "project");
  const stateDir = path.join(top, "state");
  const reset = async () => {
    for (const dir of [project, stateDir]) removeTree(dir);
    writeFiles(project, BASE);
    openStateDir(stateDir, project);
    const session = await createSession(project, { stateDir, protectionOf: createProtection(), strategy });
    await prepare(session, project);
    session.close();
  };
  return { project, stateDir, id: ONLY, database: null, reset };
}

export async function makeCrashWorld(
  strategy: "kernel" | "clone",
  prepare: (session: Session, project: string) => Promise<void> = makeCalls,
  mode: "overlay" | "agentfs" = "overlay",
  edit: (database: string) => Promise<void> = async () => {},
): Promise<CrashWorld> {
  const top = tempDir();
  const kept = path.join(top, "kept");
  const project = path.join(top, "now/project");
  writeFiles(project, BASE);
  const stateDir = openStateDir(path.join(top, "now/state"), project);
  const store = { stateDir, protectionOf: createProtection(), strategy, fs: mode };
  const session = await createSession(project, store);
  await prepare(session, project);
  const database = databaseOf(session.record, sessionDir(stateDir, session.record.id));
  session.close();
  if (database !== null) await edit(database);
  openWorkDirectories(path.join(top, "now"));
  execFileSync("cp", ["-a", path.join(top, "now"), kept]);
  return {
    project,
    stateDir,
    id: session.record.id,
    database,
    async reset() {
      removeTree(path.join(top, "now"));
      execFileSync("cp", ["-a", kept, path.join(top, "now")]);
    },
  };
}

export async function makeCalls({ change, workspace }: Session): Promise<void> {
  await change({ id: "c1", tool: "test" }, async () => workspace.write("a", "one\n"));
  await change({ id: "c2", tool: "test" }, async () => {
    workspace.write("a", "two\n");
    workspace.remove("d/y");
    workspace.write("d/z", "z\n");
  });
}

/** What a program that uses agentfs-sdk changes. libsql needs a turn of the event loop to give up the session's lock. */
export async function editByOthers(database: string): Promise<void> {
  await setImmediate();
  const agent = await AgentFS.open({ path: database });
  for (const at of ["/a", "/b", "/d/n"]) await agent.fs.writeFile(at, "theirs\n");
  await agent.fs.unlink("/d/z");
  await agent.close();
}

/** Opens a session whose database others have changed, with each fault at each change of a file. */
export function crashTaking(world: CrashWorld, kinds: readonly FaultKind[]): Promise<Fault[]> {
  return crashStep(world, "open", kinds, () => checkTaken(world));
}

/** Exports the session, with each fault at each change of a file: the file appears whole or not at all. */
export function crashExporting(world: CrashWorld, kinds: readonly FaultKind[]): Promise<Fault[]> {
  const file = exportedBeside(world.project);
  return crashStep(world, "export", kinds, async ({ stdout }) => {
    if (stdout === "done") expect(fs.existsSync(file)).toBe(true);
    if (fs.existsSync(file)) expect(await readTwice(world.project, file)).toEqual(SECOND);
    await withRecovered(world, async (session) => expect(filesOf(session)).toEqual(SECOND));
  });
}

/** Imports that file, with each fault at each change of a file: the file and the other session stay, and an import that succeeds is complete. */
export function crashImporting(world: CrashWorld, kinds: readonly FaultKind[]): Promise<Fault[]> {
  const place = { stateDir: world.stateDir, protectionOf: createProtection() };
  return crashStep(world, "import", kinds, async ({ stdout }) => {
    expect(await readTwice(world.project, exportedBeside(world.project))).toEqual(SECOND);
    const made = (await listSessions(place)).filter(({ id }) => id !== world.id);
    expect(made.length).toBeLessThanOrEqual(1);
    if (stdout === "done") expect(made.length).toBe(1);
    for (const { id } of made) {
      const session = await openSession(id, place);
      if (stdout === "done") expect(filesOf(session)).toEqual(SECOND);
      session.close();
    }
    await withRecovered(world, async (session) => expect(filesOf(session)).toEqual(SECOND));
  });
}

/** Where the child exports to and imports from. */
const exportedBeside = (project: string): string => path.join(path.dirname(project), "exported.db");

export async function makeCallsAndExport(session: Session, project: string): Promise<void> {
  await makeCalls(session);
  const store = { stateDir: path.join(path.dirname(project), "state"), protectionOf: createProtection() };
  await exportSession(session.record, store, exportedBeside(project));
}

/** Whatever failed, the file keeps what others changed, and the next open takes all of it. */
async function checkTaken(world: CrashWorld): Promise<void> {
  const { database, project } = world;
  const inFile = () => plainFiles(readOverlaidCopy(project, database!));
  expect(await readTwice(project, database!)).toEqual(EDITED_BY_OTHERS);
  await withRecovered(world, async (session) => {
    expect([filesOf(session), inFile()]).toEqual([EDITED_BY_OTHERS, EDITED_BY_OTHERS]);
    await session.rewind("agentfs");
    expect([filesOf(session), inFile()]).toEqual([SECOND, SECOND]);
  });
}

/** Runs the operation with each fault at each change of a file. */
export function crashEverywhere(
  world: CrashWorld,
  operation: string,
  kinds: readonly FaultKind[],
): Promise<Fault[]> {
  return crashStep(world, operation, kinds, (fault) => checkSession(world, operation, fault));
}

/** The same, only where the database is synced or cut. */
export function crashSyncing(
  world: CrashWorld,
  operation: string,
  kinds: readonly FaultKind[],
): Promise<Fault[]> {
  const argv = [process.execPath, STEP_CHILD, world.stateDir, world.id, operation];
  const check = (fault: Fault) => checkSession(world, operation, fault);
  const syscalls = ["fsync", "fdatasync", "ftruncate"];
  return injectFaults({ argv, kinds, reset: world.reset, check, syscalls, pathPrefix: world.database! });
}

/** Creates a session, with each fault at each change of a file. */
export function crashCreating(world: CrashWorld, kinds: readonly FaultKind[]): Promise<Fault[]> {
  const place = { stateDir: world.stateDir, protectionOf: createProtection() };
  return crashStep({ ...world, id: world.project }, "create", kinds, async () => {
    const made = (await listSessions(place)).filter(({ id }) => id !== world.id);
    expect(made.length).toBeLessThanOrEqual(1);
    for (const { id, state } of made) {
      expect(state).toBe("idle");
      (await openSession(id, place)).close();
    }
    await collectGarbage(place);
    expect(await listSessions(place)).toMatchObject([{ id: world.id, changes: 3 }]);
    expect(readFiles(world.project)).toEqual(BASE);
  });
}

/** A directory that was removed, recreated and committed. Then the user works in it. */
export async function commitAndEdit(session: Session, project: string): Promise<void> {
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

/** Restores a part of the removed paths, with each fault at each change of a file. */
export async function crashRestoring(world: CrashWorld, kinds: readonly FaultKind[]): Promise<Fault[]> {
  return crashThenOpen(world, "discard below", kinds, async (session) => {
    const endings = [{ a: "a\n" }, { a: "a\n", "d/x": "x\n" }];
    expect(endings).toContainEqual(await session.read(async () => filesOf(session)));
    expect(readFiles(world.project)).toEqual(BASE);
  });
}

/** Reads in a session that has to take in the user's changes, with each fault at each change of a file. */
export async function crashFollowing(world: CrashWorld, kinds: readonly FaultKind[]): Promise<Fault[]> {
  return crashThenOpen(world, "read", kinds, async (session) => {
    expect(await session.read(async () => filesOf(session))).toEqual(EDITED);
    expect(await session.commit()).toMatchObject({ tx: null, conflicts: [] });
    expect(readFiles(world.project)).toEqual(EDITED);
    // The user's changes stay the user's.
    writeFiles(world.project, { "d/new": "again\n" });
    expect(await session.read(async () => filesOf(session))).toEqual({ ...EDITED, "d/new": "again\n" });
    expect(await session.commit()).toMatchObject({ tx: null, conflicts: [] });
  });
}

/** A commit that was interrupted after it had removed the directory from the project. */
export async function cutOffCommit(session: Session, project: string): Promise<void> {
  await removeDirectory(session);
  const stateDir = path.join(path.dirname(project), "state");
  await interruptCommit(session, stateDir, () => !fs.existsSync(path.join(project, "d")));
}

/** A commit that removed a directory. */
export async function commitRemoval(session: Session): Promise<void> {
  await removeDirectory(session);
  await session.commit();
}

/** Commits the removal of a directory, or recovers or reverts such a commit, with each fault at each change of a file. */
export async function crashCommitting(
  world: CrashWorld,
  operation: "commit" | "recover" | "revert",
  kinds: readonly FaultKind[],
): Promise<Fault[]> {
  return crashThenOpen(world, operation, kinds, (session) => checkRemoval(session, world));
}

/** The next commit has no conflict, whether the removal was committed, rolled back or reverted. */
async function checkRemoval(session: Session, { project }: CrashWorld): Promise<void> {
  expect([BASE, REMOVED]).toContainEqual(readFiles(project));
  expect(await session.commit()).toMatchObject({ conflicts: [], skipped: [] });
  expect(readFiles(project)).toEqual(REMOVED);
  expect(await session.read(async () => filesOf(session))).toEqual(REMOVED);
}

const REMOVED: Files = { a: "a\n" };

/** The check after a kill of each operation. */
const AFTER_KILL = {
  commit: (world: CrashWorld) => withRecovered(world, (session) => checkRemoval(session, world)),
  recover: (world: CrashWorld) => withRecovered(world, (session) => checkRemoval(session, world)),
  revert: (world: CrashWorld) => withRecovered(world, (session) => checkRemoval(session, world)),
  rewind: (world: CrashWorld) => checkSession(world, "rewind", { kind: "SIGKILL", stdout: "" }),
  change: (world: CrashWorld) => checkSession(world, "change", { kind: "SIGKILL", stdout: "" }),
  open: checkTaken,
  gc: checkCollected,
};

/** Kills the operation until so many kills were after its begin and before its end, at many different times. Throws if that takes too many runs. */
export async function killInside(
  world: CrashWorld,
  operation: keyof typeof AFTER_KILL,
  kills: number,
): Promise<void> {
  await world.reset();
  let { ms: wholeMs } = await runStep(world, operation, null);
  let hits = 0;
  for (let run = 1; hits < kills; run++) {
    if (run > MOST_RUNS * kills)
      throw new Error(`only ${hits} kills of ${run - 1} were inside: ${operation}`);
    await world.reset();
    const { ms, isKilled } = await runStep(world, operation, wholeMs * ((run * GOLDEN_RATIO) % 1));
    if (isKilled) hits++;
    // The machine may be faster by now.
    else wholeMs = ms;
    await AFTER_KILL[operation](world);
  }
}

const MOST_RUNS = 5;
/** Its multiples are spread evenly between whole numbers. */
const GOLDEN_RATIO = 0.618;

/** Runs the operation, and kills it so long after its begin. Returns how long it took from there. */
async function runStep(
  { stateDir, id }: CrashWorld,
  operation: string,
  killAfterMs: number | null,
): Promise<{ readonly ms: number; readonly isKilled: boolean }> {
  const child = spawn(process.execPath, [STEP_CHILD, stateDir, id, operation], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "close");
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  expect(String((await once(child.stderr, "data"))[0])).toBe("began\n");
  const began = performance.now();
  const timer =
    killAfterMs === null ? undefined : globalThis.setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const [, signal] = await exited;
  globalThis.clearTimeout(timer);
  const isKilled = signal === "SIGKILL" && stdout === "";
  if (!isKilled) expect(stdout).toBe("done");
  return { ms: performance.now() - began, isKilled };
}

/** A session with changes, an empty one, and a layer that a killed process left. */
export async function leaveGarbage(session: Session, project: string): Promise<void> {
  await makeCalls(session);
  const stateDir = path.join(path.dirname(project), "state");
  const { strategy, id } = session.record;
  const empty = await createSession(project, { stateDir, protectionOf: createProtection(), strategy });
  empty.close();
  writeFiles(path.join(stateDir, "sessions", id, LEFT_LAYER), { "d/f": "f\n" });
}

const LEFT_LAYER = "99";

/** Collects that garbage, with each fault at each change of a file. */
export function crashCollecting(world: CrashWorld, kinds: readonly FaultKind[]): Promise<Fault[]> {
  return crashStep(world, "gc", kinds, () => checkCollected(world));
}

async function checkCollected(world: CrashWorld): Promise<void> {
  const store = { stateDir: world.stateDir, protectionOf: createProtection() };
  await collectGarbage(store);
  const [{ id, changes }, ...others] = (await listSessions(store)) as [SessionSummary];
  expect([changes, others]).toEqual([3, []]);
  const sessions = path.join(world.stateDir, "sessions");
  expect(fs.readdirSync(sessions)).toEqual([id]);
  expect(fs.readdirSync(path.join(sessions, id))).not.toContain(LEFT_LAYER);
  expect(readFiles(world.project)).toEqual(BASE);
  await withRecovered(world, async (session) => expect(filesOf(session)).toEqual(SECOND));
}

function crashThenOpen(
  world: CrashWorld,
  operation: string,
  kinds: readonly FaultKind[],
  check: (session: Session) => Promise<void>,
): Promise<Fault[]> {
  return crashStep(world, operation, kinds, () => withRecovered(world, check));
}

/** Each fault at each system call that changes something, by a path or in an open directory, and at each that creates a file. */
async function crashStep(
  world: CrashWorld,
  operation: string,
  kinds: readonly FaultKind[],
  check: (fault: Fault) => Promise<void>,
): Promise<Fault[]> {
  const argv = [process.execPath, STEP_CHILD, world.stateDir, world.id, operation];
  const plan = { argv, kinds, reset: world.reset, check };
  const paths = [path.dirname(world.project), "/proc/self/fd/", "/hotcell-import-"];
  const changes = await injectFaults({ ...plan, syscalls: CHANGES, pathPrefix: paths });
  const creations = await injectFaults({ ...plan, syscalls: ["openat"], pathPrefix: "O_CREAT" });
  return [...changes, ...creations];
}

async function withRecovered(
  { stateDir, id }: CrashWorld,
  check: (session: Session) => Promise<void>,
): Promise<void> {
  await recoverSessions({ stateDir });
  const [only] = fs.readdirSync(path.join(stateDir, "sessions"));
  const session = await openSession(id === ONLY ? only! : id, {
    stateDir,
    protectionOf: createProtection(),
  });
  try {
    await check(session);
  } finally {
    session.close();
  }
}

async function checkSession(
  world: CrashWorld,
  operation: string,
  fault: Pick<Fault, "kind" | "stdout">,
): Promise<void> {
  if (fault.kind === "SIGKILL") expect(fault.stdout === "" || fault.stdout === "done").toBe(true);
  await checkDatabase(world, operation);
  await withRecovered(world, async (session) => {
    const shown = filesOf(session);
    expect(ENDINGS[operation], JSON.stringify(shown)).toContainEqual(shown);
    checkProject(world.project, operation);
    checkFollowed(session, world);
    // A change belongs to the call that made it.
    if (shown.a === "three\n") expect(session.record.stack.at(-1)!.call?.id).toBe("c3");
    if (operation === "discard") return;
    // After any fault, a rewind to the first call with changes works, and the session can be used.
    await session.change({ id: "after", tool: "test" }, async () => session.workspace.write("new", "new\n"));
    expect(filesOf(session)).toEqual({ ...shown, new: "new\n" });
    checkFollowed(session, world);
    await session.rewind("#1");
    if (operation !== "commit") expect(filesOf(session)).toEqual(BASE);
  });
}

/** The database is whole, for SQLite and for agentfs-sdk, and shows a state that the operation may end in. */
async function checkDatabase({ database, project }: CrashWorld, operation: string): Promise<void> {
  if (database === null || !fs.existsSync(database)) return;
  const shown = await readTwice(project, database);
  expect(ENDINGS[operation], JSON.stringify(shown)).toContainEqual(shown);
}

/** The files of the project with a database that no session has open. agentfs-sdk reads the same from it as SQLite. */
async function readTwice(project: string, database: string): Promise<Files> {
  const shown = withoutStaged(plainFiles(readOverlaidCopy(project, database)));
  const read = await readBySdk(database);
  const inProject = readFiles(project);
  const changed = Object.entries(shown).filter(([at, content]) => inProject[at] !== content);
  expect(shown).toMatchObject(read);
  expect(read).toMatchObject(Object.fromEntries(changed));
  return shown;
}

/** After an open and after a call the database shows what the session shows. */
function checkFollowed(session: Session, { database, project }: CrashWorld): void {
  if (database !== null) expect(plainFiles(readOverlaidCopy(project, database))).toEqual(filesOf(session));
}

/** A killed commit leaves its staged copies in the project until the recovery removes them. */
function withoutStaged(files: Files): Files {
  const staged = (at: string) => at.split("/").some((name) => name.startsWith(TEMP_PREFIX));
  return Object.fromEntries(Object.entries(files).filter(([at]) => !staged(at)));
}

function plainFiles(tree: ReadonlyMap<string, Planted>): Files {
  const files = [...tree].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(files.flatMap(([at, one]) => (one.kind === "file" ? [[at, one.content]] : [])));
}

/** Only a commit changes the project, and it does so completely or not at all. */
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
