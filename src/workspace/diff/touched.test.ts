import type { Stats } from "node:fs";
import { describe, expect, test } from "vitest";
import { makeDiffWorld, withDirectories } from "../../../test/kit/diff-world.ts";
import { directory, file, type Planted, plant, symlink } from "../../../test/kit/planted-tree.ts";
import type { FileKind } from "../workspace-fs.ts";
import { touchedByLayers } from "./touched.ts";

const named = (name: string, kind: FileKind = "file") => ({ name, kind });

/** Directory to name to calls, as plain objects. */
function touched(layers: readonly [call: string | null, tree: Record<string, Planted>][]): unknown {
  const world = makeDiffWorld();
  const dirs = layers.map((_, index) => `${world.top}/${index}`);
  try {
    for (const [index, [, tree]] of layers.entries()) plant(dirs[index]!, new Map(Object.entries(tree)));
    return withDirectories(dirs, (fds) =>
      Array.from(touchedByLayers(fds.map((fd, index) => ({ fd, call: layers[index]![0] }))), (found) => [
        found.directory,
        Object.fromEntries(found.names),
      ]),
    );
  } finally {
    world.remove();
  }
}

describe("what layers touch", () => {
  test("is united by directory, with the calls of each name, oldest first, parents before children", () => {
    const found = touched([
      ["call-1", { a: file(""), "d/x": file("") }],
      ["call-2", { a: file(""), "d/e/y": symlink("a") }],
      ["call-3", { "d/x": file("") }],
    ]);
    expect(found).toEqual([
      ["", { a: ["call-1", "call-2"], d: ["call-1", "call-2", "call-3"] }],
      ["d", { x: ["call-1", "call-3"], e: ["call-2"] }],
      ["d/e", { y: ["call-2"] }],
    ]);
  });

  test("has a directory that is empty in its layer, and one that a later layer took away", () => {
    const found = touched([
      ["call-1", { "gone/x": file(""), empty: directory() }],
      ["call-2", { gone: file("") }],
    ]);
    expect(found).toEqual([
      ["", { empty: ["call-1"], gone: ["call-1", "call-2"] }],
      ["gone", { x: ["call-1"] }],
      ["empty", {}],
    ]);
  });

  test("by no call has no calls", () => {
    expect(
      touched([
        [null, { a: file("") }],
        ["call-1", { b: file("") }],
      ]),
    ).toEqual([["", { a: [], b: ["call-1"] }]]);
  });

  test("is the same of a layer that was toured before", () => {
    const stat = { nlink: 3 } as Stats;
    const toured = [
      { directory: "", names: [named("a"), named("d", "directory")], stat },
      { directory: "d", names: [named("e", "directory"), named("x")], stat },
      { directory: "d/e", names: [], stat: { nlink: 1 } as Stats },
    ];
    const known = [...touchedByLayers([{ fd: -1, call: "call-1", toured }])];
    const found = touched([["call-1", { a: file(""), "d/x": file(""), "d/e": directory() }]]);
    expect(known.map(({ directory, names }) => [directory, Object.fromEntries(names)])).toEqual(found);
    expect(known.map(({ tellsUnion }) => tellsUnion)).toEqual([true, true, false]);
  });

  test("without layers is an untouched root", () => {
    expect(touched([])).toEqual([["", {}]]);
  });

  test("leaves out hotcell's own temporary files, and keeps odd names", () => {
    const found = touched([["call-1", { ".hotcell-tmp-1": file(""), "\uDCFF/x": file("") }]]);
    expect(found).toEqual([
      ["", { "\uDCFF": ["call-1"] }],
      ["\uDCFF", { x: ["call-1"] }],
    ]);
  });
});
