import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import wabt from "wabt";
import { FINDER_WASM } from "./finder.gen.ts";

test("the precompiled finder is that of finder.wat; else run `npm run precompile`", async () => {
  const source = readFileSync(new URL("./finder.wat", import.meta.url), "utf8");
  const { parseWat } = await wabt();
  const { buffer } = parseWat("finder.wat", source).toBinary({});
  expect(FINDER_WASM).toBe(Buffer.from(buffer).toString("base64"));
});
