import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { expectRefusal } from "./suite.ts";
import type { Checks } from "./workspace-contract.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const modeOf = (path: string): number => fs.statSync(path).mode & 0o7777;
const textOf = (path: string): string => fs.readFileSync(path, "utf8");

export const WRITING: Checks = {
  "write makes a file and tells what it wrote"({ workspace, root }) {
    const written = workspace.write("f", "né");
    assert.deepEqual(written, { path: "f", bytes: 3, sha256: sha256("né"), created: true });
    assert.equal(textOf(`${root}/f`), "né");
  },

  "write replaces a whole file, and leaves nothing beside it"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "a longer text than the new one");
    const written = workspace.write("f", Buffer.from([0, 255]));
    assert.deepEqual([written.created, written.bytes], [false, 2]);
    assert.deepEqual(fs.readFileSync(`${root}/f`), Buffer.from([0, 255]));
    assert.deepEqual(fs.readdirSync(root), ["f"]);
  },

  "write takes empty content, for a new file and for one that is there"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "old");
    for (const path of ["f", "new"]) {
      assert.deepEqual([workspace.write(path, "").bytes, textOf(`${root}/${path}`)], [0, ""]);
    }
  },

  "write makes the directories on the way"({ workspace, root }) {
    assert.equal(workspace.write("a/b/c/f", "x").path, "a/b/c/f");
    assert.equal(textOf(`${root}/a/b/c/f`), "x");
  },

  "write keeps the mode of a file that it replaces"({ workspace, root }) {
    for (const mode of [0o600, 0o755, 0o777]) {
      fs.writeFileSync(`${root}/f`, "old");
      fs.chmodSync(`${root}/f`, mode);
      workspace.write("f", "new");
      assert.equal(modeOf(`${root}/f`), mode);
    }
  },

  "write through a link replaces the file that it leads to"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    fs.writeFileSync(`${root}/d/f`, "old");
    fs.symlinkSync("d/f", `${root}/l`);
    assert.equal(workspace.write("l", "new").path, "d/f");
    assert.deepEqual([textOf(`${root}/d/f`), fs.readlinkSync(`${root}/l`)], ["new", "d/f"]);
  },

  "write through a link that leads nowhere makes the file there"({ workspace, root }) {
    fs.symlinkSync("d/f", `${root}/l`);
    assert.deepEqual([workspace.write("l", "new").path, textOf(`${root}/d/f`)], ["d/f", "new"]);
  },

  "write leaves another name of the same file as it was"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "old");
    fs.linkSync(`${root}/f`, `${root}/g`);
    workspace.write("f", "new");
    assert.deepEqual([textOf(`${root}/f`), textOf(`${root}/g`)], ["new", "old"]);
  },

  "write with ifMatchSha256 writes only over that version"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "one");
    assert.equal(workspace.write("f", "two", { ifMatchSha256: sha256("one") }).sha256, sha256("two"));
    expectRefusal("PRECONDITION_FAILED", () =>
      workspace.write("f", "three", { ifMatchSha256: sha256("one") }),
    );
    assert.equal(textOf(`${root}/f`), "two");
    workspace.write("f", "four", { ifMatchSha256: sha256("two").toUpperCase() });
    assert.equal(textOf(`${root}/f`), "four");
  },

  "write with ifMatchSha256 makes no new file"({ workspace, root }) {
    expectRefusal("PRECONDITION_FAILED", () => workspace.write("a/f", "x", { ifMatchSha256: sha256("") }));
    assert.deepEqual(fs.readdirSync(root), []);
  },

  "write refuses a directory, and a path that is written as one"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    expectRefusal("NOT_A_FILE", () => workspace.write("d", "x"));
    expectRefusal("NOT_A_FILE", () => workspace.write("new/", "x"));
    expectRefusal("NOT_A_FILE", () => workspace.write(".", "x"));
    assert.deepEqual(fs.readdirSync(root), ["d"]);
  },

  "append adds to a file and keeps its mode"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "one,");
    fs.chmodSync(`${root}/f`, 0o600);
    workspace.append("f", "two,");
    workspace.append("f", Buffer.from("three"));
    assert.deepEqual([textOf(`${root}/f`), modeOf(`${root}/f`)], ["one,two,three", 0o600]);
  },

  "append makes a file that is not there, with its directories"({ workspace, root }) {
    workspace.append("a/f", "x");
    assert.equal(textOf(`${root}/a/f`), "x");
  },

  "append to a hard link leaves the other name as it was"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "old");
    fs.chmodSync(`${root}/f`, 0o640);
    fs.linkSync(`${root}/f`, `${root}/g`);
    workspace.append("f", "+new");
    assert.deepEqual([textOf(`${root}/f`), textOf(`${root}/g`)], ["old+new", "old"]);
    assert.equal(modeOf(`${root}/f`), 0o640);
  },

  "append refuses a directory"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    expectRefusal("NOT_A_FILE", () => workspace.append("d", "x"));
  },

  "chmod sets permissions, of directories too, and never more than permissions"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "");
    fs.mkdirSync(`${root}/d`);
    workspace.chmod("f", 0o6751);
    workspace.chmod("d", 0o1700);
    assert.deepEqual([modeOf(`${root}/f`), modeOf(`${root}/d`)], [0o751, 0o700]);
  },

  "chmod through a link changes the file that it leads to"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "");
    fs.symlinkSync("f", `${root}/l`);
    workspace.chmod("l", 0o604);
    assert.equal(modeOf(`${root}/f`), 0o604);
    expectRefusal("NOT_FOUND", () => workspace.chmod("missing", 0o600));
  },
};
