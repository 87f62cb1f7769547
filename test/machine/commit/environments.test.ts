// Commits in unusual environments: other file systems, kernel mounts in the project, a mounted view, other owners,
// immutable files, and very many files.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { keepUndo } from "../../../src/workspace/commit/kept-undo.ts";
import { O_PATH } from "../../../src/workspace/fs/paths.ts";
import { COMMIT_CHILD, makeScene, type Scene } from "../../kit/children/commit-child.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { checkRecovered, killAndRecover, stepsOf, upTo } from "../../kit/machine-and-soak/commit-crash.ts";
import { MEMORY_DIR } from "../../kit/memory-dir.ts";
import { compile } from "../../kit/native/compile.ts";
import { layOutScene } from "../../kit/worlds/commit-scene.ts";
import {
  type CommitWorld,
  changeTree,
  editOf,
  makeCommitWorld,
  treeOf,
} from "../../kit/worlds/commit-world.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const HUGE = 4 * 1024 ** 3;

let world: CommitWorld | undefined;
afterEach(() => {
  world?.remove();
  world = undefined;
});

describe("a state directory on another file system", () => {
  test("keeps what was replaced, with mode and time, and gives it back", async () => {
    world = makeCommitWorld(undefined, os.tmpdir());
    expect(fs.statSync(world.top).dev).not.toBe(fs.statSync(os.tmpdir()).dev);
    layOutScene(world);
    fs.utimesSync(`${world.project.path}/src/edited.txt`, 1_000_000_000, 1_000_000_000);
    const before = world.tree("project");
    await world.commit();
    expect(world.tree("project")).toEqual(world.tree("view"));
    await world.revert();
    expect(world.tree("project")).toEqual(before);
    expect(fs.statSync(`${world.project.path}/src/edited.txt`).mtimeMs).toBe(1_000_000_000_000);
  });

  test("takes over a directory, with the holes of a huge file in it, while others have their turn", async () => {
    const [project, state] = [tempDir(MEMORY_DIR), tempDir()];
    fs.mkdirSync(`${project}/aside`);
    fs.writeFileSync(`${project}/aside/huge`, "text");
    fs.truncateSync(`${project}/aside/huge`, HUGE);
    const dirs = [project, state].map((dir) => fs.openSync(dir, O_PATH));
    onTestFinished(() => dirs.forEach((fd) => void fs.closeSync(fd)));
    const [aside, kept] = [
      { dir: dirs[0]!, name: "aside" },
      { dir: dirs[1]!, name: "0" },
    ];
    const keeping = keepUndo(aside, kept);
    await setImmediate();
    expect(fs.existsSync(`${state}/0`)).toBe(false);
    expect(await keeping).toBe(true);
    const { size, blocks } = fs.statSync(`${state}/0/huge`);
    expect(size).toBe(HUGE);
    expect(blocks * 512).toBeLessThan(1024 ** 2);
  });

  test("crash-007: does so after a kill at steps of the commit", async () => {
    const scene: Scene = makeScene({ layOut: layOutScene, stateBase: os.tmpdir() });
    world = scene.world;
    for (const killAt of upTo(stepsOf(scene, "commit"), 5)) {
      await checkRecovered(scene, await killAndRecover(scene, "commit", killAt));
    }
  });
});

/** Runs a script with `$1` the world, in a mount namespace of its own; then a commit there. */
function commitWhere(script: string, { top, txDir }: CommitWorld): unknown {
  const unshare = IS_ROOT ? ["--mount"] : ["--mount", "--user", "--map-root-user"];
  const run = `set -e; cd "$1"; ${script}; exec "$2" "$3" "$1" "$4" commit`;
  const args = [...unshare, "sh", "-c", run, "sh", top, process.execPath, COMMIT_CHILD, txDir];
  return JSON.parse(execFileSync("unshare", args, { encoding: "utf8" }));
}

