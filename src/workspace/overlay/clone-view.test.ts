// The working copy of the clone strategy: how it is made, shown and kept up to date.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type CloneWorld,
  makeCloneWorld,
  protectionOf,
  stackOf,
} from "../../../test/kit/worlds/clone-world.ts";
import {
  directory,
  file,
  type Planted,
  type PlantedTree,
  plant,
  survey,
  symlink,
} from "../../../test/kit/worlds/planted-tree.ts";
import type { Stack } from "../layers/record.ts";
import type { CloneOptions } from "./clone-view.ts";
import type { SessionView } from "./session-view.ts";

const PROJECT: PlantedTree = new Map([
  ["a", file("a\n")],
  ["d", directory(0o750)],
  ["d/x", file("x\n", 0o600)],
  ["d/e/y", file("y\n", 0o755)],
  ["empty", directory(0o700)],
  ["large", file("0123456789".repeat(20_000))],
  ["link", symlink("d/x")],
  ["\uDCFF", directory()],
  ["\uDCFF/\uDCFE\n", file("\xff")],
]);

interface Opened extends CloneWorld {
  readonly view: SessionView;
}

async function begin(project: PlantedTree = PROJECT, stack = stackOf(1)): Promise<Opened> {
  const world = tempWorld(project);
  return { ...world, view: await openIn(world, stack) };
}

function tempWorld(project: PlantedTree): CloneWorld {
  const world = makeCloneWorld(project);
  onTestFinished(() => world.remove());
  return world;
}

async function openIn(
  world: CloneWorld,
  stack: Stack,
  options: Partial<CloneOptions> = {},
): Promise<SessionView> {
  const view = await world.open(stack, options);
  onTestFinished(() => view.close());
  return view;
}

const without = (tree: PlantedTree, ...gone: readonly string[]): Map<string, Planted> =>
  new Map([...tree].filter(([at]) => !gone.some((path) => at === path || at.startsWith(`${path}/`))));

describe("a new copy", () => {
  test("has what the project has: modes, times, links, empty directories, names of any bytes", async () => {
    const world = tempWorld(PROJECT);
    const past = new Date("2001-02-03T04:05:06Z");
    for (const at of ["a", "d/e", "empty"]) fs.utimesSync(path.join(world.project, at), past, past);
    fs.lutimesSync(path.join(world.project, "link"), past, past);
    await openIn(world, stackOf(1));
    expect(world.tree()).toEqual(survey(world.project));
    const times = (at: string) => fs.lstatSync(path.join(world.merged, at)).mtime;
    expect(["a", "d/e", "empty", "link"].map(times)).toEqual([past, past, past, past]);
  });

  test.runIf(process.getuid?.() === 0)("belongs to whom the project belongs, as do its layers", async () => {
    const world = tempWorld(PROJECT);
    const give = (top: string, at: string, owner: number) => fs.lchownSync(path.join(top, at), owner, owner);
    for (const [at, owner] of [
      ["a", 1001],
      ["d", 1002],
      ["d/x", 1003],
      ["link", 1004],
      [".", 1005],
    ] as const)
      give(world.project, at, owner);
    const view = await openIn(world, stackOf(1));
    const ownersIn = (top: string, ...paths: readonly string[]) =>
      paths.map((at) => fs.lstatSync(path.join(top, at))).map(({ uid, gid }) => [uid, gid]);
    expect(ownersIn(world.merged, "a", "d", "d/x", "link", ".").flat()).toEqual(
      [1001, 1002, 1003, 1004, 1005].flatMap((owner) => [owner, owner]),
    );
    fs.writeFileSync(path.join(world.merged, "d/x"), "changed");
    await view.capture();
    expect(ownersIn(path.join(world.dir, "1"), "d", "d/x").flat()).toEqual([1002, 1002, 1003, 1003]);
    await view.show(stackOf(2));
    await view.show(stackOf(1, 3));
    expect(ownersIn(world.merged, "d", "d/x").flat()).toEqual([1002, 1002, 1003, 1003]);
  });

  test("has neither secrets nor special files", async () => {
    const world = tempWorld(
      new Map([
        [".env", file("KEY=1")],
        [".env.example", file("KEY=")],
        ["d/.ssh/id_rsa", file("key")],
        ["d/credentials.json", file("{}")],
        ["d/secrets", directory()],
        ["d/secrets/notes.md", file("")],
      ]),
    );
    execFileSync("mkfifo", [path.join(world.project, "fifo")]);
    await openIn(world, stackOf(1));
    expect([...world.tree().keys()].sort()).toEqual([".env.example", "d", "d/secrets", "d/secrets/notes.md"]);
  });

  test("has the holes that files of the project have, and so have its layers", async () => {
    const world = tempWorld(new Map([["there", file("t")]]));
    const size = 512 * 1024 ** 2;
    fs.truncateSync(path.join(world.project, "there"), size);
    const view = await openIn(world, stackOf(1));
    fs.writeFileSync(path.join(world.merged, "made"), "m");
    fs.truncateSync(path.join(world.merged, "made"), size);
    await view.capture();
    const copies = [path.join(world.merged, "there"), path.join(world.dir, "1", "made")];
    expect(copies.map((at) => fs.statSync(at).size)).toEqual([size, size]);
    for (const at of copies) expect(fs.statSync(at).blocks * 512).toBeLessThan(1024 ** 2);
    const begins = (at: string) => fs.readFileSync(at).subarray(0, 2).toString();
    expect(copies.map(begins)).toEqual(["t\0", "m\0"]);
  });

  test("reports its progress, and yields to the event loop", async () => {
    const files = Array.from({ length: 1500 }, (_, index) => [`d${index % 30}/${index}`, file("x")] as const);
    const world = tempWorld(new Map(files));
    const told: [number, number | null][] = [];
    let turns = 0;
    const turn = setInterval(() => turns++, 1);
    onTestFinished(() => clearInterval(turn));
    await openIn(world, stackOf(1), { onProgress: (done, total) => told.push([done, total]) });
    expect(told).toEqual(Array.from({ length: 1530 }, (_, index) => [index + 1, 1530]));
    expect(turns).toBeGreaterThan(2);
  });

  test("is copied again if it is incomplete, or its index cannot be read", async () => {
    const world = await begin();
    world.view.close();
    for (const spoil of [
      () => fs.writeFileSync(path.join(world.dir, "showing"), ""),
      () => fs.truncateSync(path.join(world.dir, "merged.json"), 20),
      () => fs.unlinkSync(path.join(world.dir, "project.json")),
    ]) {
      fs.unlinkSync(path.join(world.merged, "a"));
      fs.writeFileSync(path.join(world.merged, "half"), "");
      spoil();
      (await world.open(stackOf(1))).close();
      expect(world.tree()).toEqual(survey(world.project));
      expect(world.layer(1)).toEqual(new Map());
    }
  });

  test("is the same one when it is opened again, with what was changed in it", async () => {
    const world = await begin();
    fs.writeFileSync(path.join(world.merged, "new"), "n");
    world.view.close();
    const view = await openIn(world, stackOf(1));
    await view.capture();
    expect(world.tree()).toEqual(new Map([...PROJECT, ["d/e", directory()], ["new", file("n")]]));
    expect([...world.layer(1).keys()]).toEqual(["new"]);
  });

  test("is read through a directory of its own, which takes links of the project for its own", async () => {
    const { view, merged, project } = await begin();
    expect(fs.readlinkSync(`/proc/self/fd/${view.root.fd}`)).toBe(merged);
    expect([view.root.path, view.root.given]).toEqual([merged, project]);
  });
});

