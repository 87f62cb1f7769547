import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type AttributeOrder, overlayAttributes } from "../../../src/workspace/layers/overlay-attributes.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

function makeLayer() {
  const top = tempDir();
  const [layer, outside] = [path.join(top, "layer"), path.join(top, "outside")];
  for (const dir of [`${layer}/a`, `${layer}/b`, `${outside}/deep`]) fs.mkdirSync(dir, { recursive: true });
  return { layer, outside };
}

const enterAndAsk = (name: string): AttributeOrder[] => [["enter", name], ["ask"], ["leave"]];

test("an opaque directory is recognized", async () => {
  const { layer } = makeLayer();
  await overlayAttributes([["layer", layer], ["enter", "b"], ["opaque"], ["leave"]]);
  const asked: AttributeOrder[] = [["layer", layer], ...enterAndAsk("a"), ...enterAndAsk("b")];
  expect(await overlayAttributes(asked)).toEqual([false, true]);
});

test("a link in place of a directory is not followed, and the answers for later directories are right", async () => {
  const { layer, outside } = makeLayer();
  for (const dir of [layer, outside])
    await overlayAttributes([["layer", dir], ["enter", dir === layer ? "b" : "deep"], ["opaque"], ["leave"]]);
  fs.rmdirSync(path.join(layer, "a"));
  fs.symlinkSync(path.join(outside, "deep"), path.join(layer, "a"));
  const asked: AttributeOrder[] = [["layer", layer], ...enterAndAsk("a"), ...enterAndAsk("b")];
  expect(await overlayAttributes(asked)).toEqual([false, true]);
});

test("attributes of a directory that is to be read-only are set before its mode", async () => {
  const { layer } = makeLayer();
  await overlayAttributes([["layer", layer], ["enter", "b"], ["opaque"], ["chmod", "555"], ["leave"]]);
  expect(fs.statSync(path.join(layer, "b")).mode & 0o777).toBe(0o555);
});
