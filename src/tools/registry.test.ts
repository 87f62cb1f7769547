import { describe, expect, test } from "vitest";
import { BUILTIN_TOOLS } from "./builtin-tools.ts";
import { defineTool, type Tool } from "./define-tool.ts";
import { createRegistry, type Registry } from "./registry.ts";

const MOUNT_TOOLS = BUILTIN_TOOLS.filter(({ toolset }) => toolset === "mounts");

function registryOf(tools: readonly Tool[]): Registry {
  const registry = createRegistry();
  for (const tool of tools) registry.register(tool);
  return registry;
}

function named(name: string, listed = true): Tool {
  return defineTool({
    name,
    description: "Test.",
    input: { type: "object" },
    category: "info",
    danger: "safe",
    effect: "read",
    toolset: "test",
    listed,
    needs: [],
    subject: "none",
    run: () => ({}),
  });
}

const names = (tools: readonly Tool[]) => tools.map((tool) => tool.name);
const studio = () =>
  registryOf(BUILTIN_TOOLS.filter(({ toolset }) => toolset === "studio" || toolset === "web"));

describe("list", () => {
  test("AC-8: without a scope all four core tools are listed", () => {
    expect(names(studio().list(null))).toEqual(["file_read", "file_write", "bash", "web_search"]);
    expect(studio().list()).toEqual(studio().list(null));
  });

  test("AC-9: a scope that allows two tools lists those two", () => {
    const permissions = {
      file_read: { allowed: true },
      web_search: { allowed: true },
      bash: { allowed: false },
    };
    expect(names(studio().list({ permissions }))).toEqual(["file_read", "web_search"]);
  });

  test("AC-10: a scope with empty permissions lists the safe defaults", () => {
    expect(names(studio().list({ permissions: {} }))).toEqual(["file_read", "web_search"]);
  });

  test("a tool that is not listed answers when called", () => {
    const registry = registryOf([named("time.now", false), named("a")]);
    expect(names(registry.list())).toEqual(["a"]);
    expect(registry.get("time.now")?.name).toBe("time.now");
  });
});

test("AC-11: adding an MCP server is an error that says it is not implemented", () => {
  expect(() => createRegistry().registerMcp("server")).toThrow(
    expect.objectContaining({
      code: "NOT_SUPPORTED",
      message: 'Could not add the MCP server "server": not implemented.',
    }),
  );
});

describe("get", () => {
  const registry = registryOf(MOUNT_TOOLS);

  test.each([
    ["fs.read", "fs.read"],
    ["fs_read", "fs.read"],
    ["fs.apply_patch", "fs.apply_patch"],
    ["fs_apply_patch", "fs.apply_patch"],
  ])("understands %s", (name, expected) => {
    expect(registry.get(name)?.name).toBe(expected);
  });

  test.each(["constructor", "__proto__", "toString", "FS.READ", "fs.read ", "fs", "fs.apply.patch", ""])(
    "knows no tool %j",
    (name) => {
      expect(registry.get(name)).toBeUndefined();
    },
  );
});

describe("register", () => {
  test.each([
    ["fs.read", "fs.read"],
    ["fs.read", "fs_read"],
    ["a_b.c", "a.b_c"],
  ])("%s and then %s is a duplicate, and changes nothing", (first, second) => {
    const registry = registryOf([named(first)]);
    expect(() => registry.register(named(second))).toThrow(
      expect.objectContaining({
        code: "DUPLICATE_TOOL",
        message: `Could not register the tool "${second}" of the toolset "test": the toolset "test" already has "${first}". Load one of the two toolsets, or give your own tool another name.`,
      }),
    );
    expect(names(registry.list())).toEqual([first]);
  });
});

describe("nearest", () => {
  test.each([
    ["file_raed", "file_read"],
    ["FileRead", "file_read"],
    ["websearch", "web_search"],
  ])("a wrong name %s was probably %s", (wrong, meant) => {
    expect(studio().nearest(wrong)[0]).toBe(meant);
  });

  test.each([
    ["fs.lisst", "fs.list"],
    ["fs_lisst", "fs_list"],
  ])("has the spelling of the wrong name: %s was probably %s", (wrong, meant) => {
    expect(registryOf(MOUNT_TOOLS).nearest(wrong)[0]).toBe(meant);
  });

  test("names only what the scope permits", () => {
    expect(studio().nearest("file_writ", { permissions: {} })).not.toContain("file_write");
    expect(studio().nearest("file_writ")).toContain("file_write");
  });
});