describe("another stack", () => {
  async function history(): Promise<Opened & { readonly states: Map<string, Planted>[] }> {
    const world = await begin();
    const { merged, view } = world;
    const states = [world.tree()];
    const steps: readonly (() => void)[] = [
      () => {
        fs.writeFileSync(path.join(merged, "a"), "first");
        fs.rmSync(path.join(merged, "d"), { recursive: true });
      },
      () => {
        fs.mkdirSync(path.join(merged, "d"));
        fs.writeFileSync(path.join(merged, "d/new"), "n");
        fs.rmSync(path.join(merged, "link"));
      },
      () => {
        fs.rmSync(path.join(merged, "a"));
        fs.mkdirSync(path.join(merged, "a"));
        fs.symlinkSync("nowhere", path.join(merged, "link"));
        fs.chmodSync(path.join(merged, "empty"), 0o755);
      },
    ];
    for (const [index, step] of steps.entries()) {
      step();
      await view.capture();
      states.push(world.tree());
      await view.show(stackOf(...Array.from({ length: index + 2 }, (_, layer) => layer + 1)));
    }
    return { ...world, states };
  }

  test.each([
    ["none", [9], 0],
    ["the first", [1, 9], 1],
    ["two", [1, 2, 9], 2],
    ["all", [1, 2, 3, 9], 3],
  ] as const)("with %s of the layers is shown as it was, from any other", async (_, layers, state) => {
    const { view, states, tree } = await history();
    for (const before of [[8], [1, 8], [1, 2, 3, 8]]) {
      await view.show(stackOf(...before));
      await view.show(stackOf(...layers));
      expect(tree()).toEqual(states[state]);
    }
  });

  test("is shown without a trace: nothing of it counts as a change", async () => {
    const { view, layer } = await history();
    await view.show(stackOf(1, 9));
    await view.capture();
    expect(layer(9)).toEqual(new Map());
  });

  test("of another session's layers is a copy of its own", async () => {
    const { stateDir, project, tree, states } = await history();
    const dir = path.join(stateDir, "sessions", "fork");
    fs.mkdirSync(path.join(dir, "merged"), { recursive: true });
    const stack = [...stackOf(1, 2), { ...stackOf(1)[0]!, session: "fork" }];
    const fork = await openIn({ ...(await begin()), dir }, stack, {
      dir,
      stateDir,
      workspace: project,
      protectionOf,
    });
    expect(survey(path.join(dir, "merged"))).toEqual(states[2]);
    fs.writeFileSync(path.join(dir, "merged", "a"), "fork");
    await fork.capture();
    expect(survey(path.join(dir, "1"))).toEqual(new Map([["a", file("fork")]]));
    expect(tree()).toEqual(states[3]);
  });

  test("is shown after a restart in the middle of showing it", async () => {
    const { view, dir, merged, tree, states, open } = await history();
    view.close();
    fs.writeFileSync(path.join(dir, "showing"), "");
    fs.rmSync(path.join(merged, "d"), { recursive: true });
    (await open(stackOf(1, 2, 9))).close();
    expect(tree()).toEqual(states[2]);
  });

  test("that could not be shown completely is copied again by the next operation", async () => {
    const { view, dir, tree, states } = await history();
    const inTheWay = path.join(dir, "merged.json.new");
    for (const next of [() => view.show(stackOf(1, 9)), () => view.refresh()]) {
      await view.show(stackOf(8));
      fs.mkdirSync(inTheWay);
      await expect(view.show(stackOf(1, 2, 9))).rejects.toThrow("EISDIR");
      fs.rmdirSync(inTheWay);
      await next();
      await view.show(stackOf(1, 9));
      expect(tree()).toEqual(states[1]);
    }
  });
});

