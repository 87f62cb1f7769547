// As root, what the cell makes belongs to the owner of the project, and what it replaces keeps its owner.
// As anybody else everything is one's own.
import fs from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { type HostWorld, makeHostWorld } from "../../kit/worlds/host-workspace.ts";

const self = { uid: process.getuid!(), gid: process.getgid!() };
const owner = IS_ROOT ? { uid: 65534, gid: 65534 } : self;
const other = IS_ROOT ? { uid: 1234, gid: 5678 } : self;

let world: HostWorld;
let workspace: WorkspaceFS;

beforeAll(() => {
  world = makeHostWorld();
  fs.chownSync(world.root, owner.uid, owner.gid);
  workspace = world.open();
});
afterAll(() => {
  workspace.close();
  world.remove();
});

function ownerAt(path: string): { uid: number; gid: number } {
  const { uid, gid } = fs.lstatSync(`${world.root}/${path}`);
  return { uid, gid };
}

test("new files, directories, links and copies belong to the owner of the project", () => {
  workspace.write("a/b/written", "x");
  workspace.append("c/appended", "x");
  workspace.mkdir("d/e");
  workspace.symlink("b/written", "a/link");
  workspace.copy("a", "copies/tree");
  workspace.copy("a/b/written", "copies/file");
  workspace.rename("c/appended", "r/renamed");
  const made = Array.from(workspace.walk("."), ({ path }) => path);
  expect(made.length).toBe(15);
  expect(made.filter((path) => ownerAt(path).uid !== owner.uid || ownerAt(path).gid !== owner.gid)).toEqual(
    [],
  );
});

test("a file that is replaced or appended to keeps its owner, whoever that is", () => {
  for (const [file, whose] of [
    ["others", other],
    ["roots", self],
  ] as const) {
    fs.writeFileSync(`${world.root}/${file}`, "old");
    fs.chownSync(`${world.root}/${file}`, whose.uid, whose.gid);
    workspace.write(file, "new");
    workspace.append(file, "more");
    fs.linkSync(`${world.root}/${file}`, `${world.root}/${file}-again`);
    workspace.append(file, "by a copy");
    expect(ownerAt(file)).toEqual(whose);
  }
});

test("a copy of somebody else's file belongs to the owner of the project", () => {
  fs.mkdirSync(`${world.root}/theirs`);
  fs.writeFileSync(`${world.root}/theirs/f`, "");
  for (const path of ["theirs", "theirs/f"]) fs.chownSync(`${world.root}/${path}`, other.uid, other.gid);
  workspace.copy("theirs", "ours");
  expect([ownerAt("ours"), ownerAt("ours/f")]).toEqual([owner, owner]);
});
