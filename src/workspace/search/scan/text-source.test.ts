import fs from "node:fs";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { assertProperty } from "../../../../test/kit/assert-property.ts";
import { queryFor } from "../../../../test/kit/search-query.ts";
import { makeHostWorld } from "../../../../test/kit/worlds/host-workspace.ts";
import { WINDOW_BYTES } from "./scan-memory.ts";
import { openText } from "./text-source.ts";

function makeWorld() {
  const world = makeHostWorld();
  onTestFinished(world.remove);
  return world;
}

function opened(content: string): number {
  const { root } = makeWorld();
  fs.writeFileSync(`${root}/f`, content);
  const fd = fs.openSync(`${root}/f`, "r");
  onTestFinished(() => fs.closeSync(fd));
  return fd;
}

test("a file is read to where nothing more comes, however little comes at once", () => {
  const source = openText(opened("abcde"));
  const bytes = Buffer.alloc(10);
  expect([source.read(bytes, 0, 3), source.ended()]).toEqual([3, false]);
  expect([source.read(bytes, 3, 7), source.ended()]).toEqual([2, false]);
  expect([source.read(bytes, 5, 5), source.ended()]).toEqual([0, true]);
});

test("where reads are known to go to the end, one that gives less than there is room for is the last", () => {
  const source = openText(opened("abcde"), true);
  const bytes = Buffer.alloc(10);
  expect([source.read(bytes, 0, 3), source.ended()]).toEqual([3, false]);
  expect([source.read(bytes, 3, 7), source.ended()]).toEqual([2, true]);
});

test("where a read may have come to what can't be read, it is not the last", () => {
  const source = openText(opened("x".repeat(4096)), true);
  const bytes = Buffer.alloc(5000);
  expect([source.read(bytes, 0, 5000), source.ended()]).toEqual([4096, false]);
  expect([source.read(bytes, 4096, 904), source.ended()]).toEqual([0, true]);
});

test("a file that goes on growing ends behind the size that it had", () => {
  const fd = opened("abcdef");
  const source = openText(fd);
  const bytes = Buffer.alloc(20);
  expect([source.read(bytes, 0, 3), source.read(bytes, 3, 3), source.ended()]).toEqual([3, 3, false]);
  fs.appendFileSync(`/proc/self/fd/${fd}`, "ghijkl");
  expect([source.read(bytes, 6, 3), source.ended()]).toEqual([3, true]);
});

test("UTF-16 is searched wherever the border of the window cuts its characters", async () => {
  const { root, open } = makeWorld();
  const workspace = open();
  onTestFinished(workspace.close);
  const search = async (text: string) => {
    fs.writeFileSync(`${root}/f`, Buffer.from(`\uFEFF${text}`, "utf16le"));
    return (await workspace.search("f", queryFor("hit", { maxLineChars: 10 }))).matches;
  };
  const fillers = fc.constantFrom("é", "漢", "🚀", "漢\n", "🚀é\n");
  const property = fc.asyncProperty(fillers, fc.nat(7), async (filler, shift) => {
    const count = Math.ceil((WINDOW_BYTES + 8) / Buffer.byteLength(filler));
    const lines = filler.endsWith("\n") ? count : 0;
    const found = await search(`${"x".repeat(shift)}${filler.repeat(count)}hit`);
    expect(found.map(({ line }) => line)).toEqual([lines + 1]);
  });
  await assertProperty(property, { numRuns: 25, examples: [["漢", 0]] });
});
