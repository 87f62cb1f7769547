// What a capture puts into the live layer.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CloneWorld, makeCloneWorld, stackOf } from "../../../test/kit/worlds/clone-world.ts";
import {
  directory,
  file,
  type Planted,
  type PlantedTree,
  symlink,
} from "../../../test/kit/worlds/planted-tree.ts";
import { runToEnd } from "../fs/cooperative.ts";
import { osPath } from "../fs/names.ts";
import { pathsIn } from "../layers/layer-dirs.ts";
import type { SessionView } from "./session-view.ts";

const PROJECT: PlantedTree = new Map([
  ["a", file("a\n")],
  ["d", directory(0o750)],
  ["d/x", file("x\n")],
  ["d/e/y", file("y\n")],
  ["link", symlink("a")],
  ["\uDCFF", file("odd")],
]);

const GONE = file("", 0o600);

interface Opened extends CloneWorld {
  readonly view: SessionView;
}

async function begin(): Promise<Opened> {
  const world = makeCloneWorld(PROJECT);
  onTestFinished(() => world.remove());
  const view = await world.open(stackOf(1));
  onTestFinished(() => view.close());
  return { ...world, view };
}

interface Row {
  readonly change: string;
  readonly does: (at: (name: string) => string) => void;
  readonly layer: Readonly<Record<string, Planted>>;
  readonly gone?: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    change: "a file that is written",
    does: (at) => fs.writeFileSync(at("d/x"), "new"),
    layer: { d: directory(0o750), "d/x": file("new") },
  },
  {
    change: "a mode, setuid and all",
    does: (at) => fs.chmodSync(at("a"), 0o4711),
    layer: { a: file("a\n", 0o4711) },
  },
  {
    change: "a directory's mode",
    does: (at) => fs.chmodSync(at("d"), 0o700),
    layer: { d: directory(0o700) },
  },
  {
    change: "a new file, an empty directory, a link",
    does(at) {
      fs.mkdirSync(at("new/empty"), { recursive: true });
      fs.writeFileSync(at("new/f"), "f");
      fs.symlinkSync("f", at("new/l"));
    },
    layer: { new: directory(), "new/empty": directory(), "new/f": file("f"), "new/l": symlink("f") },
  },
  {
    change: "a link that leads elsewhere",
    does(at) {
      fs.unlinkSync(at("link"));
      fs.symlinkSync("d", at("link"));
    },
    layer: { link: symlink("d") },
  },
  { change: "a file that is gone", does: (at) => fs.unlinkSync(at("a")), layer: { a: GONE }, gone: ["a"] },
  {
    change: "a name that is not UTF-8 and gone",
    does: (at) => fs.unlinkSync(osPath(at("\uDCFF"))),
    layer: { "\uDCFF": GONE },
    gone: ["\uDCFF"],
  },
  {
    change: "a directory that is gone, as one name",
    does: (at) => fs.rmSync(at("d"), { recursive: true }),
    layer: { d: GONE },
    gone: ["d"],
  },
  {
    change: "a recreated directory, with its removed children",
    does(at) {
      fs.rmSync(at("d"), { recursive: true });
      fs.mkdirSync(at("d"));
      fs.writeFileSync(at("d/x"), "other");
    },
    layer: { d: directory(), "d/x": file("other"), "d/e": GONE },
    gone: ["d/e"],
  },
  {
    change: "a directory that became a file",
    does(at) {
      fs.rmSync(at("d"), { recursive: true });
      fs.writeFileSync(at("d"), "");
    },
    layer: { d: file("") },
  },
  {
    change: "a file that became a directory",
    does(at) {
      fs.unlinkSync(at("a"));
      fs.mkdirSync(at("a"));
    },
    layer: { a: directory() },
  },
  {
    change: "a directory that was renamed, with all that is in it",
    does: (at) => fs.renameSync(at("d"), at("moved")),
    layer: {
      d: GONE,
      moved: directory(0o750),
      "moved/x": file("x\n"),
      "moved/e": directory(),
      "moved/e/y": file("y\n"),
    },
    gone: ["d"],
  },
];

