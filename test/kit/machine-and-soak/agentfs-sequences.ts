// Random operations on sessions in mode agentfs. After each one the project with the database shows what the session shows.
import { expect } from "vitest";
import { fdPath } from "../../../src/workspace/fs/paths.ts";
import { databaseOf, type Strategy, sessionDir } from "../../../src/workspace/layers/record.ts";
import { repeatably, seedsTo } from "../assert-property.ts";
import { randomChanges } from "../models/random-changes.ts";
import { readOverlaidCopy } from "../worlds/agentfs-reader.ts";
import { survey } from "../worlds/planted-tree.ts";
import { tempSessionWorld } from "../worlds/session-world.ts";

export async function checkAgentfsSequences(strategy: Strategy, sequences: number): Promise<void> {
  for (const seed of seedsTo(sequences)) await repeatably(seed, () => checkSequence(strategy, seed));
}

async function checkSequence(strategy: Strategy, seed: number): Promise<void> {
  const world = tempSessionWorld(new Map(), undefined, (project) => randomChanges(seed)(project, 40));
  let session = await world.create(strategy, { fs: "agentfs" });
  const change = randomChanges(seed + 1000);
  const call = (id: string, count: number): [string, () => Promise<unknown>] => [
    `call ${id}`,
    () => session.change({ id, tool: "run_command" }, async () => change(fdPath(session.view.fd), count)),
  ];
  const commitA = { selection: { paths: ["a"], hunks: [] }, onConflict: "skip" } as const;
  const steps: [string, () => Promise<unknown>][] = [
    call("1", 15),
    call("2", 5),
    call("3", 15),
    ["rewind", () => session.rewind("2")],
    ["undo", () => session.undoRewind()],
    call("4", 10),
    ["rewind a", () => session.rewind("4", ["a"]).catch(() => {})],
    call("5", 10),
    ["discard b", () => session.discard(["b"]).catch(() => {})],
    ["commit a", () => session.commit(commitA).catch(() => {})],
    call("6", 10),
    ["revert", () => session.revert().catch(() => {})],
    [
      "reopen",
      async () => {
        session.close();
        session = await world.open(session.record.id);
      },
    ],
    call("7", 10),
    ["commit", () => session.commit({ onConflict: "skip" }).catch(() => {})],
    call("8", 10),
    ["discard all", () => session.discard()],
  ];
  for (const [name, run] of steps) {
    await run();
    const { record, view } = session;
    const database = databaseOf(record, sessionDir(world.stateDir, record.id))!;
    const shown = readOverlaidCopy(world.project, database);
    expect([seed, name, shown]).toEqual([seed, name, survey(fdPath(view.fd))]);
  }
  session.close();
  world.remove();
}
