// A program that uses the packed files, as strict as TypeScript can be: everything has a type that needs no cast.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { isJsonObject } from "../../../src/core/json.ts";
import type { BuiltinToolName, BuiltinTools } from "../../../src/index.ts";
import { BUILTIN_TOOLS } from "../../../src/tools/builtin-tools.ts";
import { addNodeTypes, CHECKOUT, install } from "../../kit/worlds/installed-package.ts";
import { AGENT, MESSAGES, REVIEW, WRONG } from "../../kit/worlds/strict-programs.ts";

const CONFIG = {
  compilerOptions: {
    target: "es2023",
    lib: ["es2023", "esnext.disposable"],
    module: "nodenext",
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitOverride: true,
    noPropertyAccessFromIndexSignature: true,
    skipLibCheck: false,
    outDir: "../out",
    rootDir: ".",
  },
  files: ["program.ts"],
};

/** Compiles a program against the packed files; gives what the compiler says, and a way to run it. */
function compile(program: string, options: object = {}) {
  const { dir, env } = install();
  addNodeTypes(dir);
  const zod = path.join(path.dirname(dir), "node_modules/zod");
  // A dependency of hotcell may bring it already.
  if (!fs.existsSync(zod)) fs.symlinkSync(path.join(CHECKOUT, "node_modules/zod"), zod);
  const source = path.join(path.dirname(dir), "source");
  fs.mkdirSync(source);
  fs.writeFileSync(path.join(source, "program.ts"), program);
  const compilerOptions = { ...CONFIG.compilerOptions, ...options };
  fs.writeFileSync(path.join(source, "tsconfig.json"), JSON.stringify({ ...CONFIG, compilerOptions }));
  fs.writeFileSync(path.join(path.dirname(dir), "package.json"), '{ "type": "module" }');
  const tsc = path.join(CHECKOUT, "node_modules/typescript/bin/tsc");
  const { stdout: errors } = spawnSync(process.execPath, [tsc, "-p", source], { encoding: "utf8" });
  const run = () => {
    const built = path.join(path.dirname(dir), "out/program.js");
    const { stdout, stderr } = spawnSync(process.execPath, [built], { cwd: dir, env, encoding: "utf8" });
    return stderr === "" ? JSON.parse(stdout) : stderr;
  };
  return { errors, run };
}

describe("a strict program", () => {
  test.each([
    ["a review screen", REVIEW],
    ["an agent", AGENT],
    ["a loop for several providers", MESSAGES],
  ])("that is %s has no cast, no any and no assertion", (_, program) => {
    expect(program).not.toMatch(/\bas\b(?! the clients)|\bany\b(?!: \[)|@ts-|\w!|\]!|\)!/i);
  });

  test("shows a diff with its hunks, the plan and its conflicts, commits one hunk and reverts it", () => {
    const { errors, run } = compile(REVIEW);
    expect(errors).toBe("");
    expect(run()).toEqual({
      created: false,
      changes: { count: 1, paths: ["long.txt"] },
      files: [
        ["a.txt", "modified, +1 -1", 1, "changed in the project: file / file, left"],
        ["long.txt", "modified, +2 -2", 2, null],
      ],
      titles: ["line 1 → 1", "line 1 → 1", "line 27 → 27"],
      first: { kind: "removed", text: "line 1" },
      steps: [["put", "long.txt"]],
      blocked: [0, 0, 0],
      last: 1,
      committed: ["first"],
      paths: ["long.txt"],
      reverted: ["long.txt"],
    });
  });

  test("gives a model its tools, runs the model's calls, and calls built-in tools by their types", () => {
    const { errors, run } = compile(AGENT);
    expect(errors).toBe("");
    expect(run()).toEqual({
      log: ["read_file: ok, reads", "write_file: ok, a.txt"],
      text: "1\tagent",
      exit: 3,
      stdout: "agent\n",
      isKnown: true,
      states: ["running"],
      ended: "ended",
      listed: [["a.txt", "file"]],
      found: [["a.txt", 1]],
      hasTime: true,
      missing: "NOT_FOUND",
      own: "UNKNOWN_TOOL",
      byPerson: "agent\n",
      studio: [4, true, 6, "studio", "NOT_FOUND"],
      web: ["INVALID_ARGUMENTS", null],
      wires: ["object", true],
    });
  });

  test("takes the calls of every provider, gives their messages, and infers the arguments of its own tools", () => {
    const { errors, run } = compile(MESSAGES);
    expect(errors).toBe("");
    expect(run()).toEqual({
      openai: { role: "tool", tool_call_id: "c1", content: '{"sum":3}' },
      anthropic: { role: "user", content: [{ type: "tool_result", tool_use_id: "c3", content: "1\thi" }] },
      ollama: "Error NOT_FOUND",
      output: '{"lines":1}',
      codes: [null, null, "INVALID_ARGUMENTS"],
      replacements: 1,
      paths: ["a.txt"],
      counts: [{ path: "a.txt", count: 1 }],
      strict: false,
    });
  });

  test.each([true, false])(
    "with a wrong argument, output or option does not compile, exactOptionalPropertyTypes being %s",
    (exactOptionalPropertyTypes) => {
      expect(compile(WRONG, { exactOptionalPropertyTypes }).errors).toBe("");
    },
  );
});

