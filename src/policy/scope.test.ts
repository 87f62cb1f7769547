import { describe, expect, test } from "vitest";
import { permits, scopePaths, scopeTimeoutMs, type ToolScope } from "./scope.ts";
import { KNOWN_TOOLS } from "./tool-names.ts";

const permitted = (scope: ToolScope | null | undefined) =>
  [...KNOWN_TOOLS.map(({ name }) => name), "constructor", "__proto__"].filter((tool) => permits(scope, tool));

describe("a scope", () => {
  test("AC-8 that is not there permits every tool", () => {
    expect(permitted(null)).toHaveLength(KNOWN_TOOLS.length + 2);
    expect(permitted(undefined)).toHaveLength(KNOWN_TOOLS.length + 2);
  });

  test("AC-9 permits only the tools that it allows", () => {
    const scope = {
      permissions: { file_read: { allowed: true }, web_search: { allowed: true }, bash: { allowed: false } },
    };
    expect(permitted(scope)).toEqual(["file_read", "web_search"]);
  });

  test("AC-10 without permissions permits the safe tools", () => {
    expect(permitted({ permissions: {} })).toEqual([
      ...["read_file", "list_directory", "find_files", "search_files", "fs.list", "fs.read", "fs.search"],
      ...["file_read", "web_search", "time.now"],
    ]);
  });

  test("knows a tool by both of its names", () => {
    expect(permits({ permissions: { fs_read: { allowed: true } } }, "fs.read")).toBe(true);
    expect(permits({ permissions: { "fs.read": { allowed: true } } }, "fs_read")).toBe(true);
    expect(permits({ permissions: {} }, "fs_read")).toBe(true);
  });
});

describe("paths of a scope", () => {
  const paths = (...given: string[]) =>
    scopePaths({ permissions: { read_file: { allowed: true, paths: given } } }, "read_file");

  test("are not narrowed where it says nothing", () => {
    expect(scopePaths(null, "read_file")).toBeNull();
    expect(scopePaths({ permissions: { read_file: { allowed: true } } }, "read_file")).toBeNull();
    expect(scopePaths({ permissions: {} }, "constructor")).toBeNull();
  });

  test.each([
    [["src"], ["src", "src/a/b"], ["srcs", "a/src", "."]],
    [["src/", "./docs"], ["src/a", "docs/a"], ["a"]],
    [["*.md"], ["a.md"], ["a/b.md"]],
    [["app/[id]"], ["app/[id]/page.ts"], ["app/x"]],
    [["."], [".", "a", "a/b"], []],
    [[], [], [".", "a"]],
  ])("%j are files, directories with what is in them, or globs", (given, inside, outside) => {
    const covers = paths(...given)!;
    expect(inside.filter((path) => !covers(path))).toEqual([]);
    expect(outside.filter(covers)).toEqual([]);
  });

  test.each(["/etc", "../x", "", "/"])("that can never match are refused: %j", (path) => {
    expect(() => paths(path)).toThrow(expect.objectContaining({ code: "POLICY_INVALID" }));
  });
});

describe("the time of a scope", () => {
  const timeout = (text: string) =>
    scopeTimeoutMs({ permissions: { bash: { allowed: true, timeout: text } } }, "bash");

  test("is not narrowed where it says nothing", () => {
    expect(scopeTimeoutMs(null, "bash")).toBeNull();
    expect(scopeTimeoutMs({ permissions: { bash: { allowed: true } } }, "bash")).toBeNull();
  });

  test.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["2m", 120_000],
  ])("%s is %d ms", (text, timeoutMs) => {
    expect(timeout(text)).toBe(timeoutMs);
  });

  test.each(["", "30", "s", "0s", "-1s", "1.5s", "30 s", "30S", "1h", "99999999m", "1e3ms"])(
    "%j is refused",
    (text) => {
      expect(() => timeout(text)).toThrow(
        expect.objectContaining({
          code: "POLICY_INVALID",
          message: `Could not use the scope's timeout "${text}" for "bash": write a time above zero like "500ms", "30s" or "2m".`,
        }),
      );
    },
  );
});
