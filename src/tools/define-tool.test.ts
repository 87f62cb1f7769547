import { expect, test } from "vitest";
import { LIMITS } from "../core/limits.ts";
import { defineTool, type Kit } from "./define-tool.ts";

const spec = {
  name: "x.y",
  description: "Test.",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  category: "info",
  danger: "safe",
  effect: "read",
  toolset: "test",
  subject: "none",
} as const;

const kit: Kit = {
  workspace: {} as Kit["workspace"],
  commands: {} as Kit["commands"],
  clock: () => new Date(0),
  limits: LIMITS.mounts,
  progress: () => {},
};
const { signal } = new AbortController();

test("a tool gets only what it declares, also at run time", () => {
  const tool = defineTool({
    ...spec,
    needs: ["clock"],
    run: (_args, given) => ({ keys: Object.keys(given) }),
  });
  expect(tool.run({}, kit, signal)).toEqual({ keys: ["clock"] });
});

test("using an undeclared capability does not compile", () => {
  defineTool({
    ...spec,
    needs: ["clock"],
    // @ts-expect-error: "workspace" is not in needs
    run: (_args, { workspace }) => ({ seen: workspace === undefined }),
  });
  defineTool({
    ...spec,
    needs: [],
    // @ts-expect-error: "clock" is not in needs
    run: (_args, { clock }) => ({ seen: clock === undefined }),
  });
  defineTool({
    ...spec,
    // @ts-expect-error: no such capability
    needs: ["network"],
    run: () => ({}),
  });
  const tool = defineTool({
    ...spec,
    needs: ["workspace", "clock"],
    run: (_args, { workspace, clock }) => ({ both: workspace !== undefined && clock !== undefined }),
  });
  expect(tool.run({}, kit, signal)).toEqual({ both: true });
});

test("the type of the arguments is the one that run and subjects say", () => {
  const tool = defineTool({
    ...spec,
    needs: [],
    subject: "path",
    subjects: (args: { path: string }) => [args.path],
    run: (args: { path: string }) => ({ upper: args.path.toUpperCase() }),
  });
  expect(tool.subjects({ path: "a" })).toEqual(["a"]);
  expect(tool.run({ path: "a" }, kit, signal)).toEqual({ upper: "A" });
});

test("what is not said has its default, and the tool can't be changed afterwards", () => {
  const tool = defineTool({ ...spec, needs: [], run: () => ({}) });
  expect([tool.listed, tool.timeoutMs]).toEqual([true, null]);
  expect([tool, tool.inputSchema, tool.inputSchema.properties].every(Object.isFrozen)).toBe(true);
});

test.each(["", "fs read", "1x", ".x", "x\n", "é", "x".repeat(65)])(
  "a name that no wire takes is refused: %j",
  (name) => {
    expect(() => defineTool({ ...spec, name, needs: [], run: () => ({}) })).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID" }),
    );
  },
);
