// Real errors of the machine, and kills, at every system call with which a small commit changes something.
import { execFileSync } from "node:child_process";
import { expect } from "vitest";
import { COMMIT_CHILD, makeScene, type Scene } from "./commit-child.ts";
import { checkRecovered, checkWhole } from "./commit-crash.ts";
import type { CommitWorld } from "./commit-world.ts";
import { type Fault, type FaultKind, injectFaults } from "./inject.ts";

export interface Place {
  readonly what: string;
  readonly syscalls: readonly string[];
  /** What the calls of interest have in them. */
  readonly mark: (world: CommitWorld) => string;
  /** Calls that must have been among those that failed. */
  readonly calls: readonly RegExp[];
}

const CHANGES =
  "mkdir mkdirat rmdir rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat write pwrite64 fsync fdatasync ftruncate chmod fchmod fchmodat chown fchown lchown utimensat".split(
    " ",
  );

export const PLACES: readonly Place[] = [
  {
    what: "changes of names and modes",
    syscalls: CHANGES,
    mark: () => "/proc/self/fd/",
    calls: [/^rename/, /^link/, /^symlink/, /^mkdir/, /^(rmdir|unlinkat)/, /^unlink/, /^f?chmod/],
  },
  {
    what: "changes of files and journal",
    syscalls: CHANGES,
    mark: ({ top }) => top,
    calls: [/^write/, /^fsync.*journal/, /^fsync.*new-/, /^rename.*journal/, /^fchmod/, /^utimensat/],
  },
  {
    what: "files that are made",
    syscalls: ["openat"],
    mark: () => "O_CREAT",
    calls: [/steps\.json/, /journal\.json/, /new-/],
  },
];

/** Whatever fails, the project is as before or as committed, and what the commit says of itself is so. */
export async function failAt({ syscalls, mark, calls }: Place, kinds: readonly FaultKind[]): Promise<void> {
  const scene = makeScene({ layOut });
  const { world } = scene;
  try {
    const faults = await injectFaults({
      argv: [process.execPath, COMMIT_CHILD, world.top, world.txDir, "commit"],
      syscalls,
      pathPrefix: mark(world),
      kinds,
      reset: scene.reset,
      check: (fault) => check(scene, fault),
    });
    expect(calls.filter((name) => !faults.some(({ call }) => name.test(call)))).toEqual([]);
  } finally {
    world.remove();
  }
}

/** Lets the nth sync of every thread fail, in a commit of so many files that they are synced side by side; gives what the commit says. */
export async function failSyncs(scene: Scene, nth: number): Promise<string> {
  const { top, txDir } = scene.world;
  scene.reset();
  const fault = ["-e", "trace=fsync", "-e", `inject=fsync:error=EIO:when=${nth}`];
  const child = [process.execPath, COMMIT_CHILD, top, txDir, "commit"];
  const stdout = execFileSync("strace", ["-f", "-qq", "-o", "/dev/null", ...fault, ...child], {
    encoding: "utf8",
  });
  await check(scene, { kind: "EIO", stdout });
  return stdout;
}

function layOut(world: CommitWorld): void {
  world.begin({
    "edited.txt": "file 644 old\n",
    "removed/removed.txt": "file 644 removed\n",
    "script.sh": "file 644 #!/bin/sh\n",
  });
  world.change("view", {
    "edited.txt": "file 644 new\n",
    removed: null,
    "script.sh": "file 755 #!/bin/sh\n",
    "made/made.txt": "file 644 made\n",
    link: "link made/made.txt",
  });
}

async function check(scene: Scene, { kind, stdout }: Pick<Fault, "kind" | "stdout">): Promise<void> {
  const { world, before, after } = scene;
  checkWhole(scene);
  const said = kind === "SIGKILL" ? {} : JSON.parse(stdout);
  if (said.error !== undefined && said.isUnfinished === false) expect(world.tree("project")).toEqual(before);
  if (said.result !== undefined) expect(world.tree("project")).toEqual(after);
  await checkRecovered(scene, await world.recover());
}
