import assert from "node:assert/strict";
import fs from "node:fs";
import { expectRefusal } from "./suite.ts";
import type { Checks } from "./workspace-contract.ts";

const textOf = (path: string): string => fs.readFileSync(path, "utf8");

export const CHANGING_ROWS: Checks = {
  "mkdir makes a directory with its parents, and is content when it is there"({ workspace, root }) {
    workspace.mkdir("a/b/c");
    workspace.mkdir("a/b/c");
    workspace.mkdir("a/b/");
    assert.ok(fs.statSync(`${root}/a/b/c`).isDirectory());
  },

  "mkdir refuses a name that a file has"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "");
    expectRefusal("ALREADY_EXISTS", () => workspace.mkdir("f"));
    expectRefusal("NOT_A_DIRECTORY", () => workspace.mkdir("f/d"));
  },

  "remove takes a file away"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "");
    workspace.remove("f");
    assert.deepEqual(fs.readdirSync(root), []);
    expectRefusal("NOT_FOUND", () => workspace.remove("f"));
  },

  "remove takes a link itself, wherever it leads"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    fs.writeFileSync(`${root}/d/f`, "kept");
    for (const target of ["d/f", "d", "nowhere", "/etc/passwd"]) {
      fs.symlinkSync(target, `${root}/l`);
      workspace.remove("l", { recursive: true });
    }
    assert.deepEqual([fs.readdirSync(root), textOf(`${root}/d/f`)], [["d"], "kept"]);
  },

  "remove takes an empty directory, and a full one only when recursive"({ workspace, root }) {
    fs.mkdirSync(`${root}/empty`);
    fs.mkdirSync(`${root}/full`);
    fs.writeFileSync(`${root}/full/f`, "");
    workspace.remove("empty");
    expectRefusal("ALREADY_EXISTS", () => workspace.remove("full"));
    assert.deepEqual(fs.readdirSync(root), ["full"]);
    workspace.remove("full", { recursive: true });
    assert.deepEqual(fs.readdirSync(root), []);
  },

  "remove refuses the workspace itself"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "");
    for (const path of [".", "./", workspace.root])
      expectRefusal("DENIED", () => workspace.remove(path, { recursive: true }));
    assert.deepEqual(fs.readdirSync(root), ["f"]);
  },

  "rename moves a file, over one that is there too"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "new");
    fs.writeFileSync(`${root}/g`, "old");
    workspace.rename("f", "g");
    assert.deepEqual([fs.readdirSync(root), textOf(`${root}/g`)], [["g"], "new"]);
  },

  "rename makes the directories on the way"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "x");
    workspace.rename("f", "a/b/g");
    assert.deepEqual([fs.readdirSync(root), textOf(`${root}/a/b/g`)], [["a"], "x"]);
  },

  "rename moves a directory with all that is in it"({ workspace, root }) {
    fs.mkdirSync(`${root}/d/sub`, { recursive: true });
    fs.writeFileSync(`${root}/d/sub/f`, "x");
    workspace.rename("d", "e");
    assert.deepEqual([fs.readdirSync(root), textOf(`${root}/e/sub/f`)], [["e"], "x"]);
  },

  "rename moves a link itself, and replaces one without following it"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "kept");
    fs.symlinkSync("f", `${root}/l`);
    fs.writeFileSync(`${root}/g`, "new");
    workspace.rename("l", "m");
    assert.equal(fs.readlinkSync(`${root}/m`), "f");
    workspace.rename("g", "m");
    assert.deepEqual([textOf(`${root}/m`), textOf(`${root}/f`)], ["new", "kept"]);
  },

  "rename to the same path changes nothing"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    workspace.rename("d", "./d");
    assert.deepEqual(fs.readdirSync(root), ["d"]);
  },

  "rename refuses a full directory or a file in the place of the other kind"({ workspace, root }) {
    for (const dir of ["d", "full"]) fs.mkdirSync(`${root}/${dir}`);
    for (const file of ["f", "full/f"]) fs.writeFileSync(`${root}/${file}`, "");
    expectRefusal("NOT_A_FILE", () => workspace.rename("f", "d"));
    expectRefusal("NOT_A_DIRECTORY", () => workspace.rename("d", "f"));
    expectRefusal("ALREADY_EXISTS", () => workspace.rename("d", "full"));
    expectRefusal("NOT_A_DIRECTORY", () => workspace.rename("f", "new/"));
    expectRefusal("NOT_FOUND", () => workspace.rename("missing", "new"));
    assert.deepEqual(fs.readdirSync(root), ["d", "f", "full"]);
  },

  "rename refuses a directory into itself, and the workspace, and makes nothing on the way"({
    workspace,
    root,
  }) {
    fs.mkdirSync(`${root}/d`);
    expectRefusal("INVALID_ARGUMENTS", () => workspace.rename("d", "d/a/b"));
    expectRefusal("DENIED", () => workspace.rename(".", "d/a"));
    expectRefusal("DENIED", () => workspace.rename("d", "."));
    assert.deepEqual([fs.readdirSync(root), fs.readdirSync(`${root}/d`)], [["d"], []]);
  },

  "symlink makes a link with the text given, also to what is not there yet"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    workspace.symlink("../f", "d/l");
    workspace.symlink("../../f", "new/dir/l");
    workspace.symlink(`${workspace.root}/f`, "absolute");
    assert.equal(fs.readlinkSync(`${root}/d/l`), "../f");
    assert.equal(fs.readlinkSync(`${root}/absolute`), `${workspace.root}/f`);
    workspace.write("new/dir/l", "x");
    assert.equal(textOf(`${root}/f`), "x");
  },

  "symlink refuses a link that leads outside, by its text or by another link"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    fs.symlinkSync("..", `${root}/d/up`);
    expectRefusal("PATH_OUTSIDE_WORKSPACE", () => workspace.symlink("../x", "l"));
    expectRefusal("PATH_OUTSIDE_WORKSPACE", () => workspace.symlink("/etc/passwd", "l"));
    expectRefusal("PATH_OUTSIDE_WORKSPACE", () => workspace.symlink("../../x", "d/l"));
    expectRefusal("SYMLINK_OUTSIDE_WORKSPACE", () => workspace.symlink("d/up/../x", "l"));
    assert.deepEqual(fs.readdirSync(root), ["d"]);
  },

  "symlink refuses a name that is taken"({ workspace, root }) {
    fs.symlinkSync("nowhere", `${root}/l`);
    expectRefusal("ALREADY_EXISTS", () => workspace.symlink("f", "l"));
  },
};
