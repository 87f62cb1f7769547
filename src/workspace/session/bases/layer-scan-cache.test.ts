import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeTree } from "../../../../test/kit/remove-tree.ts";
import { runToEnd } from "../../fs/cooperative.ts";
import { fileClock } from "../../fs/file-clock.ts";
import { openRoot } from "../../fs/paths.ts";
import { sessionDir } from "../../layers/record.ts";
import { makeSession } from "../../layers/session-dirs.ts";
import { newRecord } from "../../layers/stack.ts";
import { createLayerScanCache, type LayerScanCache } from "./layer-scan-cache.ts";

/** A project and a live layer, both with `a/b` and `c`. */
function makeWorld() {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-layer-scan-"));
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
  const begin = (cache: LayerScanCache) => {
    const { changed, done } = runToEnd(cache.scan(record.stack[0]!, stateDir, project));
    return { found: changed.map(({ directory }) => directory), done };
  };
  const look = (cache: LayerScanCache): string[] => {
    const { found, done } = begin(cache);
    done();
    return found;
  };
  return { at, layer, live: record.stack[0]!, tick, begin, look };
}

test("each directory is scanned once", () => {
  const { look } = makeWorld();
  const cache = createLayerScanCache();
  expect([look(cache), look(cache)]).toEqual([["", "a", "a/b", "c"], []]);
});

test.each([
  ["in the layer", "layer"],
  ["in the project", "at"],
] as const)("a directory is scanned again when a name is added or removed %s", (_, where) => {
  const { look, tick, ...world } = makeWorld();
  const cache = createLayerScanCache();
  look(cache);
  fs.writeFileSync(path.join(world[where], "a/b/new"), "");
  tick();
  const afterNew = look(cache);
  fs.unlinkSync(path.join(world[where], "a/b/new"));
  expect([afterNew, look(cache)]).toEqual([["a/b"], ["a/b"]]);
});

test("another directory of the same name is scanned", () => {
  const { at, look, tick } = makeWorld();
  const cache = createLayerScanCache();
  look(cache);
  fs.renameSync(path.join(at, "c"), path.join(at, "d"));
  fs.mkdirSync(path.join(at, "c"));
  tick();
  expect(look(cache)).toEqual(["", "c"]);
});

test("what was found is found again until the look is done", () => {
  const { begin } = makeWorld();
  const cache = createLayerScanCache();
  const all = ["", "a", "a/b", "c"];
  const [first, second] = [begin(cache), begin(cache)];
  expect([first.found, second.found]).toEqual([all, all]);
  second.done();
  expect(begin(cache).found).toEqual([]);
});

test("after forget() all directories are scanned", () => {
  const { look } = makeWorld();
  const cache = createLayerScanCache();
  look(cache);
  cache.forget();
  expect(look(cache)).toEqual(["", "a", "a/b", "c"]);
});