test("a mount in the project gets what is committed into it, and staging of its own", () => {
  world = makeCommitWorld();
  const inMount = { "mnt/deep/edited": "file 644 old", "mnt/removed/x": "file 644 x" };
  world.begin({ ...inMount, top: "file 644 old" });
  world.change("view", {
    "mnt/deep/edited": "file 644 new",
    "mnt/removed": null,
    "mnt/new/made": "file 644 made",
    top: "file 644 new",
  });
  fs.writeFileSync(`${world.top}/plan.json`, JSON.stringify(world.plan()));
  // The directory under the mount is a twin of what is mounted there: the plan fits both.
  const mounted = `${world.top}/mounted`;
  execFileSync("cp", ["-a", `${world.project.path}/mnt`, mounted]);
  const under = treeOf(`${world.project.path}/mnt`);
  expect(commitWhere("mount --bind mounted project/mnt", world)).toMatchObject({ result: { conflicts: [] } });
  expect(treeOf(mounted)).toEqual(treeOf(`${world.view.path}/mnt`));
  expect(treeOf(`${world.project.path}/mnt`)).toEqual(under);
  expect(world.tree("project")).toMatchObject({ top: "file 644 new" });
});

test("a view that is an overlay of the project is committed like a plain one", async () => {
  world = makeCommitWorld();
  layOutScene(world);
  const after = world.tree("view");
  fs.writeFileSync(`${world.top}/plan.json`, JSON.stringify(world.plan()));
  for (const name of ["upper", "work", "wanted"]) fs.mkdirSync(`${world.top}/${name}`);
  changeTree(`${world.top}/wanted`, {});
  execFileSync("cp", ["-a", `${world.view.path}/.`, `${world.top}/wanted`]);
  const options = `lowerdir=project,upperdir=upper,workdir=work${IS_ROOT ? "" : ",userxattr"}`;
  const script = `mount -t overlay overlay -o ${options} view; find view -mindepth 1 -delete; cp -a wanted/. view`;
  expect(commitWhere(script, world)).toMatchObject({ result: { conflicts: [] } });
  expect(world.tree("project")).toEqual(after);
  await world.revert();
  expect(world.tree("project")).not.toEqual(after);
});

describe.runIf(IS_ROOT)("as root", () => {
  const ownerOf = (at: string): string => {
    const { uid, gid } = fs.lstatSync(path.join(world!.project.path, at));
    return `${uid}:${gid}`;
  };

  test("what is made belongs to the project's owner, and what is replaced keeps its own", async () => {
    world = makeCommitWorld(undefined, os.tmpdir());
    world.begin({ replaced: "file 644 old", removed: "file 644 r", gone: "directory 755" });
    fs.chownSync(world.project.path, 1234, 1235);
    for (const at of ["replaced", "removed", "gone"]) fs.chownSync(`${world.project.path}/${at}`, 2345, 2346);
    world.change("view", {
      replaced: "file 644 new",
      removed: null,
      gone: null,
      "d/made": "file 644 m",
      link: "link d",
    });
    await world.commit();
    const found = ["replaced", "d", "d/made", "link"].map(ownerOf);
    expect(found).toEqual(["2345:2346", "1234:1235", "1234:1235", "1234:1235"]);
    await world.revert();
    expect(["replaced", "removed", "gone"].map(ownerOf)).toEqual(["2345:2346", "2345:2346", "2345:2346"]);
  });

  test.each([
    ["a file", "d/f"],
    ["a directory", "d"],
  ])(
    "crash-012: %s that is immutable refuses the whole commit before anything is written",
    async (_what, at) => {
      world = makeCommitWorld(os.tmpdir());
      world.begin({ a: "file 644 old", "d/f": "file 644 old" });
      world.change("view", { a: "file 644 new", "d/f": "file 644 new", z: "file 644 z" });
      const immutable = `${world.project.path}/${at}`;
      execFileSync("chattr", ["+i", immutable]);
      try {
        const before = world.tree("project");
        await expect(world.commit()).rejects.toThrow(
          /^Could not commit "d\/f": it(s directory)? is immutable/,
        );
        expect(world.tree("project")).toEqual(before);
        expect(fs.existsSync(world.txDir)).toBe(false);
      } finally {
        execFileSync("chattr", ["-i", immutable]);
      }
    },
  );

  test("crash-012: a file that became immutable after the plan leaves the project as it was", async () => {
    world = makeCommitWorld(os.tmpdir());
    world.begin({ a: "file 644 old", "d/f": "file 644 old" });
    world.change("view", { a: "file 644 new", "d/f": "file 644 new", z: "file 644 z" });
    const before = world.tree("project");
    const plan = world.plan();
    execFileSync("chattr", ["+i", `${world.project.path}/d/f`]);
    try {
      await expect(world.apply(plan)).rejects.toThrow(/\(EPERM\)\. hotcell undid its changes\.$/);
      expect(world.tree("project")).toEqual(before);
    } finally {
      execFileSync("chattr", ["-i", `${world.project.path}/d/f`]);
    }
  });

  test("device nodes and setuid bits of the session do not reach the project", async () => {
    world = makeCommitWorld(os.tmpdir());
    execFileSync("mknod", [`${world.view.path}/device`, "c", "1", "3"]);
    world.change("view", { tool: "file 4755 tool" });
    expect(await world.commit()).toMatchObject({
      committed: ["tool"],
      skipped: [{ path: "device", why: "special file" }],
    });
    expect(world.tree("project")).toEqual({ tool: "file 755 tool" });
  });
});