/** Each argument of a tool, with whether it is required. */
type ArgumentsOf<T> = {
  readonly [Key in keyof T]-?: Partial<Pick<T, Key>> extends Pick<T, Key> ? false : true;
};

const NO_ARGUMENTS = {};
const ARGUMENTS: { readonly [Name in BuiltinToolName]: ArgumentsOf<BuiltinTools[Name]["arguments"]> } = {
  read_file: { path: true, start_line: false, end_line: false },
  edit_file: { path: true, edits: true },
  write_file: { path: true, content: true },
  list_directory: { path: false, pattern: false, recursive: false },
  search_files: {
    pattern: true,
    path: false,
    glob: false,
    regex: false,
    case_sensitive: false,
    max_results: false,
    context: false,
    show: false,
  },
  find_files: { pattern: true, path: false },
  run_command: { command: true, timeout_ms: false, cwd: false, background: false },
  "time.now": NO_ARGUMENTS,
  process_list: NO_ARGUMENTS,
  process_output: { process_id: true },
  process_stop: { process_id: true },
  run_js: { code: true, input: false },
  session_create: {},
  session_diff: { call: false },
  session_commit: { paths: false, on_conflict: false },
  session_discard: { paths: false },
  session_rewind: { to: true, paths: false },
  kv_get: { key: true },
  kv_set: { key: true, value: true },
  kv_delete: { key: true },
  kv_list: { prefix: false },
  "fs.list": { path: true },
  "fs.read": { path: true, startLine: false, endLine: false },
  "fs.search": { path: true, pattern: true, before: false, after: false, maxMatches: false },
  "fs.write": { path: true, content: true, ifMatchSha256: false },
  "fs.apply_patch": { path: true, patch: true },
  bash: { command: true, timeout: false },
  file_read: { path: true },
  file_write: { path: true, content: true },
  web_search: { query: true, max_results: false },
};

describe("the types of built-in tools", () => {
  const typed = BUILTIN_TOOLS.filter(({ toolset }) => toolset !== "sidecar");

  test("name every tool", () => {
    expect(typed.map(({ name }) => name).sort()).toEqual(Object.keys(ARGUMENTS).sort());
  });

  test("hold for the toolset sidecar: each of its arguments is one of coding's", () => {
    const known = new Map(Object.entries(ARGUMENTS));
    const unknown = BUILTIN_TOOLS.filter(({ toolset }) => toolset === "sidecar").flatMap((tool) =>
      Object.keys(tool.inputSchema.properties ?? {}).filter((key) => !(key in known.get(tool.name)!)),
    );
    expect(unknown).toEqual([]);
  });

  test.each(typed)("have the arguments of the input schema: $name", ({ name, inputSchema }) => {
    const { properties, required = [] } = inputSchema;
    if (!isJsonObject(properties) || !Array.isArray(required)) throw new Error("no schema of an object");
    const expected = Object.keys(properties).map((key) => [key, required.includes(key)]);
    expect(new Map(Object.entries(ARGUMENTS)).get(name)).toEqual(Object.fromEntries(expected));
  });
});
