// Sessions of an ordinary user: what the system does not allow is said.
import { expect, test } from "vitest";
import { IS_ROOT } from "../../kit/is-root.ts";
import { directory, file, survey } from "../../kit/worlds/planted-tree.ts";
import { STRATEGIES, tempSessionWorld } from "../../kit/worlds/session-world.ts";

const PROJECT = new Map([
  ["d", directory(0o750)],
  ["d/a", file("a")],
  ["d/b", directory()],
  ["d/b/c", file("c")],
  ["d/locked", directory(0o555)],
  ["d/locked/f", file("f", 0o444)],
]);

test.runIf(!IS_ROOT).each(STRATEGIES)(
  "a read-only file is not written in a session by the strategy %s, and that is said",
  async (strategy) => {
    const { workspace } = await tempSessionWorld(PROJECT).create(strategy);
    for (const at of ["d/locked/f", "d/locked/new"])
      expect(() => workspace.write(at, "new")).toThrow(
        `Could not write "${at}": permission denied by the system (EACCES).`,
      );
  },
);

test.runIf(!IS_ROOT)(
  "a rename that the kernel's overlay can't do is taken back whole when it fails on the way",
  async () => {
    const { workspace, view, diff } = await tempSessionWorld(PROJECT).create("kernel");
    expect(() => workspace.rename("d", "e")).toThrow(
      'Could not rename "d": permission denied by the system (EACCES).',
    );
    expect(survey(`/proc/self/fd/${view.fd}`)).toEqual(PROJECT);
    expect(await diff(({ changes }) => changes)).toEqual([]);
  },
);
