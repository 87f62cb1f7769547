// A copy of a layer on another file system, where its files can't have further names.
import fs from "node:fs";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { copyLayer } from "../../src/workspace/session/copy-layer.ts";
import { MEMORY_DIR } from "../kit/memory-dir.ts";
import { survey } from "../kit/planted-tree.ts";
import { tempDir } from "../kit/temp-cell.ts";

function makeLayer(): { readonly from: string; readonly to: string } {
  const [from, to] = [tempDir(MEMORY_DIR), `${tempDir()}/copy`];
  fs.mkdirSync(`${from}/d`);
  fs.writeFileSync(`${from}/d/f`, "text", { mode: 0o600 });
  fs.symlinkSync("d/f", `${from}/link`);
  return { from, to };
}

test("it is made while others have their turn", async () => {
  const { from, to } = makeLayer();
  let hasEnded = false;
  const copying = copyLayer(from, to).then(() => {
    hasEnded = true;
  });
  await setImmediate();
  expect(hasEnded).toBe(false);
  await copying;
  expect(survey(to)).toEqual(survey(from));
});

test("it leaves nothing behind when it is called off", async () => {
  const { from, to } = makeLayer();
  const controller = new AbortController();
  const copying = copyLayer(from, to, controller.signal);
  controller.abort(new Error("enough"));
  await expect(copying).rejects.toThrow("enough");
  expect(fs.existsSync(to)).toBe(false);
});
