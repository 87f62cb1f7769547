// Injects errors and kills at every system call by which a small commit changes a file.
import { execFileSync } from "node:child_process";
import { expect } from "vitest";
import { COMMIT_CHILD, makeScene, type Scene } from "../children/commit-child.ts";
import { type Fault, type FaultKind, injectFaults } from "../native/inject.ts";
import type { CommitWorld } from "../worlds/commit-world.ts";
import { checkRecovered, checkWhole } from "./commit-crash.ts";

export interface Place {
  readonly what: string;
  readonly syscalls: readonly string[];
  /** Part of the arguments of the system calls that get faults. */
  readonly mark: (world: CommitWorld) => string;
  /** System calls that must be among those with faults. */
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

/** After any fault the project is as before or as committed, and the result of the commit is true. */
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

/** Makes the nth sync of every thread fail, in a commit with so many files that threads sync them in parallel. Returns the result of the commit. */
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
