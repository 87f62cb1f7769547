// The clone strategy without root's rights: what its owner can't read or write is copied, captured and shown
// all the same.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { IS_ROOT } from "../../kit/is-root.ts";
import { makeCloneWorld, stackOf } from "../../kit/worlds/clone-world.ts";
import { directory, file, type PlantedTree, survey } from "../../kit/worlds/planted-tree.ts";

async function begin(project: PlantedTree) {
  const world = makeCloneWorld(project, os.tmpdir());
  onTestFinished(() => world.remove());
  const view = await world.open(stackOf(1));
  onTestFinished(() => view.close());
  const modeOf = (at: string) => fs.lstatSync(path.join(world.merged, at)).mode & 0o7777;
  return { ...world, view, modeOf };
}

test.runIf(!IS_ROOT)("read-only directories are filled, changed and emptied", async () => {
  const project: PlantedTree = new Map([
    ["d", directory(0o555)],
    ["d/e", directory(0o555)],
    ["d/e/x", file("x", 0o444)],
    ["d/y", file("y", 0o444)],
  ]);
  const world = await begin(project);
  expect(world.tree()).toEqual(project);
  fs.chmodSync(path.join(world.merged, "d"), 0o755);
  fs.unlinkSync(path.join(world.merged, "d/y"));
  fs.chmodSync(path.join(world.merged, "d"), 0o555);
  await world.view.capture();
  expect([world.layer(1), world.gone(1)]).toEqual([
    new Map([
      ["d", directory(0o555)],
      ["d/y", file("", 0o600)],
    ]),
    ["d/y"],
  ]);
  const changed = world.tree();
  await world.view.show(stackOf(2));
  expect(world.tree()).toEqual(project);
  await world.view.show(stackOf(1, 3));
  expect(world.tree()).toEqual(changed);
  fs.chmodSync(path.join(world.project, "d/e"), 0o755);
  fs.writeFileSync(path.join(world.project, "d/e/new"), "new");
  await world.view.refresh();
  expect(world.tree()).toEqual(new Map([...changed, ["d/e", directory()], ["d/e/new", file("new")]]));
  fs.chmodSync(path.join(world.merged, "d/e"), 0o555);
  fs.writeFileSync(path.join(world.dir, "showing"), "");
  await world.view.refresh();
  expect(world.tree()).toEqual(laid(survey(world.project)));
});

/** The project without what the first layer removed. */
function laid(project: PlantedTree): PlantedTree {
  return new Map([...project].filter(([at]) => at !== "d/y"));
}

test.runIf(!IS_ROOT)(
  "what can't be read in the project can't be read in the copy, and is no change",
  async () => {
    const world = await begin(
      new Map([
        ["closed", file("what nobody may read", 0o000)],
        ["d/closed", directory(0o000)],
        ["open", file("")],
      ]),
    );
    expect(["closed", "d/closed", "open"].map(world.modeOf)).toEqual([0, 0, 0o644]);
    fs.writeFileSync(path.join(world.merged, "open"), "changed");
    await world.view.capture();
    expect([...world.layer(1).keys()]).toEqual(["open"]);
    expect(await world.view.refresh()).toBe(false);
  },
);

test.runIf(!IS_ROOT)("what an agent closes to itself does not end the session", async () => {
  const world = await begin(new Map([["d/x", file("x")]]));
  const at = (name: string) => path.join(world.merged, name);
  fs.writeFileSync(at("closed"), "closed");
  fs.chmodSync(at("closed"), 0o000);
  fs.chmodSync(at("d"), 0o000);
  fs.mkdirSync(at("new"));
  fs.chmodSync(at("new"), 0o300);
  await world.view.capture();
  expect(fs.readdirSync(path.join(world.dir, "1"))).toEqual(["closed", "d", "new"]);
  await world.view.show(stackOf(2));
  expect(world.tree()).toEqual(
    new Map([
      ["d", directory()],
      ["d/x", file("x")],
    ]),
  );
  await world.view.show(stackOf(1, 3));
  expect(["closed", "d", "new"].map(world.modeOf)).toEqual([0o400, 0o500, 0o700]);
  expect(fs.readFileSync(at("d/x"), "utf8")).toBe("x");
});
