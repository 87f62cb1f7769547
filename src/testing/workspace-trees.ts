import assert from "node:assert/strict";
import fs from "node:fs";
import { expectRefusal } from "./suite.ts";
import type { Checks, WorkspaceUnderTest } from "./workspace-contract.ts";

/** d/{a/{deep/f,f},b,l -> a} */
function plant({ root }: WorkspaceUnderTest): void {
  fs.mkdirSync(`${root}/d/a/deep`, { recursive: true });
  for (const file of ["a/deep/f", "a/f", "b"]) fs.writeFileSync(`${root}/d/${file}`, file);
  fs.symlinkSync("a", `${root}/d/l`);
}

const walked = ({ workspace }: WorkspaceUnderTest, path: string): string[] =>
  Array.from(workspace.walk(path), (entry) => `${entry.kind} ${entry.path}`);

const PLANTED = ["directory a", "directory a/deep", "file a/deep/f", "file a/f", "file b", "symlink l"];
const below = (dir: string): string[] => PLANTED.map((line) => line.replace(" ", ` ${dir}/`));

export const TREES: Checks = {
  "walk visits everything once, in order of names, a directory before what is in it"(on) {
    plant(on);
    assert.deepEqual(walked(on, "d"), below("d"));
    assert.deepEqual(walked(on, "."), ["directory d", ...below("d")]);
  },

  "walk enters only the directories that the caller selects"(on) {
    plant(on);
    const asked: string[] = [];
    const enter = (path: string): boolean => asked.push(path) > 0 && path !== "d/a/deep";
    const seen = Array.from(on.workspace.walk("d", { enter }), ({ path }) => path);
    assert.deepEqual(seen, ["d/a", "d/a/deep", "d/a/f", "d/b", "d/l"]);
    assert.deepEqual(asked, ["d/a", "d/a/deep"]);
  },

  "walk gives the state of each entry, of a link itself"(on) {
    plant(on);
    for (const entry of on.workspace.walk("d")) {
      assert.deepEqual(entry.stat(), on.workspace.stat(entry.path, { follow: false }));
    }
  },

  "walk begins where a link leads, and names things by where they are"(on) {
    plant(on);
    assert.deepEqual(walked(on, "d/l"), ["directory d/a/deep", "file d/a/deep/f", "file d/a/f"]);
  },

  "walk does not enter what may not be read, and tells of it"(on) {
    fs.mkdirSync(`${on.root}/.ssh`);
    fs.writeFileSync(`${on.root}/.ssh/config`, "");
    const refused: string[] = [];
    for (const _ of on.workspace.walk(".", { refused: (path) => refused.push(path) }));
    assert.deepEqual([walked(on, "."), refused], [["directory .ssh"], [".ssh"]]);
    expectRefusal("PROTECTED_PATH", () => walked(on, ".ssh"));
    expectRefusal("PROTECTED_PATH", () => on.workspace.list(".ssh"));
  },

  "walk refuses what is no directory"(on) {
    plant(on);
    expectRefusal("NOT_A_DIRECTORY", () => walked(on, "d/b"));
    expectRefusal("NOT_FOUND", () => walked(on, "missing"));
  },

  "remove takes a whole tree away, links in it as links"(on) {
    plant(on);
    fs.writeFileSync(`${on.root}/kept`, "kept");
    fs.symlinkSync("../../kept", `${on.root}/d/a/out`);
    on.workspace.remove("d", { recursive: true });
    assert.deepEqual(fs.readdirSync(on.root), ["kept"]);
    assert.equal(fs.readFileSync(`${on.root}/kept`, "utf8"), "kept");
  },

  "copy copies a file with its mode, over one that is there too"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "new");
    fs.chmodSync(`${root}/f`, 0o750);
    workspace.copy("f", "a/g");
    assert.equal(fs.readFileSync(`${root}/a/g`, "utf8"), "new");
    assert.equal(fs.statSync(`${root}/a/g`).mode & 0o7777, 0o750);
    fs.writeFileSync(`${root}/old`, "old");
    workspace.copy("f", "old");
    assert.equal(fs.readFileSync(`${root}/old`, "utf8"), "new");
    assert.equal(fs.readFileSync(`${root}/f`, "utf8"), "new");
  },

  "copy copies a tree, links as links, modes too"(on) {
    plant(on);
    fs.chmodSync(`${on.root}/d/b`, 0o705);
    fs.chmodSync(`${on.root}/d/a`, 0o750);
    on.workspace.copy("d", "x/e");
    assert.deepEqual(walked(on, "x/e"), below("x/e"));
    assert.deepEqual(walked(on, "d"), below("d"));
    for (const { path, stat } of on.workspace.walk("d")) {
      assert.equal(stat().mode, on.workspace.stat(`x/e${path.slice(1)}`, { follow: false }).mode, path);
    }
    assert.equal(String(on.workspace.read("x/e/l/f")), "a/f");
    assert.equal(fs.readlinkSync(`${on.root}/x/e/l`), "a");
  },

  "copy gives no copy the right to run as another user"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    fs.writeFileSync(`${root}/d/f`, "");
    fs.chmodSync(`${root}/d/f`, 0o6755);
    workspace.copy("d/f", "f");
    workspace.copy("d", "e");
    for (const path of ["f", "e/f"]) assert.equal(fs.statSync(`${root}/${path}`).mode & 0o7777, 0o755);
  },

  "copy refuses a directory into itself, and a target that is there"(on) {
    plant(on);
    expectRefusal("INVALID_ARGUMENTS", () => on.workspace.copy("d", "d/a/new"));
    expectRefusal("INVALID_ARGUMENTS", () => on.workspace.copy(".", "new"));
    expectRefusal("ALREADY_EXISTS", () => on.workspace.copy("d/a", "d"));
    expectRefusal("ALREADY_EXISTS", () => on.workspace.copy("d/a", "d/b"));
    expectRefusal("NOT_A_FILE", () => on.workspace.copy("d/b", "d/a"));
    expectRefusal("NOT_FOUND", () => on.workspace.copy("missing", "x/new"));
    assert.deepEqual(walked(on, "."), ["directory d", ...below("d")]);
  },

  "what is protected inside a tree keeps the whole tree from being moved, copied or removed"(on) {
    plant(on);
    fs.writeFileSync(`${on.root}/d/a/deep/.env`, "KEY=1");
    expectRefusal("PROTECTED_PATH", () => on.workspace.remove("d", { recursive: true }));
    expectRefusal("PROTECTED_PATH", () => on.workspace.rename("d", "e"));
    expectRefusal("PROTECTED_PATH", () => on.workspace.copy("d", "e"));
    const kept = ["directory d", ...below("d"), "file d/a/deep/.env"].sort();
    assert.deepEqual(walked(on, ".").sort(), kept);
  },
};
