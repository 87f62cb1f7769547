// Two states of a session of the clone strategy, as a diff takes them.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeCloneWorld, SESSION, stackOf } from "../../../test/kit/clone-world.ts";
import { directory, file, survey } from "../../../test/kit/planted-tree.ts";
import { processToken } from "../../core/lock.ts";
import type { SessionRecord } from "../session/record.ts";
import { openCloneSides } from "./clone-sides.ts";

const STACK = stackOf(1, 2, 3);

/** Three layers: what they did is in the order of the tests below. */
async function begin() {
  const world = makeCloneWorld(
    new Map([
      [".env", file("KEY=1")],
      ["a", file("a\n")],
      ["d/x", file("x\n")],
      ["d/e/y", file("y\n")],
    ]),
  );
  onTestFinished(() => world.remove());
  const at = (name: string) => path.join(world.merged, name);
  const view = await world.open(stackOf(1));
  fs.writeFileSync(at("a"), "1\n");
  fs.rmSync(at("d"), { recursive: true });
  await view.capture();
  await view.show(stackOf(1, 2));
  fs.mkdirSync(at("d"));
  fs.writeFileSync(at("d/x"), "again\n");
  fs.writeFileSync(at(".env"), "mine");
  await view.capture();
  await view.show(STACK);
  fs.writeFileSync(at("a"), "3\n");
  fs.chmodSync(at("d/x"), 0o755);
  await view.capture();
  view.close();
  const record = { id: SESSION, workspace: world.project, stack: STACK } as unknown as SessionRecord;
  const leftovers = () => fs.readdirSync(world.dir).filter((name) => name.startsWith("sides."));
  return { ...world, record, leftovers };
}

describe("the changes", () => {
  test.each([
    ["of the first layer", 0, 1, ["modified a", "deleted d", "deleted d/e", "deleted d/e/y", "deleted d/x"]],
    ["of the second", 1, 2, ["added d", "added d/x"]],
    ["of the third", 2, 3, ["modified a", "mode d/x"]],
    ["of the first two", 0, 2, ["modified a", "deleted d/e", "deleted d/e/y", "modified d/x"]],
    ["of the last two", 1, 3, ["modified a", "added d", "added d/x"]],
    ["against the project", null, 2, ["modified a", "deleted d/e", "deleted d/e/y", "modified d/x"]],
    ["of all", null, 3, ["modified a", "deleted d/e", "deleted d/e/y", "modified d/x"]],
  ] as const)("%s are told", async (_, below, upTo, expected) => {
    const { changes, leftovers } = await begin();
    expect(await changes(STACK, { below, upTo })).toEqual(expected);
    expect(leftovers()).toEqual([]);
  });

  test("of all are told from the layers while the working copy is not whole", async () => {
    const { changes, dir, merged } = await begin();
    fs.writeFileSync(path.join(dir, "showing"), "");
    fs.rmSync(path.join(merged, "a"));
    expect(await changes(STACK, { below: null, upTo: 3 })).toEqual([
      "modified a",
      "deleted d/e",
      "deleted d/e/y",
      "modified d/x",
    ]);
  });
});

describe("the sides of a layer", () => {
  test("have only what it touched, and never a secret of the project", async () => {
    const { record, stateDir, dir, leftovers } = await begin();
    const sides = await openCloneSides(record, stateDir, { below: 1, upTo: 2 });
    const [name] = leftovers();
    expect(fs.statSync(path.join(dir, name!)).mode & 0o777).toBe(0o700);
    expect(survey(sides.before.path)).toEqual(new Map());
    expect(survey(sides.after.path)).toEqual(
      new Map([
        [".env", file("mine")],
        ["d", directory()],
        ["d/x", file("again\n")],
      ]),
    );
    sides.close();
    expect(leftovers()).toEqual([]);
  });

  test("are cleared away by the next one when their process was killed", async () => {
    const { record, stateDir, dir, leftovers } = await begin();
    const ours = `sides.${processToken()}`;
    const dead = "sides.1:1:no-such-boot:1:0";
    for (const name of [ours, dead]) fs.mkdirSync(path.join(dir, name, "before/d"), { recursive: true });
    fs.chmodSync(path.join(dir, dead, "before/d"), 0o500);
    const sides = await openCloneSides(record, stateDir, { below: 0, upTo: 1 });
    sides.close();
    expect(leftovers()).toEqual([ours]);
  });
});