describe("a capture", () => {
  test.each(ROWS)("has $change", async ({ does, layer, gone = [] }) => {
    const world = await begin();
    does((name) => path.join(world.merged, name));
    await world.view.capture();
    expect(world.layer(1)).toEqual(new Map(Object.entries(layer)));
    expect(world.gone(1)).toEqual(gone);
  });

  test("of nothing leaves an empty layer, and touches no file", async () => {
    const { view, dir, layer } = await begin();
    const before = fs.statSync(path.join(dir, "merged.json")).ino;
    await view.capture();
    expect([layer(1), fs.statSync(path.join(dir, "merged.json")).ino]).toEqual([new Map(), before]);
  });

  test("takes the second of two writes within one tick of the clock, of the same length", async () => {
    const { view, merged, layer } = await begin();
    for (let round = 0; round < 10; round++) {
      fs.writeFileSync(path.join(merged, "a"), `${round}`);
      await view.capture();
      expect(layer(1).get("a")).toEqual(file(`${round}`));
    }
  });

  test("has the last state of what was changed again and again in one layer", async () => {
    const { view, merged, layer, gone } = await begin();
    const at = (name: string) => path.join(merged, name);
    const steps: readonly (readonly [() => void, Readonly<Record<string, Planted>>, readonly string[]])[] = [
      [
        () => fs.writeFileSync(at("d/e/y"), "1"),
        { d: directory(0o750), "d/e": directory(), "d/e/y": file("1") },
        [],
      ],
      [() => fs.rmSync(at("d/e"), { recursive: true }), { d: directory(0o750), "d/e": GONE }, ["d/e"]],
      [() => fs.rmSync(at("d"), { recursive: true }), { d: GONE }, ["d"]],
      [
        () => fs.mkdirSync(at("d/e"), { recursive: true }),
        { d: directory(), "d/x": GONE, "d/e": directory(), "d/e/y": GONE },
        ["d/x", "d/e/y"],
      ],
      [
        () => fs.writeFileSync(at("d/e/y"), "2"),
        { d: directory(), "d/x": GONE, "d/e": directory(), "d/e/y": file("2") },
        ["d/x"],
      ],
      [() => fs.rmSync(at("d"), { recursive: true }), { d: GONE }, ["d"]],
      [() => fs.writeFileSync(at("d"), "3"), { d: file("3") }, []],
      [() => fs.writeFileSync(at("new"), "4"), { d: file("3"), new: file("4") }, []],
      [() => fs.unlinkSync(at("new")), { d: file("3") }, []],
    ];
    for (const [step, expected, expectedGone] of steps) {
      step();
      await view.capture();
      expect(layer(1)).toEqual(new Map(Object.entries(expected)));
      expect(gone(1).sort()).toEqual([...expectedGone].sort());
    }
  });

  test("hides what a layer below has, and names what is not seen of the project though that one removed it already", async () => {
    const { view, merged, layer, gone } = await begin();
    const at = (name: string) => path.join(merged, name);
    fs.writeFileSync(at("new"), "n");
    fs.rmSync(at("d"), { recursive: true });
    await view.capture();
    await view.show(stackOf(1, 2));
    fs.unlinkSync(at("new"));
    fs.mkdirSync(at("d"));
    await view.capture();
    expect([layer(2), gone(2).sort()]).toEqual([
      new Map([
        ["new", GONE],
        ["d", directory()],
        ["d/e", GONE],
        ["d/x", GONE],
      ]),
      ["d/e", "d/x", "new"],
    ]);
  });

  test("has exactly the paths that a diff examines", async () => {
    const { view, merged, stateDir, changes } = await begin();
    fs.writeFileSync(path.join(merged, "d/x"), "new");
    fs.rmSync(path.join(merged, "d/e"), { recursive: true });
    await view.capture();
    expect(stackOf(1).flatMap((layer) => runToEnd(pathsIn(layer, stateDir)))).toEqual(["d", "d/e", "d/x"]);
    expect(await changes(stackOf(1), { below: null, upTo: 1 })).toEqual([
      "deleted d/e",
      "deleted d/e/y",
      "modified d/x",
    ]);
  });

  test("passes over special files, and names that hotcell itself makes", async () => {
    const { view, merged, layer } = await begin();
    fs.writeFileSync(path.join(merged, ".hotcell-tmp-1"), "half");
    execFileSync("mkfifo", [path.join(merged, "fifo")]);
    await view.capture();
    expect(layer(1)).toEqual(new Map());
  });

  test("that was interrupted is right after the next one, whatever was done in between", async () => {
    const { view, merged, dir, layer, gone, open } = await begin();
    const at = (name: string) => path.join(merged, name);
    fs.writeFileSync(at("kept"), "k");
    await view.capture();
    view.close();
    // What a capture was about to record when it was killed, and what is not so any more.
    fs.writeFileSync(path.join(dir, "capturing"), "");
    fs.writeFileSync(path.join(dir, "1/created-and-removed"), "half");
    fs.writeFileSync(path.join(dir, "1/a"), "");
    fs.mkdirSync(path.join(dir, "1/d"), { mode: 0o700 });
    fs.writeFileSync(path.join(dir, "1.gone"), '["a"]');
    fs.unlinkSync(at("link"));
    (await open(stackOf(1))).close();
    expect([layer(1), gone(1), fs.existsSync(path.join(dir, "capturing"))]).toEqual([
      new Map([
        ["kept", file("k")],
        ["a", file("a\n")],
        ["d", directory(0o750)],
        ["link", GONE],
      ]),
      ["link"],
      false,
    ]);
  });

  test("that failed is done before another stack is shown", async () => {
    const { view, merged, dir, layer, tree } = await begin();
    fs.writeFileSync(path.join(merged, "a"), "1");
    fs.mkdirSync(path.join(dir, "1.gone.new"));
    await expect(view.capture()).rejects.toThrow("EISDIR");
    fs.unlinkSync(path.join(merged, "a"));
    await expect(view.show(stackOf(1, 2))).rejects.toThrow("EISDIR");
    fs.rmdirSync(path.join(dir, "1.gone.new"));
    await view.show(stackOf(1, 2));
    expect([layer(1), tree().has("a")]).toEqual([new Map([["a", GONE]]), false]);
  });
});
