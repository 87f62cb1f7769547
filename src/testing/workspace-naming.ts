import assert from "node:assert/strict";
import fs from "node:fs";
import { decodeName, showName } from "../workspace/fs/names.ts";
import { expectRefusal } from "./suite.ts";
import type { Checks } from "./workspace-contract.ts";

const SLASH = 0x2f;
const EVERY_LEGAL_BYTE = Array.from({ length: 255 }, (_, index) => index + 1).filter(
  (byte) => byte !== SLASH,
);

/** Names that are easily mistaken for something else. */
const ODD_NAMES: readonly (string | Buffer)[] = [
  " ",
  "...",
  "-rf",
  "~",
  "%2e%2e",
  "a\nb",
  "a\\b",
  "\\xff",
  "\uFFFD",
  "e\u0301",
  "\u00e9",
  "😀",
  Buffer.from([0xff]),
  Buffer.from([0xc3]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from("\\xff\\", "latin1"),
  Buffer.concat([Buffer.from("\\xff"), Buffer.from([0xfe])]),
  Buffer.concat([Buffer.from("😀"), Buffer.from([0x80])]),
  Buffer.from(EVERY_LEGAL_BYTE.slice(0, 127)),
  Buffer.from(EVERY_LEGAL_BYTE.slice(127)),
];

const bytesAt = (root: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${root}/`), name]);

export const NAMING: Checks = {
  "names are bytes: what list gives can be opened, changed, moved and removed"({ workspace, root }) {
    for (const name of ODD_NAMES) {
      const bytes = Buffer.from(name as string);
      fs.writeFileSync(bytesAt(root, bytes), "old");
      const [entry] = workspace.list(".").entries;
      assert.equal(entry!.name, decodeName(bytes));
      workspace.append(entry!.name, "+");
      workspace.write(entry!.name, `${workspace.read(entry!.name)}new`);
      assert.deepEqual(fs.readdirSync(root, "buffer"), [bytes]);
      assert.equal(fs.readFileSync(bytesAt(root, bytes), "utf8"), "old+new");
      workspace.rename(entry!.name, "plain");
      workspace.copy("plain", entry!.name);
      assert.deepEqual(
        workspace
          .list(".")
          .entries.map((found) => found.name)
          .sort(),
        [decodeName(bytes), "plain"].sort(),
      );
      for (const left of ["plain", entry!.name]) workspace.remove(left);
    }
  },

  "what is shown to a model can be opened, changed and removed by that name"({ workspace, root }) {
    for (const name of ODD_NAMES) {
      const bytes = Buffer.from(name as string);
      fs.mkdirSync(bytesAt(root, bytes));
      const [dir] = workspace.list(".").entries;
      const shown = `${showName(dir!.name)}/${showName(dir!.name)}`;
      workspace.write(`${dir!.name}/${dir!.name}`, "old");
      assert.equal(workspace.read(shown).toString(), "old");
      workspace.write(shown, "new");
      assert.equal(workspace.list(dir!.name).total, 1);
      assert.equal(workspace.resolve(shown).path, `${dir!.name}/${dir!.name}`);
      assert.equal(workspace.read(shown).toString(), "new");
      workspace.remove(showName(dir!.name), { recursive: true });
      assert.deepEqual(fs.readdirSync(root), []);
    }
  },

  "a link's text is bytes too"({ workspace, root }) {
    const odd = decodeName(Buffer.from([0x61, 0xff]));
    workspace.symlink(odd, "l");
    workspace.write("l", "x");
    assert.deepEqual(fs.readdirSync(root, "buffer").at(0), Buffer.from([0x61, 0xff]));
    assert.equal(workspace.readlink("l"), odd);
    assert.equal(workspace.read("l").toString(), "x");
  },

  "one name has one spelling: bytes written as odd ones that are UTF-8 name the plain file"({
    workspace,
    root,
  }) {
    fs.writeFileSync(`${root}/é`, "x");
    assert.equal(workspace.resolve("\uDCC3\uDCA9").path, "é");
    expectRefusal("NOT_FOUND", () => workspace.read("\\xc3\\xa9"));
  },

  "half a character that stands for no byte is refused"({ workspace, root }) {
    for (const path of ["\uD800", "a\uDC7F", "\uDFFFb/c"])
      expectRefusal("INVALID_ARGUMENTS", () => workspace.write(path, "x"));
    assert.deepEqual(fs.readdirSync(root), []);
  },

  "names are never normalised: composed and decomposed are two files"({ workspace }) {
    workspace.write("\u00e9", "composed");
    workspace.write("e\u0301", "decomposed");
    assert.equal(workspace.list(".").total, 2);
    assert.equal(workspace.read("\u00e9").toString(), "composed");
  },

  "the longest name and path work, and one byte more is refused"({ workspace, root }) {
    const name = "n".repeat(255);
    workspace.write(name, "x");
    assert.equal(workspace.read(name).toString(), "x");
    expectRefusal("INVALID_ARGUMENTS", () => workspace.write(`${name}n`, "x"));
    const longest = `${"./".repeat(1920)}${name}`;
    assert.equal(longest.length, 4095);
    assert.equal(workspace.read(longest).toString(), "x");
    workspace.write(`${"d/".repeat(1920)}${name}`, "deep");
    assert.equal(workspace.read(`${"d/".repeat(1920)}${name}`).toString(), "deep");
    expectRefusal("INVALID_ARGUMENTS", () => workspace.read(`././${longest}`));
    workspace.remove("d", { recursive: true });
    assert.deepEqual(fs.readdirSync(root), [name]);
  },
};
