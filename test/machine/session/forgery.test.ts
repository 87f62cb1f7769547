// What a command could leave in a session's view, and a project in itself, to make the kernel's overlay or a
// commit show or do something else.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { describe, expect, test } from "vitest";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { compile } from "../../kit/native/compile.ts";
import { plainly } from "../../kit/worlds/diff-world.ts";
import { directory, file, type Planted, type PlantedTree, survey } from "../../kit/worlds/planted-tree.ts";
import { type SessionWorld, STRATEGIES, tempSessionWorld } from "../../kit/worlds/session-world.ts";

type Attributes = readonly (readonly [name: string, value: string])[];

const FORGED: Attributes = ["trusted", "user"].flatMap((space) => [
  [`${space}.overlay.opaque`, "y"],
  [`${space}.overlay.redirect`, "/secret"],
  [`${space}.overlay.metacopy`, ""],
  [`${space}.overlay.whiteout`, "y"],
]);

const PROJECT: PlantedTree = new Map([
  ["d", directory()],
  ["d/x", file("x")],
  ["f", file("f")],
  ["secret", directory()],
  ["secret/s", file("s")],
]);

const viewPath = ({ view }: Session): string => `/proc/self/fd/${view.fd}`;

/** The files and directories that a session shows. */
function shownBy({ workspace }: Session): PlantedTree {
  const shown = new Map<string, Planted>();
  for (const { path, kind, stat } of workspace.walk(".")) {
    if (kind === "directory") shown.set(path, directory(stat().mode));
    if (kind === "file") shown.set(path, file(workspace.read(path).toString("latin1"), stat().mode));
  }
  return shown;
}

/** Runs a command with a directory as its descriptor 3; true when it was done. */
function run(dir: number, command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: ["ignore", "ignore", "ignore", dir] }).status === 0;
}

interface Forging {
  /** Gives those of the attributes that a directory or file took. */
  forge(top: string, at: string, attributes?: Attributes): string[];
  attributesOf(path: string): string;
}

function forging({ top: into }: SessionWorld): Forging {
  const program = compile("attributes", into);
  const attributesOf = (path: string) => spawnSync(program, [path], { encoding: "utf8" }).stdout;
  return {
    forge(top, at, attributes = FORGED) {
      const dir = fs.openSync(top, fs.constants.O_DIRECTORY);
      const done = attributes.filter(([name, value]) =>
        run(dir, program, `/proc/self/fd/3/${at}`, name, value),
      );
      fs.closeSync(dir);
      return done.map(([name]) => name);
    },
    attributesOf,
  };
}

describe.each(STRATEGIES)("a session by the strategy %s", (strategy) => {
  test("shows nothing else, and commits nothing, for forged attributes, set-user-id bits and special files in it", async () => {
    const world = tempSessionWorld(PROJECT, os.tmpdir());
    const { forge, attributesOf } = forging(world);
    const session = await world.create(strategy);
    await session.change({ id: "c1", tool: "test" }, async () => {
      for (const at of ["d", "f"]) expect(forge(viewPath(session), at)).toContain("user.overlay.opaque");
      fs.writeFileSync(`${viewPath(session)}/tool`, "tool");
      for (const at of ["f", "tool"]) fs.chmodSync(`${viewPath(session)}/${at}`, 0o6755);
      expect(run(session.view.fd, "mkfifo", "/proc/self/fd/3/fifo")).toBe(true);
      run(session.view.fd, "mknod", "/proc/self/fd/3/whiteout", "c", "0", "0");
      const isDevice = run(session.view.fd, "mknod", "/proc/self/fd/3/device", "c", "1", "3");
      expect(isDevice).toBe(IS_ROOT);
    });
    const changed = (mode: number) =>
      new Map([...PROJECT, ["f", file("f", mode)], ["tool", file("tool", mode)]]);
    expect(shownBy(session)).toEqual(changed(0o6755));
    session.close();
    const again = await world.open(session.record.id);
    await again.checkpoint();
    expect(shownBy(again)).toEqual(changed(0o6755));
    expect(await again.commit()).toMatchObject({ committed: ["f", "tool"], conflicts: [] });
    expect(survey(world.project)).toEqual(changed(0o755));
    expect(["d", "f", "tool"].map((at) => attributesOf(`${world.project}/${at}`))).toEqual(["", "", ""]);
  });

  test("shows a project as it is that has such attributes, whiteouts and FIFOs, and leaves them there", async () => {
    const world = tempSessionWorld(PROJECT, os.tmpdir());
    const { forge, attributesOf } = forging(world);
    // A file with that one is refused by the kernel.
    const taken = FORGED.filter(([name]) => !name.endsWith("metacopy"));
    const names = forge(world.project, "d", taken);
    expect(forge(world.project, "f", taken)).toEqual(names);
    expect(names).toContain("user.overlay.opaque");
    const fd = fs.openSync(`${world.project}/d`, fs.constants.O_DIRECTORY);
    expect(run(fd, "mkfifo", "/proc/self/fd/3/fifo")).toBe(true);
    expect(run(fd, "mknod", "/proc/self/fd/3/whiteout", "c", "0", "0")).toBe(true);
    fs.closeSync(fd);
    const before = survey(world.project);
    const session = await world.create(strategy);
    expect(shownBy(session)).toEqual(PROJECT);
    await session.change({ id: "c1", tool: "test" }, async () => {
      session.workspace.write("d/x", "changed");
      session.workspace.append("f", "+more");
    });
    const changed = new Map([...PROJECT, ["d/x", file("changed")], ["f", file("f+more")]]);
    expect(shownBy(session)).toEqual(changed);
    expect(await session.diff(({ changes }) => plainly(changes))).toEqual(["modified d/x", "modified f"]);
    expect(await session.commit()).toMatchObject({ committed: ["d/x", "f"], conflicts: [] });
    expect(survey(world.project)).toEqual(new Map([...before, ...changed]));
    expect(attributesOf(`${world.project}/d`).split("\n").slice(0, -1).sort()).toEqual(names.sort());
  });
});

describe("an attribute that stands in a layer itself, where no command comes", () => {
  const space = IS_ROOT ? "trusted" : "user";
  const begin = async (name: string, value: string) => {
    const world = tempSessionWorld(PROJECT, os.tmpdir());
    const program = compile("attributes", world.top);
    const session = await world.create("kernel");
    session.workspace.chmod("d", 0o700);
    await session.checkpoint();
    session.close();
    const layer = `${world.stateDir}/sessions/${session.record.id}/${session.record.stack[0]!.name}`;
    expect(spawnSync(program, [`${layer}/d`, `${space}.overlay.${name}`, value]).status).toBe(0);
    return world.open(session.record.id);
  };

  test("does hide what is below: the forgery would work if a view took it", async () => {
    const session = await begin("opaque", "y");
    expect(session.workspace.list("d").entries).toEqual([]);
  });

  test("leads nowhere else: no redirect is followed", async () => {
    const session = await begin("redirect", "/secret");
    expect(fs.existsSync(`${viewPath(session)}/d/s`)).toBe(false);
  });
});
