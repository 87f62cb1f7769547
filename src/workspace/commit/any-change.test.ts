import fs from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { assertProperty } from "../../../test/kit/assert-property.ts";
import { twoTrees } from "../../../test/kit/models/arbitrary-trees.ts";
import { type CommitWorld, makeCommitWorld } from "../../../test/kit/worlds/commit-world.ts";
import { plant, survey } from "../../../test/kit/worlds/planted-tree.ts";
import { fingerprintOf } from "../fs/fingerprint.ts";
import type { Selection } from "./plan/selection.ts";
import { revertCommit } from "./revert.ts";
import type { CommitResult } from "./run-commit.ts";

const RUNS = 40;

/** With nobody else in the project; what can't be taken without the rest is left. */
function commit(
  { project, plan, apply }: CommitWorld,
  txDir: string,
  selection: Selection,
): Promise<CommitResult> {
  const baseOf = (at: string) => fingerprintOf(project, at);
  return apply(plan({ selection, baseOf, allowProtected: true, policy: "skip" }), { txDir });
}

test("whatever changed, some of it and then the rest comes over, and goes back again", async () => {
  await assertProperty(
    fc.asyncProperty(twoTrees, fc.func(fc.boolean()), async ({ before, after }, isPicked) => {
      const world = makeCommitWorld();
      try {
        plant(world.project.path, before);
        plant(world.view.path, after);
        const paths = world.changes().flatMap(({ path }) => (isPicked(path) ? [path] : []));
        const txDirs = [`${world.top}/some`, `${world.top}/rest`] as const;
        const start = survey(world.project.path);
        await commit(world, txDirs[0], { paths, hunks: [] });
        const between = survey(world.project.path);
        expect((await commit(world, txDirs[1], "all")).conflicts).toEqual([]);
        expect(survey(world.project.path)).toEqual(survey(world.view.path));
        for (const [txDir, tree] of [
          [txDirs[1], between],
          [txDirs[0], start],
        ] as const) {
          if (fs.existsSync(txDir)) await revertCommit(txDir, world.project);
          expect(survey(world.project.path)).toEqual(tree);
        }
      } finally {
        world.remove();
      }
    }),
    { numRuns: RUNS },
  );
});
