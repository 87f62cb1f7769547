import assert from "node:assert/strict";
import fs from "node:fs";
import { expectRefusal } from "./suite.ts";
import type { Checks } from "./workspace-contract.ts";

const MIB = 1024 * 1024;
const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

export const READING: Checks = {
  "read gives the bytes of a file as they are"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, EVERY_BYTE);
    assert.deepEqual(workspace.read("f"), EVERY_BYTE);
  },

  "read gives nothing for an empty file"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "");
    assert.equal(workspace.read("f").length, 0);
  },

  "read takes 1 MiB whole and refuses one byte more"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, Buffer.alloc(MIB, "a"));
    assert.equal(workspace.read("f").length, MIB);
    fs.appendFileSync(`${root}/f`, "a");
    expectRefusal("FILE_TOO_LARGE", () => workspace.read("f"));
  },

  "read with maxBytes gives the beginning, or all of a shorter file"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, Buffer.alloc(2 * MIB, "ab"));
    assert.equal(workspace.read("f", { maxBytes: 3 }).toString(), "aba");
    assert.equal(workspace.read("f", { maxBytes: 0 }).length, 0);
    assert.equal(workspace.read("f", { maxBytes: 3 * MIB }).length, 2 * MIB);
  },

  "stream gives the whole file in pieces of at most 1 MiB"({ workspace, root }) {
    const content = Buffer.alloc(3 * MIB + 5, EVERY_BYTE);
    fs.writeFileSync(`${root}/f`, content);
    const pieces = Array.from(workspace.stream("f"), (piece) => Buffer.from(piece));
    assert.ok(pieces.every(({ length }) => length > 0 && length <= MIB));
    assert.ok(Buffer.concat(pieces).equals(content));
  },

  "stream gives no piece of an empty file"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "");
    assert.deepEqual([...workspace.stream("f")], []);
  },

  "open gives a file's canonical path, its size, and its bytes as often as they are asked for"({
    workspace,
    root,
  }) {
    fs.mkdirSync(`${root}/d`);
    fs.writeFileSync(`${root}/d/f`, EVERY_BYTE);
    fs.symlinkSync("d", `${root}/l`);
    const file = workspace.open("l/f");
    assert.deepEqual([file.path, file.size], ["d/f", 256]);
    fs.renameSync(`${root}/d/f`, `${root}/d/g`);
    for (let times = 0; times < 2; times++) {
      assert.deepEqual(Buffer.concat(Array.from(file.chunks(), (chunk) => Buffer.from(chunk))), EVERY_BYTE);
    }
    file.close();
  },

  "stat tells kind, size, mode, time and count of links"({ workspace, root }) {
    fs.writeFileSync(`${root}/f`, "12345");
    fs.chmodSync(`${root}/f`, 0o640);
    fs.utimesSync(`${root}/f`, 1, 1_700_000_000);
    fs.linkSync(`${root}/f`, `${root}/g`);
    const expected = { kind: "file", size: 5, mode: 0o640, modifiedMs: 1_700_000_000_000, links: 2 };
    assert.deepEqual(workspace.stat("f"), expected);
  },

  "stat follows a link by default, and not if the caller says so"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    fs.symlinkSync("d", `${root}/l`);
    assert.equal(workspace.stat("l").kind, "directory");
    assert.equal(workspace.stat("l", { follow: false }).kind, "symlink");
  },

  "list gives every entry once, in order of names, links as links"({ workspace, root }) {
    fs.mkdirSync(`${root}/d/sub`, { recursive: true });
    for (const name of ["b", "a", "B", "é"]) fs.writeFileSync(`${root}/d/${name}`, name);
    fs.symlinkSync("nowhere", `${root}/d/l`);
    const { entries, total } = workspace.list("d");
    assert.deepEqual(
      entries.map(({ name, kind }) => [name, kind]),
      [
        ["B", "file"],
        ["a", "file"],
        ["b", "file"],
        ["l", "symlink"],
        ["sub", "directory"],
        ["é", "file"],
      ],
    );
    assert.equal(total, 6);
    assert.deepEqual(entries[0], { name: "B", ...workspace.stat("d/B") });
  },

  "list with a limit gives the first names and counts all"({ workspace, root }) {
    for (const name of ["c", "a", "b"]) fs.writeFileSync(`${root}/${name}`, "");
    const { entries, total } = workspace.list(".", { limit: 2 });
    assert.deepEqual([entries.map(({ name }) => name), total], [["a", "b"], 3]);
    assert.deepEqual(workspace.list(".", { limit: 0 }), { entries: [], total: 3 });
  },

  "list gives nothing for an empty directory"({ workspace }) {
    assert.deepEqual(workspace.list("."), { entries: [], total: 0 });
  },

  "readlink gives a link's own text and refuses what is no link"({ workspace, root }) {
    fs.symlinkSync("../somewhere/else", `${root}/l`);
    fs.writeFileSync(`${root}/f`, "");
    assert.equal(workspace.readlink("l"), "../somewhere/else");
    expectRefusal("NOT_A_FILE", () => workspace.readlink("f"));
    expectRefusal("NOT_FOUND", () => workspace.readlink("missing"));
  },

  "resolve gives the canonical path, also of what is not there yet"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    fs.writeFileSync(`${root}/d/f`, "");
    fs.symlinkSync("d", `${root}/l`);
    const expected = new Map([
      [".", { path: "", kind: "directory" }],
      ["d/..", { path: "", kind: "directory" }],
      ["./l//f", { path: "d/f", kind: "file" }],
      ["l/../l/f", { path: "d/f", kind: "file" }],
      ["l/new/file", { path: "d/new/file", kind: null }],
      [`${workspace.root}/l/f`, { path: "d/f", kind: "file" }],
    ]);
    for (const [path, resolved] of expected) assert.deepEqual(workspace.resolve(path), resolved);
  },

  "a link is followed inside, chains and absolute ones beneath the workspace too"({ workspace, root }) {
    fs.mkdirSync(`${root}/d`);
    fs.writeFileSync(`${root}/d/f`, "through");
    fs.symlinkSync("../d/f", `${root}/d/one`);
    fs.symlinkSync("d/one", `${root}/two`);
    fs.symlinkSync(`${workspace.root}/two`, `${root}/three`);
    for (const path of ["d/one", "two", "three"]) assert.equal(workspace.read(path).toString(), "through");
  },
};
