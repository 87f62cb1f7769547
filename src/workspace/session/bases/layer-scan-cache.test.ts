import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeTree } from "../../../../test/kit/remove-tree.ts";
import { fileClock } from "../../fs/file-clock.ts";
import { openRoot } from "../../fs/paths.ts";
import { sessionDir } from "../../layers/record.ts";
import { makeSession } from "../../layers/session-dirs.ts";
import { newRecord } from "../../layers/stack.ts";
import { createLayerScanCache, type LayerScanCache } from "./layer-scan-cache.ts";

/** A project and a live layer, both with `a/b` and `c`. */
function makeWorld() {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-looked-"));
  const [at, stateDir] = [path.join(top, "project"), path.join(top, "state")];
  const record = newRecord("one", at, "kernel", 0);
  makeSession(record, stateDir);
  const layer = path.join(sessionDir(stateDir, "one"), record.stack[0]!.name);
  for (const root of [at, layer])
    for (const directory of ["a/b", "c"]) fs.mkdirSync(path.join(root, directory), { recursive: true });
  const project = openRoot(at);
  onTestFinished(() => {
    fs.closeSync(project.fd);
    removeTree(top);
  });
  const tick = () => {
    for (const began = fileClock(stateDir); fileClock(stateDir) <= began; );
  };
  tick();
  const begin = (looked: LayerScanCache) => {
    const { changed, done } = looked.look(record.stack[0]!, stateDir, project);
    return { found: changed.map(({ directory }) => directory), done };
  };
  const look = (looked: LayerScanCache): string[] => {
    const { found, done } = begin(looked);
    done();
    return found;
  };
  return { at, layer, live: record.stack[0]!, tick, begin, look };
}

test("all directories are looked at once", () => {
  const { look } = makeWorld();
  const looked = createLayerScanCache();
  expect([look(looked), look(looked)]).toEqual([["", "a", "a/b", "c"], []]);
});

test.each([
  ["in the layer", "layer"],
  ["in the project", "at"],
] as const)("a directory is looked at again when a name comes or goes %s", (_, where) => {
  const { look, tick, ...world } = makeWorld();
  const looked = createLayerScanCache();
  look(looked);
  fs.writeFileSync(path.join(world[where], "a/b/new"), "");
  tick();
  const afterNew = look(looked);
  fs.unlinkSync(path.join(world[where], "a/b/new"));
  expect([afterNew, look(looked)]).toEqual([["a/b"], ["a/b"]]);
});

test("another directory of the same name is looked at", () => {
  const { at, look, tick } = makeWorld();
  const looked = createLayerScanCache();
  look(looked);
  fs.renameSync(path.join(at, "c"), path.join(at, "d"));
  fs.mkdirSync(path.join(at, "c"));
  tick();
  expect(look(looked)).toEqual(["", "c"]);
});

test("what was found is found again until the look is done", () => {
  const { begin } = makeWorld();
  const looked = createLayerScanCache();
  const all = ["", "a", "a/b", "c"];
  const [first, second] = [begin(looked), begin(looked)];
  expect([first.found, second.found]).toEqual([all, all]);
  second.done();
  expect(begin(looked).found).toEqual([]);
});

test("after forgetting all directories are looked at", () => {
  const { look } = makeWorld();
  const looked = createLayerScanCache();
  look(looked);
  looked.forget();
  expect(look(looked)).toEqual(["", "a", "a/b", "c"]);
});