describe("an edit in the project", () => {
  const at = (world: CloneWorld, name: string) => path.join(world.project, name);

  test("is taken in where no layer has anything: changed, new, removed, replaced, and only then", async () => {
    const world = await begin();
    expect(await world.view.refresh()).toBe(false);
    fs.writeFileSync(at(world, "a"), "b\n");
    fs.chmodSync(at(world, "d"), 0o700);
    fs.rmSync(at(world, "d/e"), { recursive: true });
    fs.rmSync(at(world, "link"));
    fs.mkdirSync(at(world, "link"));
    plant(at(world, "new"), new Map([["x/y", file("1")]]));
    expect(await world.view.refresh()).toBe(true);
    expect(world.tree()).toEqual(survey(world.project));
    expect(await world.view.refresh()).toBe(false);
    await world.view.capture();
    expect(world.layer(1)).toEqual(new Map());
  });

  test("is not seen where a layer has something, nor below what a layer removed or replaced", async () => {
    const world = await begin();
    fs.writeFileSync(path.join(world.merged, "a"), "mine");
    fs.rmSync(path.join(world.merged, "d/e"), { recursive: true });
    fs.rmSync(path.join(world.merged, "empty"), { recursive: true });
    fs.writeFileSync(path.join(world.merged, "empty"), "no directory");
    await world.view.capture();
    const mine = world.tree();
    fs.writeFileSync(at(world, "a"), "theirs");
    fs.writeFileSync(at(world, "d/e/y"), "theirs");
    fs.writeFileSync(at(world, "empty/z"), "theirs");
    await world.view.refresh();
    expect(world.tree()).toEqual(mine);
    fs.writeFileSync(at(world, "d/z"), "beside");
    await world.view.refresh();
    expect(world.tree()).toEqual(new Map([...mine, ["d/z", file("beside")]]));
  });

  test("does not cost what was changed in the view and not captured yet", async () => {
    const world = await begin();
    fs.writeFileSync(path.join(world.merged, "a"), "mine");
    fs.writeFileSync(path.join(world.merged, "d/mine"), "mine");
    fs.writeFileSync(at(world, "a"), "theirs");
    fs.rmSync(at(world, "d"), { recursive: true });
    await world.view.refresh();
    expect(world.tree()).toEqual(
      new Map([
        ...without(PROJECT, "a", "d"),
        ["a", file("mine")],
        ["d", directory(0o750)],
        ["d/mine", file("mine")],
      ]),
    );
  });

  test("within the same tick of the clock is noticed", async () => {
    const world = await begin();
    for (let round = 0; round < 10; round++) {
      fs.writeFileSync(at(world, "a"), `${round}`);
      await world.view.refresh();
      expect(world.tree().get("a")).toEqual(file(`${round}`));
    }
  });

  test("of a secret is not taken in, nor what is a secret since the session was opened", async () => {
    const world = await begin();
    fs.writeFileSync(at(world, ".env"), "KEY=1");
    fs.writeFileSync(at(world, "b"), "b");
    await world.view.refresh();
    expect(world.tree().has(".env")).toBe(false);
    world.view.close();
    const isSecret = (judged: string) => protectionOf(judged === "a" ? ".env" : judged);
    const again = await openIn(world, stackOf(1), { protectionOf: isSecret });
    await again.refresh();
    expect([...world.tree().keys()].filter((name) => name.length === 1).sort()).toEqual(["b", "d", "\uDCFF"]);
  });
});
