// Each check of the contract is one call of a session in mode agentfs. After it the project with the database shows what
// the session shows.
import fs from "node:fs";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProtection } from "../../../src/policy/protected.ts";
import { type WorkspaceUnderTest, workspaceContract } from "../../../src/testing.ts";
import { createSecretCheck } from "../../../src/workspace/agentfs/secret-check.ts";
import type { WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";
import { fdPath } from "../../../src/workspace/fs/paths.ts";
import { databaseOf, type Strategy, sessionDir } from "../../../src/workspace/layers/record.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { readOverlaidCopy } from "../../kit/worlds/agentfs-reader.ts";
import { type Planted, type PlantedTree, survey } from "../../kit/worlds/planted-tree.ts";
import { type SessionWorld, STRATEGIES, tempSessionWorld } from "../../kit/worlds/session-world.ts";

const O_PATH = 0o10000000;
const isSecret = createSecretCheck(createProtection());

interface CallUnderTest extends WorkspaceUnderTest {
  /** Ends the call, and compares. */
  compare(): Promise<void>;
}

/** What the format cannot store, or must not, is in the session only. */
function storable(view: PlantedTree): Map<string, Planted> {
  const isText = (text: string) => !/\p{Surrogate}/u.test(text);
  return new Map(
    [...view].filter(
      ([path, entry]) =>
        isText(path) &&
        entry.kind !== "other" &&
        !(entry.kind === "symlink" && !isText(entry.target)) &&
        !isSecret(path, entry.kind === "directory"),
    ),
  );
}

function expectSame(world: SessionWorld, { record, view }: Session): void {
  const database = databaseOf(record, sessionDir(world.stateDir, record.id))!;
  expect(readOverlaidCopy(world.project, database)).toEqual(storable(survey(fdPath(view.fd))));
}

/** Some checks close the workspace. */
function isClosed(workspace: WorkspaceFS): boolean {
  try {
    workspace.stat(".");
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: "WORKSPACE_UNUSABLE" });
    return true;
  }
}

/** libsql closes a file when its statements are collected. Checks count open files. */
async function releaseFiles(): Promise<void> {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  await setImmediate();
}

/** The returned workspace is inside a call, which lasts until it is closed. */
async function startCall(strategy: Strategy): Promise<CallUnderTest> {
  await releaseFiles();
  const world = tempSessionWorld();
  const session = await world.create(strategy, { fs: "agentfs" });
  const { workspace, view } = session;
  let finish = () => {};
  let ended: Promise<unknown> = Promise.resolve();
  await new Promise<void>((started) => {
    const work = () =>
      new Promise<void>((finished) => {
        finish = finished;
        started();
      });
    ended = session.change({ id: "1", tool: "test" }, work);
  });
  const held = fs.openSync(fdPath(view.fd), O_PATH | fs.constants.O_DIRECTORY);
  onTestFinished(() => fs.closeSync(held));
  // A check that fails is reported itself.
  ended.catch(() => {});
  const compare = async () => {
    await ended;
    if (!isClosed(workspace)) return expectSame(world, session);
    session.close();
    await releaseFiles();
    expectSame(world, await world.open(session.record.id));
  };
  return { workspace, root: fdPath(held), outside: world.top, close: finish, compare };
}

describe.each(STRATEGIES)(
  "P2.6, P3.7, P6.1 and P6.5: mode agentfs, by the strategy %s, keeps the contract of WorkspaceFS",
  (strategy) => {
    let call: CallUnderTest;
    const open = async () => {
      call = await startCall(strategy);
      return call;
    };
    const compared = (title: string, check: () => Promise<void>) =>
      it(title, async () => {
        await check();
        await call.compare();
      });
    workspaceContract({ describe, it: compared }, open);
  },
);
