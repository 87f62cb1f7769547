import assert from "node:assert/strict";
import fs from "node:fs";
import { expectRefusal } from "./suite.ts";
import type { Checks } from "./workspace-contract.ts";

const textOf = (path: string): string => fs.readFileSync(path, "utf8");

export const HANDLES: Checks = {
  "a handle reads and writes at offsets, and writes beyond the end fill with zeros"({ workspace, root }) {
    const handle = workspace.openHandle("f", { create: true, write: true });
    assert.equal(handle.write(Buffer.from("abc"), 2), 3);
    const into = Buffer.alloc(10);
    assert.deepEqual([handle.read(into, 1), into.toString("latin1", 0, 4)], [4, "\0abc"]);
    assert.deepEqual([handle.read(into, 5), handle.stat().size], [0, 5n]);
    handle.truncate(3);
    handle.sync();
    handle.close();
    assert.equal(textOf(`${root}/f`), "\0\0a");
  },

  "a handle for reading changes nothing"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "kept");
    const handle = workspace.openHandle("f");
    expectRefusal("EXECUTION_ERROR", () => handle.write(Buffer.from("x"), 0));
    handle.close();
    assert.equal(textOf(`${root}/f`), "kept");
  },

  "a handle is made exclusively, and truncates"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "old");
    expectRefusal("ALREADY_EXISTS", () =>
      workspace.openHandle("f", { create: true, exclusive: true, write: true }),
    );
    expectRefusal("NOT_FOUND", () => workspace.openHandle("new", { write: true }));
    expectRefusal("NOT_FOUND", () => workspace.openHandle("no/new", { create: true, write: true }));
    workspace.openHandle("f", { write: true, truncate: true }).close();
    workspace.openHandle("new", { create: true, exclusive: true, write: true }).close();
    assert.deepEqual([textOf(`${root}/f`), textOf(`${root}/new`)], ["", ""]);
  },

  "a handle is only for regular files, and follows no link"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    fs.symlinkSync("f", `${root}/l`);
    fs.writeFileSync(`${root}/f`, "kept");
    for (const path of ["d", "l"])
      for (const write of [false, true])
        expectRefusal("NOT_A_FILE", () => workspace.openHandle(path, { write, truncate: write }));
    assert.equal(textOf(`${root}/f`), "kept");
  },

  "a handle is refused outside, and for protected paths"({ workspace, root, outside }) {
    fs.writeFileSync(`${outside}/secret`, "outside");
    fs.symlinkSync("..", `${root}/up`);
    expectRefusal("PATH_OUTSIDE_WORKSPACE", () => workspace.openHandle("../secret"));
    expectRefusal("SYMLINK_OUTSIDE_WORKSPACE", () => workspace.openHandle("up/secret"));
    expectRefusal("PROTECTED_PATH", () => workspace.openHandle(".env", { create: true, write: true }));
    expectRefusal("PROTECTED_PATH", () => workspace.openHandle(".git", { create: true, write: true }));
    assert.equal(textOf(`${outside}/secret`), "outside");
  },

  "a file with several hard links is separated before it is written"({ workspace, root }) {
    fs.writeFileSync(`${root}/other`, "kept");
    fs.linkSync(`${root}/other`, `${root}/f`);
    const handle = workspace.openHandle("f", { write: true });
    handle.write(Buffer.from("INSIDE!"), 0);
    handle.close();
    assert.deepEqual([textOf(`${root}/f`), textOf(`${root}/other`)], ["INSIDE!", "kept"]);
  },

  "link makes another name of a file, which has the same inode"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "x");
    workspace.link("f", "g");
    const [one, other] = [workspace.statEntry("f"), workspace.statEntry("g")];
    assert.deepEqual([one.inode === other.inode, one.links, textOf(`${root}/g`)], [true, 2n, "x"]);
    expectRefusal("ALREADY_EXISTS", () => workspace.link("f", "g"));
    expectRefusal("PROTECTED_PATH", () => workspace.link("f", ".env"));
    fs.mkdirSync(`${root}/d`);
    expectRefusal("NOT_A_FILE", () => workspace.link("d", "e"));
  },

  "listEntries and statEntry show kinds and inodes, and a link as a link"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    fs.writeFileSync(`${root}/f`, "12");
    fs.symlinkSync("f", `${root}/l`);
    const names = workspace.listEntries(".");
    assert.deepEqual(
      names.map(({ name, kind }) => [name, kind]),
      [
        ["d", "directory"],
        ["f", "file"],
        ["l", "symlink"],
      ],
    );
    assert.equal(workspace.statEntry("f").inode, names[1]!.inode);
    assert.deepEqual([workspace.statEntry("l").kind, workspace.statEntry("f").size], ["symlink", 2n]);
    expectRefusal("NOT_A_DIRECTORY", () => workspace.listEntries("f"));
  },

  "setTimes sets what is given, to the microsecond"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "");
    const { accessed } = workspace.statEntry("f");
    workspace.setTimes("f", { accessed: null, modified: 1_600_000_000_123_456_000n });
    const { modified, accessed: kept } = workspace.statEntry("f");
    assert.deepEqual([modified / 1000n, kept / 1_000_000n], [1_600_000_000_123_456n, accessed / 1_000_000n]);
    expectRefusal("NOT_FOUND", () => workspace.setTimes("no", { accessed: null, modified: 0n }));
  },
};
