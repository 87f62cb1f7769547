// More cases of WebAssembly/wasi-testsuite for preview1: what is opened, with which rights, and trailing slashes.
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { openHostFixture } from "../../../../test/kit/worlds/wasi-guest.ts";

const ROOT = 3;
const [CREATE, DIRECTORY, TRUNCATE, NONBLOCK] = [1, 2, 8, 4];
/** The bits of rights, as preview1 numbers them. */
const rightsOf = (...bits: readonly number[]) => bits.reduce((sum, bit) => sum | (1n << BigInt(bit)), 0n);
const [READ, WRITE, ALLOCATE, SET_PATH_SIZE] = [1, 6, 8, 19].map((bit) => rightsOf(bit)) as [
  bigint,
  bigint,
  bigint,
  bigint,
];
const OF_DIRECTORIES = rightsOf(9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 23, 24, 25, 26);
const OF_FILES = rightsOf(0, 1, 2, 3, 4, 5, 6, 7, 8, 21, 22, 23, 27);

let guest: ReturnType<typeof openHostFixture>;
beforeEach(() => {
  guest = openHostFixture();
});
const at = (name: string) => path.join(guest.root, name);
const create = (name: string, rights = READ | WRITE) => guest.open(name, { flags: CREATE, rights }) as number;

interface Rights {
  readonly rights: bigint;
  readonly inherited: bigint;
}

describe("opening", () => {
  test("path_open_preopen: a mount has the rights of directories and can be opened with them, with none, not to write", () => {
    const { rights, inherited } = guest.fdstat(ROOT) as Rights;
    expect([rights & OF_DIRECTORIES, inherited & (OF_DIRECTORIES | OF_FILES)]).toEqual([
      OF_DIRECTORIES,
      OF_DIRECTORIES | OF_FILES,
    ]);
    const same = guest.open(".", { rights, inherited }) as number;
    expect(guest.fdstat(same)).toMatchObject({ kind: 3, rights, inherited });
    const none = guest.open(".", { rights: 0n }) as number;
    expect(guest.fdstat(none)).toMatchObject({ kind: 3, rights: 0n, inherited: 0n });
    expect([0n, READ].map((each) => typeof guest.open(".", { flags: DIRECTORY, rights: each }))).toEqual([
      "number",
      "number",
    ]);
    expect(guest.open(".", { flags: DIRECTORY, rights: READ | WRITE })).toBe("EISDIR");
  });
  test("path_open_nonblock: a directory and a file can be opened with the flag", () => {
    fs.writeFileSync(at("f"), "x");
    expect(typeof guest.open(".", { rights: 0n, fdFlags: NONBLOCK })).toBe("number");
    const file = guest.open("f", { rights: READ, fdFlags: NONBLOCK }) as number;
    expect([guest.fdstat(file), guest.read(file, 1)]).toMatchObject([{ flags: NONBLOCK }, "x"]);
  });
  test("fopen-with-access, fopen-with-no-access: a file in a mount is opened, one that is in none is not", () => {
    fs.writeFileSync(at("f"), "");
    fs.writeFileSync(path.join(guest.root, "../outside"), "");
    const file = guest.open("f", {}) as number;
    expect(guest.call("fd_close", file)).toBe("ok");
    expect([guest.open("no.dir/f", {}), guest.open("../outside", {}), guest.open("f", { fd: 99 })]).toEqual([
      "ENOENT",
      "EPERM",
      "EBADF",
    ]);
  });
  test("fdopendir-with-access: an opened directory lists its files, with the inodes that path_filestat_get gives", () => {
    fs.mkdirSync(at("d"));
    for (const name of ["d/one", "d/two"]) fs.writeFileSync(at(name), "");
    const dir = guest.open("d", { flags: DIRECTORY, rights: OF_DIRECTORIES }) as number;
    const listed = guest.entries(dir, 4096).filter(({ name }) => !name.startsWith("."));
    expect(listed.map(({ name }) => name)).toEqual(["one", "two"]);
    for (const { name, inode } of listed) expect(guest.stat(`d/${name}`)).toMatchObject({ inode });
    expect(listed[0]!.inode).not.toBe(listed[1]!.inode);
  });
  test("overwrite_preopen: a directory takes the place of a mount, and leaves its own", () => {
    fs.mkdirSync(at("d"));
    fs.writeFileSync(at("d/f"), "");
    const dir = guest.open("d", { flags: DIRECTORY, rights: OF_DIRECTORIES }) as number;
    expect([guest.call("fd_renumber", dir, ROOT), guest.fdstat(dir)]).toEqual(["ok", "EBADF"]);
    expect([guest.stat("f"), guest.stat("d")]).toMatchObject([{ kind: 4n }, "ENOENT"]);
  });
  test("truncation_rights: a directory without the right to set sizes truncates nothing", () => {
    fs.writeFileSync(at("f"), "abc");
    const { rights, inherited } = guest.fdstat(ROOT) as Rights;
    expect(guest.call("fd_fdstat_set_rights", ROOT, rights & ~SET_PATH_SIZE, inherited)).toBe("ok");
    expect(guest.open("f", { flags: TRUNCATE })).toBe("ENOTCAPABLE");
    expect(fs.readFileSync(at("f"), "utf8")).toBe("abc");
  });
});

describe("files", () => {
  test("file_unbuffered_write: another descriptor reads at once what one has written", () => {
    const reader = create("f", READ);
    const writer = guest.open("f", { rights: WRITE }) as number;
    for (const text of ["a", "b"])
      expect([guest.write(writer, text), guest.read(reader, 9)]).toEqual([1, text]);
    expect([writer, reader].map((fd) => guest.call("fd_close", fd))).toEqual(["ok", "ok"]);
  });
  test("file_allocate: fd_allocate is ENOTSUP and changes nothing, EBADF without the right or of no file", () => {
    const file = create("f", WRITE | ALLOCATE);
    expect(guest.call("fd_allocate", file, 0n, 100n)).toBe("ENOTSUP");
    expect(fs.statSync(at("f")).size).toBe(0);
    const writes = guest.open("f", { rights: WRITE }) as number;
    expect([writes, ROOT, 1, 99].map((fd) => guest.call("fd_allocate", fd, 0n, 1n))).toEqual(
      Array(4).fill("EBADF"),
    );
  });
});

describe("trailing slashes", () => {
  test("path_rename_dir_trailing_slashes: a directory is renamed with one in either name, in both and in none", () => {
    fs.mkdirSync(at("a"));
    for (const [from, to] of [
      ["a/", "b"],
      ["b", "a/"],
      ["a/", "b/"],
      ["b", "a"],
    ] as const)
      expect([guest.move("path_rename", from, to), fs.readdirSync(guest.root)]).toEqual([
        "ok",
        [to.replace("/", "")],
      ]);
  });
  test("path_symlink_trailing_slashes: a link is never made at such a name", () => {
    expect([guest.symlink("f", "l/"), guest.symlink("f", "l")]).toEqual(["ENOENT", "ok"]);
    fs.mkdirSync(at("d"));
    fs.writeFileSync(at("file"), "");
    expect(["d/", "d", "file/", "file"].map((name) => guest.symlink("f", name))).toEqual([
      "EEXIST",
      "EEXIST",
      "ENOTDIR",
      "EEXIST",
    ]);
    expect(fs.readdirSync(guest.root)).toEqual(["d", "file", "l"]);
  });
});