test("attributes with which a session could forge an overlay do not reach the project", async () => {
  world = makeCommitWorld(os.tmpdir());
  const attributes = compile("attributes", world.top);
  world.change("view", { "d/f": "file 644 f" });
  for (const at of ["d", "d/f"]) {
    for (const name of ["opaque", "redirect", "metacopy"])
      execFileSync(attributes, [`${world.view.path}/${at}`, `user.overlay.${name}`, "y"]);
  }
  const attributesIn = (tree: string) =>
    ["d", "d/f"].map((at) => execFileSync(attributes, [`${tree}/${at}`], { encoding: "utf8" }));
  execFileSync("cp", ["-a", `${world.view.path}`, `${world.top}/copied`]);
  expect(attributesIn(`${world.top}/copied`).every((names) => names.includes("user.overlay."))).toBe(true);
  await world.commit();
  expect(attributesIn(world.project.path)).toEqual(["", ""]);
});

test("crash-012: an ordinary user gets an error for a read-only directory before anything is written", () => {
  const scene = makeScene({
    isOrdinary: true,
    layOut(laidOut) {
      laidOut.begin({ a: "file 644 old", "d/f": "file 644 old", d: "directory 555" });
      laidOut.change("view", { a: "file 644 new", "d/f": "file 644 new" });
    },
  });
  world = scene.world;
  expect(scene.run("commit").error).toMatch(
    /^Could not commit "d\/f": its directory is read-only.*Nothing was written\./,
  );
  expect(world.tree("project")).toEqual(scene.before);
});

test("a commit of 100 MB in 1,000 files needs little memory", () => {
  const numbers = Array.from({ length: 1000 }, (_, index) => index);
  const pathOf = (n: number) => `d${n % 50}/${n}.txt`;
  const files = (word: string) =>
    Object.fromEntries(numbers.map((n) => [pathOf(n), `file 644 ${word} ${n}\n${"x".repeat(100_000)}`]));
  world = makeCommitWorld();
  world.begin(files("old"));
  world.change("view", files("new"));
  const plan = world.plan({ changes: numbers.map((n) => editOf(pathOf(n))) });
  fs.writeFileSync(`${world.top}/plan.json`, JSON.stringify(plan));
  const args = ["--max-old-space-size=64", COMMIT_CHILD, world.top, world.txDir, "commit"];
  const { result, maxRssKb } = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
  expect(result.committed.length).toBe(numbers.length);
  expect(maxRssKb).toBeLessThan(160_000);
  expect(world.tree("project")).toEqual(world.tree("view"));
});
