import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openTempCell } from "../../../test/kit/worlds/temp-cell.ts";
import { makeToolFolder } from "../../../test/kit/worlds/wasm-tool-folder.ts";
import type { Capabilities } from "./grant.ts";
import { MANIFEST_SCHEMA } from "./manifest-schema.ts";
import { wasmTool } from "./wasm-tool.ts";

const JS = { js: "export default () => ({})" };
const load = async (manifest: object) => wasmTool({ path: await makeToolFolder(JS, manifest) });

describe("a manifest", () => {
  test.each([
    [
      "wasm-114",
      { limits: { memory: 5000 } },
      '"limits.memory" at line 1 is 5000; allowed are whole numbers from 1 to 4096',
    ],
    [
      "wasm-115",
      { limits: { timeout: 0 } },
      '"limits.timeout" at line 1 is 0; allowed are numbers from 0.001 to 3600',
    ],
    ["wasm-115", { limits: { timeout: -1 } }, '"limits.timeout"'],
    ["wasm-115", { limits: { timeout: 1e12 } }, '"limits.timeout"'],
    ["wasm-116", { capabilities: { filesystem: "/" } }, 'is "/"; allowed are "none", "read", "write"'],
    ["wasm-117", { entry: "../../x.wasm" }, 'allowed are "tool.wasm", "tool.js"'],
    ["wasm-120", { name: "__proto__" }, '"name"'],
    ["wasm-120", { name: "rеad_file" }, '"name"'],
    ["wasm-121", { sha256: "0".repeat(64) }, '"sha256" is "0000'],
    ["wasm-123", { capabilities: { root: true } }, '"capabilities.root" at line 1 is no setting'],
    ["a host that is none", { capabilities: { network: ["a b"] } }, '"capabilities.network" has "a b"'],
    ["a network that is none", { capabilities: { network: 3 } }, '"capabilities.network" is 3'],
    [
      "wasm-125",
      { inputSchema: { type: "object", properties: { a: { pattern: "^(a+)+$" } } } },
      '"inputSchema" has the pattern "^(a+)+$"',
    ],
    [
      "wasm-125",
      { outputSchema: { type: "object", patternProperties: { "(a|a)*b": {} } } },
      '"outputSchema" has the pattern',
    ],
    ["no version", { version: undefined }, 'has no "version"'],
    [
      "an input that is no object",
      { inputSchema: { type: "string" } },
      '"inputSchema.type" is "string"; allowed is "object"',
    ],
  ])("that is wrong stops the start, with key, found and allowed: %s", async (_id, manifest, message) => {
    await expect(load(manifest)).rejects.toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining(message) }),
    );
  });

  test("with harmless patterns is taken", async () => {
    const properties = { a: { type: "string", pattern: "^[a-z]+(-[a-z]{1,8}){0,3}$" } };
    expect((await load({ inputSchema: { type: "object", properties } })).name).toBe("tested");
  });

  test("wasm-118 whose code is a link is refused", async () => {
    const dir = await makeToolFolder(JS);
    fs.renameSync(path.join(dir, "tool.js"), path.join(dir, "real.js"));
    fs.symlinkSync("real.js", path.join(dir, "tool.js"));
    expect(() => wasmTool({ path: dir })).toThrow("It must be a file, not a link");
  });

  test("wasm-119 with the name of a loaded tool is refused when the cell is opened", async () => {
    const tool = await load({ name: "read_file" });
    await expect(openTempCell({ tools: [tool] })).rejects.toMatchObject({ code: "DUPLICATE_TOOL" });
  });

  test.each(["file:///etc/passwd", "http://127.0.0.1/schema.json"])(
    "wasm-124 whose schema refers to %s is refused",
    async ($ref) => {
      const tool = await load({ inputSchema: { type: "object", properties: { a: { $ref } } } });
      await expect(openTempCell({ tools: [tool] })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    },
  );

  test("whose output schema cannot be used stops the start, also if a built-in tool has the same input", async () => {
    const inputSchema = { type: "object", properties: {}, additionalProperties: false };
    const outputSchema = { type: "object", properties: { a: { type: "strng" } } };
    const tool = await load({ inputSchema, outputSchema });
    await expect(openTempCell({ tools: [tool] })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("output schema"),
    });
  });

  test("the published schema has every key with a description", () => {
    for (const [key, schema] of Object.entries(MANIFEST_SCHEMA.properties))
      expect([key, schema.description]).toEqual([key, expect.any(String)]);
  });
});

test("a module that hotcell does not run stops the start, with the tool, the file, the section, found and allowed", async () => {
  const wat = `(module (import "hotcell" "call" (func (param i64))) (memory (export "memory") 1) (func (export "_start")))`;
  const path = await makeToolFolder({ wat });
  expect(() => wasmTool({ path })).toThrow(
    expect.objectContaining({
      code: "INVALID_MODULE",
      message: `Could not load the tool "tested" from "${path}/tool.wasm": its import section has the import "hotcell"."call" of the type (i64) -> (); allowed is (i32, i32, i32, i32, i32, i32) -> (i32).`,
      details: {
        section: "import section",
        found: expect.stringContaining("(i64) -> ()"),
        allowed: expect.stringContaining("i32"),
      },
    }),
  );
});

test.each([
  [{ filesystem: "wrte" }, 'filesystem is "wrte"; allowed are "none", "read", "write"'],
  [{ filesytem: "read" }, 'filesytem is no setting; perhaps "filesystem"'],
  [{ network: ["a b"] }, 'network has "a b"'],
])("a grant that is wrong stops the start, with key, found and allowed: %j", async (grant, message) => {
  const dir = await makeToolFolder(JS, { capabilities: { filesystem: "write" } });
  expect(() => wasmTool({ path: dir, grant: grant as Capabilities })).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining(message) }),
  );
});

test("capabilities decide what a call may change, and whether guided asks", async () => {
  const asks = { model_access: true, network: ["example.com"], filesystem: "write" };
  const dir = await makeToolFolder(JS, { capabilities: asks });
  const of = (grant: Capabilities) => {
    const { needs, effect, danger, contained } = wasmTool({ path: dir, grant });
    return { needs: needs.join(), effect, danger, contained };
  };
  expect(of({})).toEqual({ needs: "guests", effect: "read", danger: "safe", contained: true });
  expect(of({ filesystem: "read" })).toEqual({
    needs: "guests,workspace",
    effect: "read",
    danger: "safe",
    contained: true,
  });
  expect(of({ filesystem: "write" })).toEqual({
    needs: "guests,workspace",
    effect: "change",
    danger: "dangerous",
    contained: true,
  });
  expect(of({ model_access: true })).toEqual({
    needs: "guests,model",
    effect: "change",
    danger: "dangerous",
    contained: false,
  });
  expect(of({ network: ["example.com"] })).toEqual({
    needs: "guests,http",
    effect: "change",
    danger: "dangerous",
    contained: false,
  });
});
