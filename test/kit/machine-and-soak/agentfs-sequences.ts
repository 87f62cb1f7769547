// Random operations on sessions in mode agentfs. After each one the project with the database shows what the session shows.
import { describe, expect, test } from "vitest";
import { fdPath } from "../../../src/workspace/fs/paths.ts";
import { databaseOf, sessionDir } from "../../../src/workspace/layers/record.ts";
import { randomChanges } from "../models/random-changes.ts";
import { readOverlaidCopy } from "../worlds/agentfs-reader.ts";
import { survey } from "../worlds/planted-tree.ts";
import { STRATEGIES, tempSessionWorld } from "../worlds/session-world.ts";

/** So many sequences for each strategy. */
export function agentfsSequencesSuite(sequences: number): void {
  describe.each(STRATEGIES)("P2.6, P3.7, P6.1, P6.5: mode agentfs, by the strategy %s", (strategy) => {
    test(
      "the project with the database shows the session's view after random calls, rewinds, discards, commits and reverts",
      async () => {
        for (let seed = 1; seed <= sequences; seed++) {
          const world = tempSessionWorld(new Map(), undefined, (project) => randomChanges(seed)(project, 40));
          let session = await world.create(strategy, { fs: "agentfs" });
          const change = randomChanges(seed + 1000);
          const steps: [string, () => Promise<unknown>][] = [];
          const call = (id: string, count: number): [string, () => Promise<unknown>] => [
            `call ${id}`,
            () =>
              session.change({ id, tool: "run_command" }, async () => change(fdPath(session.view.fd), count)),
          ];
          steps.push(
            call("1", 15),
            call("2", 5),
            call("3", 15),
            ["rewind", () => session.rewind("2")],
            ["undo", () => session.undoRewind()],
            call("4", 10),
            ["rewind a", () => session.rewind("4", ["a"]).catch(() => {})],
            call("5", 10),
            ["discard b", () => session.discard(["b"]).catch(() => {})],
            [
              "commit a",
              () =>
                session
                  .commit({ selection: { paths: ["a"], hunks: [] }, onConflict: "skip" })
                  .catch(() => {}),
            ],
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
          );
          for (const [name, run] of steps) {
            await run();
            const shown = readOverlaidCopy(
              world.project,
              databaseOf(session.record, sessionDir(world.stateDir, session.record.id))!,
            );
            expect([seed, name, shown]).toEqual([seed, name, survey(fdPath(session.view.fd))]);
          }
          session.close();
          world.remove();
        }
      },
      60_000 + sequences * 30_000,
    );
  });
}
