// A project that is moved or removed while a cell is open on it: that is said, and never that a file is missing.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CellOptions, openCell } from "../../../src/cell.ts";
import { openCliWorld } from "../../kit/worlds/cli-world.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const READS = [
  ["read_file", { path: "a" }],
  ["list_directory", {}],
  ["search_files", { pattern: "o" }],
  ["write_file", { path: "new", content: "" }],
] as const;

async function codesAfter(act: (project: string) => void, options: Partial<CellOptions>) {
  const top = tempDir();
  const workspace = path.join(top, "project");
  fs.mkdirSync(workspace);
  for (const name of ["a", "b"]) fs.writeFileSync(path.join(workspace, name), "one\n");
  const cell = await openCell({
    workspace,
    stateDir: path.join(top, "state"),
    trust: "autonomous",
    ...options,
  });
  onTestFinished(() => cell.close());
  await cell.call({ name: "write_file", arguments: { path: "a", content: "two\n" } });
  act(workspace);
  const codes: unknown[] = [];
  for (const [name, args] of READS) codes.push((await cell.call({ name, arguments: args })).error?.code);
  return codes;
}

const remove = (project: string) => fs.rmSync(project, { recursive: true });
const move = (project: string) => fs.renameSync(project, `${project}-moved`);
const UNUSABLE = READS.map(() => "WORKSPACE_UNUSABLE");

describe("every call says that the workspace can't be used", () => {
  test.each([
    ["removed", "on the host", remove, { fs: "host" }],
    ["removed", "in a session by the strategy kernel", remove, { strategy: "kernel" }],
    ["removed", "in a session by the strategy clone", remove, { strategy: "clone" }],
    ["moved", "in a session by the strategy kernel", move, { strategy: "kernel" }],
    ["moved", "in a session by the strategy clone", move, { strategy: "clone" }],
  ] as const)("when the project was %s, %s", async (_, __, act, options) => {
    expect(await codesAfter(act, options)).toEqual(UNUSABLE);
  });
});

test("a call in a session of a project that is gone says so", async () => {
  const { run, root } = openCliWorld({ a: "a\n" });
  const id = (await run(["session", "create", "--strategy", "clone"])).out.trim();
  remove(root);
  expect(await run(["call", "read_file", '{"path":"a"}', "--session", id])).toEqual({
    code: 2,
    out: "",
    err: `hotcell: Could not open the workspace "${root}": there is no such directory. Move the project back.\n`,
  });
});
