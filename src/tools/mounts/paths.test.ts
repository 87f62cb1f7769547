// 002's path grammar, step 1: forward slashes, and no ./ or / before the mount.
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openMounts } from "../../../test/kit/worlds/mounts-world.ts";

const refused = (code: string, message: string) => ({
  ok: false,
  error: { code, message: expect.stringContaining(message) },
});

test.each([
  "@project\\dir\\f",
  "@project/dir\\f",
  "/@project/dir/f",
  ".//./@project\\dir/f",
  "\\@project\\dir\\f",
])("%s is @project/dir/f", async (at) => {
  const { call } = await openMounts({}, { "dir/f": "x" });
  expect(await call("fs.read", { path: at })).toMatchObject({
    ok: true,
    path: "@project/dir/f",
    content: "x",
  });
});

test("a new file with a backslash in its path is made in the directory", async () => {
  const { call, root } = await openMounts({}, { "dir/f": "x" });
  expect(await call("fs.write", { path: "@project/dir\\new.txt", content: "n" })).toMatchObject({
    path: "@project/dir/new.txt",
  });
  expect([fs.readdirSync(root), fs.readFileSync(path.join(root, "dir/new.txt"), "utf8")]).toEqual([
    ["dir"],
    "n",
  ]);
});

test.each(["@project/dir\\..\\..\\x.txt", "@project\\..\\x.txt", "/@project/../x.txt", "@project/dir\\.."])(
  '%s is refused for its ".."',
  async (at) => {
    const { call, root } = await openMounts({}, { "dir/f": "x" });
    expect(await call("fs.write", { path: at, content: "" })).toEqual(
      refused("E_SANDBOX_VIOLATION", '".." is not allowed'),
    );
    expect(fs.readdirSync(root)).toEqual(["dir"]);
  },
);

test.each(["@project/src\\new\\a", "/@project/src/a", "\\@project\\src\\a"])(
  "a rule that denies @project/src/** denies %s",
  async (at) => {
    const { cell } = await openMounts({ rules: ["deny fs.write(@project/src/**)"] });
    expect(cell.explain("fs.write", { path: at, content: "" })).toMatchObject({ decision: "deny" });
  },
);

test.each(["@project\\.env", "/@project/.env"])("a secret is one by %s too", async (at) => {
  const { call } = await openMounts({}, { ".env": "KEY" });
  expect(await call("fs.read", { path: at })).toEqual(refused("E_SANDBOX_VIOLATION", "protected"));
});

test("a name with odd bytes is taken as it is shown, with its backslash", async () => {
  const { call, root } = await openMounts();
  fs.writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]), "x");
  expect(await call("fs.read", { path: "@project/caf\\xe9" })).toMatchObject({
    path: "@project/caf\\xe9",
    content: "x",
  });
});

test("a link to a file whose name has a backslash is judged by that file", async () => {
  const { call, root } = await openMounts({ rules: ["deny fs.read(@project/a/**)"] }, { "a\\..\\b": "x" });
  fs.symlinkSync("a\\..\\b", path.join(root, "link"));
  expect(await call("fs.read", { path: "@project/link" })).toMatchObject({ ok: true, content: "x" });
});

test.each(["@project/newdir/", "@project/newdir\\", "@project/newdir//", "@project/newdir/."])(
  "a file named as a directory, %s, is not written",
  async (at) => {
    const { call, root } = await openMounts();
    expect(await call("fs.write", { path: at, content: "x" })).toEqual(
      refused("E_INVALID_ARGUMENTS", "names a directory"),
    );
    expect(fs.readdirSync(root)).toEqual([]);
  },
);

test("a directory is listed and searched with a slash behind its name", async () => {
  const { call } = await openMounts({}, { "dir/f": "x" });
  expect(await call("fs.list", { path: "@project/dir/" })).toMatchObject({
    path: "@project/dir",
    entries: [{ name: "f" }],
  });
  expect(await call("fs.search", { path: "@project/dir/", pattern: "x" })).toMatchObject({
    path: "@project/dir",
    matches: [{ path: "@project/dir/f", line: 1 }],
  });
});
