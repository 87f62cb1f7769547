// Sessions without root's rights: all that root gets, and what the system does not allow is said.
import os from "node:os";
import { expect, test } from "vitest";
import { contractSessionSuite } from "../kit/contract-session-suite.ts";
import { dropRoot } from "../kit/drop-root.ts";
import { directory, file, survey } from "../kit/planted-tree.ts";
import { sessionForgerySuite } from "../kit/session-forgery-suite.ts";
import { sessionModelSuite } from "../kit/session-model.ts";
import { sessionTreesSuite } from "../kit/session-trees-suite.ts";
import { STRATEGIES, tempSessionWorld } from "../kit/session-world.ts";

const SEED = 2;

dropRoot();
contractSessionSuite();
sessionTreesSuite(os.tmpdir());
sessionForgerySuite(os.tmpdir());
sessionModelSuite(10, os.tmpdir(), SEED);

const PROJECT = new Map([
  ["d", directory(0o750)],
  ["d/a", file("a")],
  ["d/b", directory()],
  ["d/b/c", file("c")],
  ["d/locked", directory(0o555)],
  ["d/locked/f", file("f", 0o444)],
]);

test.each(STRATEGIES)(
  "a read-only file is not written in a session by the strategy %s, and that is said",
  async (strategy) => {
    const { workspace } = await tempSessionWorld(PROJECT).create(strategy);
    for (const at of ["d/locked/f", "d/locked/new"])
      expect(() => workspace.write(at, "new")).toThrow(
        `Could not write "${at}": permission denied by the system (EACCES).`,
      );
  },
);

test("a rename that the kernel's overlay can't do is taken back whole when it fails on the way", async () => {
  const { workspace, view, diff } = await tempSessionWorld(PROJECT).create("kernel");
  expect(() => workspace.rename("d", "e")).toThrow(
    'Could not rename "d": permission denied by the system (EACCES).',
  );
  expect(survey(`/proc/self/fd/${view.fd}`)).toEqual(PROJECT);
  expect(await diff(({ changes }) => changes)).toEqual([]);
});
