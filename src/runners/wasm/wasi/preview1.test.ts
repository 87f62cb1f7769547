// The cases of WebAssembly/wasi-testsuite for preview1, as calls of the functions themselves.
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { openHostFixture } from "../../../../test/kit/worlds/wasi-guest.ts";

const { READ, WRITE, OPEN, ALL, CREATE, DIRECTORY, EXCLUSIVE, TRUNCATE, APPEND } = {
  READ: 2n,
  WRITE: 64n,
  OPEN: 1n << 13n,
  ALL: (1n << 29n) - 1n,
  CREATE: 1,
  DIRECTORY: 2,
  EXCLUSIVE: 4,
  TRUNCATE: 8,
  APPEND: 1,
};
const ROOT = 3;

let guest: ReturnType<typeof openHostFixture>;
beforeEach(() => {
  guest = openHostFixture({
    args: ["first", 'the "second" arg', "3"],
    env: { a: "text", b: 'escap " ing', c: "new\nline" },
  });
});
const at = (name: string) => path.join(guest.root, name);
const create = (name: string) => guest.open(name, { flags: CREATE, rights: READ | WRITE });

describe("arguments, environment, clocks, random bytes", () => {
  test("args_get and args_sizes_get", () =>
    expect(guest.list("args")).toEqual(["first", 'the "second" arg', "3"]));
  test("environ_get and environ_sizes_get", () =>
    expect(guest.list("environ")).toEqual(["a=text", 'b=escap " ing', "c=new\nline"]));
  test("clock_time_get of a clock that only grows, clock_res_get; an unknown clock is EINVAL", () => {
    const [one, other] = [guest.time(1), guest.time(1)];
    expect(other).toBeGreaterThanOrEqual(one);
    expect([0, 1].map((id) => guest.call("clock_res_get", id, 4096))).toEqual(["ok", "ok"]);
    expect(guest.call("clock_time_get", 9, 0n, 0)).toBe("EINVAL");
    expect(guest.call("clock_res_get", 9, 0)).toBe("EINVAL");
  });
  test("random_get fills any length, and none", () => {
    expect(guest.call("random_get", 4096, 0)).toBe("ok");
    expect(guest.call("random_get", 4096, 60_000)).toBe("ok");
    expect(new Set(guest.bytes(4096, 60_000)).size).toBeGreaterThan(200);
  });
  test("sched_yield", () => expect(guest.call("sched_yield")).toBe("ok"));
  test("proc_exit ends the guest with its code", () =>
    expect(() => guest.call("proc_exit", 33)).toThrow("exit 33"));
  test("there is no proc_raise, sock_accept, sock_recv or sock_send", () => {
    for (const name of ["proc_raise", "sock_accept", "sock_recv", "sock_send"])
      expect(guest.has(name)).toBe(false);
  });
});

describe("places outside the memory", () => {
  test("are EFAULT, not a crash (wasm-046)", () => {
    expect(guest.call("args_get", 0x7fff_ffff, 0)).toBe("EFAULT");
    expect(guest.call("random_get", 65_530, 100)).toBe("EFAULT");
    expect(guest.call("path_filestat_get", ROOT, 0, 65_530, 100, 0)).toBe("EFAULT");
    expect(guest.call("fd_write", 1, 65_532, 1, 0)).toBe("EFAULT");
  });
});

describe("streams", () => {
  test("stdio: output goes where it belongs, input comes to its end", () => {
    expect([guest.write(1, "out"), guest.write(2, "err")]).toEqual([3, 3]);
    expect(guest.said()).toEqual({ stdout: "out", stderr: "err" });
    expect([guest.read(0, 100), guest.read(0, 100)]).toEqual(["input", ""]);
  });
  test("fd_write to an invalid descriptor, and a stream in the wrong direction, is EBADF", () => {
    for (const fd of [99, 0, -1]) expect(guest.write(fd, "x")).toBe("EBADF");
    expect(guest.read(1, 1)).toBe("EBADF");
  });
  test("lseek of a stream is ESPIPE", () => expect(guest.seek(1, 0n, 0)).toBe("ESPIPE"));
  test("sock_shutdown: EBADF of nothing, ENOTSOCK of what is no socket", () => {
    expect(guest.call("sock_shutdown", 99, 1)).toBe("EBADF");
    expect(guest.call("sock_shutdown", ROOT, 1)).toBe("ENOTSOCK");
  });
  test("isatty: a stream is no character device", () => expect(guest.fdstat(1)).toMatchObject({ kind: 0 }));
  test("poll_oneoff of streams answers at once, of a directory with EBADF", () => {
    expect(
      guest.poll([
        { kind: 1, fd: 0 },
        { kind: 2, fd: 1 },
        { kind: 1, fd: ROOT },
      ]),
    ).toEqual([
      { index: 0, errno: "ok" },
      { index: 1, errno: "ok" },
      { index: 2, errno: "EBADF" },
    ]);
    expect(guest.call("poll_oneoff", 4096, 8192, 0, 16)).toBe("EINVAL");
  });
  test("poll_oneoff of a clock waits, and says that it is time", () =>
    expect(guest.poll([{ kind: 0, fd: 1, timeout: 1_000_000n }])).toEqual([{ index: 0, errno: "ok" }]));
});

describe("mounts", () => {
  test("fd_prestat gives the name of a mount, and EBADF of everything else", () => {
    expect(guest.prestat(ROOT)).toBe("/workspace");
    expect(guest.call("fd_prestat_get", 1, 0)).toBe("EBADF");
    expect(guest.call("fd_prestat_dir_name", ROOT, 0, 3)).toBe("ENAMETOOLONG");
  });
  test("close_preopen: a closed mount is gone (wasm-041)", () => {
    expect(guest.call("fd_close", ROOT)).toBe("ok");
    expect([guest.call("fd_close", ROOT), create("f")]).toEqual(["EBADF", "EBADF"]);
  });
  test("fd_renumber takes the place of a mount, and of standard output (wasm-040)", () => {
    const fd = create("f") as number;
    expect([guest.call("fd_renumber", fd, ROOT), guest.call("fd_renumber", 99, 1)]).toEqual(["ok", "EBADF"]);
    expect([guest.fdstat(ROOT), guest.fdstat(fd)]).toMatchObject([{ kind: 4 }, "EBADF"]);
    expect(guest.call("fd_renumber", ROOT, 1)).toBe("ok");
    expect(guest.write(1, "in the file")).toBe(11);
    expect(fs.readFileSync(at("f"), "utf8")).toBe("in the file");
  });
  test("no descriptor beyond the guest's own is open (wasm-039)", () => {
    for (let fd = 4; fd < 1000; fd++) expect(guest.read(fd, 1)).toBe("EBADF");
  });
});

describe("files", () => {
  test("file_pread_pwrite, lseek, fd_tell", () => {
    const fd = create("f") as number;
    expect(guest.write(fd, "hello world")).toBe(11);
    expect([guest.seek(fd, 6n, 0), guest.read(fd, 5), guest.tell(fd)]).toEqual([6n, "world", 11n]);
    expect([guest.pwrite(fd, "H", 0n), guest.pread(fd, 5, 0n), guest.tell(fd)]).toEqual([1, "Hello", 11n]);
    expect([guest.seek(fd, -5n, 2), guest.seek(fd, -99n, 1), guest.seek(fd, 0n, 9)]).toEqual([
      6n,
      "EINVAL",
      "EINVAL",
    ]);
    expect(guest.seek(fd, 100n, 2)).toBe(111n);
  });
  test("pwrite-with-append writes at the end", () => {
    fs.writeFileSync(at("f"), "abc");
    const fd = guest.open("f", { rights: READ | WRITE, fdFlags: APPEND }) as number;
    expect([guest.pwrite(fd, "d", 0n), guest.write(fd, "e")]).toEqual([1, 1]);
    expect(fs.readFileSync(at("f"), "utf8")).toBe("abcde");
  });
  test("an offset that no file has is EFBIG or EINVAL, not a crash (wasm-044)", () => {
    const fd = create("f") as number;
    expect([guest.pwrite(fd, "x", 1n << 62n), guest.pwrite(fd, "x", -1n)]).toEqual(["EFBIG", "EINVAL"]);
  });
  test("file_truncation, truncation_rights: O_TRUNC and set_size; without the right EINVAL", () => {
    fs.writeFileSync(at("f"), "12345");
    const reading = guest.open("f", { rights: READ }) as number;
    expect(guest.call("fd_filestat_set_size", reading, 0n)).toBe("EINVAL");
    const fd = guest.open("f", { rights: ALL }) as number;
    expect(guest.call("fd_filestat_set_size", fd, 2n)).toBe("ok");
    expect(fs.readFileSync(at("f"), "utf8")).toBe("12");
    guest.open("f", { flags: TRUNCATE, rights: WRITE });
    expect(fs.statSync(at("f")).size).toBe(0);
  });
  test("path_open_read_write: a descriptor does what it was opened for", () => {
    fs.writeFileSync(at("f"), "x");
    const [reads, writes] = [
      guest.open("f", { rights: READ }) as number,
      guest.open("f", { rights: WRITE }) as number,
    ];
    expect([guest.write(reads, "y"), guest.read(writes, 1)]).toEqual(["EBADF", "EBADF"]);
  });
  test("path_open_create_existing, path_open_missing", () => {
    expect([
      guest.open("f", {}),
      typeof create("f"),
      guest.open("f", { flags: CREATE | EXCLUSIVE, rights: WRITE }),
    ]).toEqual(["ENOENT", "number", "EEXIST"]);
    expect(guest.open("f/", {})).toBe("ENOTDIR");
    expect(guest.open("new", { flags: CREATE | DIRECTORY })).toBe("EINVAL");
    expect(guest.open("f", { flags: DIRECTORY })).toBe("ENOTDIR");
  });
  test("path_open_dirfd_not_dir", () =>
    expect(guest.open("x", { fd: create("f") as number })).toBe("ENOTDIR"));
  test("fd_advise, fd_sync, flags", () => {
    const fd = create("f") as number;
    expect([
      guest.call("fd_advise", fd, 0n, 1n, 0),
      guest.call("fd_advise", fd, 0n, 1n, 6),
      guest.call("fd_advise", ROOT, 0n, 1n, 0),
    ]).toEqual(["ok", "EINVAL", "EBADF"]);
    expect([guest.call("fd_sync", fd), guest.call("fd_datasync", fd)]).toEqual(["ok", "ok"]);
    expect([guest.call("fd_fdstat_set_flags", fd, APPEND), guest.fdstat(fd)]).toMatchObject([
      "ok",
      { flags: APPEND },
    ]);
    expect(guest.call("fd_fdstat_set_flags", fd, 128)).toBe("EINVAL");
  });
  test("fd_fdstat_set_rights only narrows", () => {
    const fd = guest.open("f", { flags: CREATE, rights: READ | WRITE }) as number;
    expect(guest.call("fd_fdstat_set_rights", fd, READ, 0n)).toBe("ok");
    expect([guest.write(fd, "x"), guest.call("fd_fdstat_set_rights", fd, READ | WRITE, 0n)]).toEqual([
      "EBADF",
      "ENOTCAPABLE",
    ]);
  });
  test("stat-dev-ino, path_filestat: size, kind and inode", () => {
    fs.writeFileSync(at("f"), "123");
    const { ino, size } = fs.statSync(at("f"), { bigint: true });
    expect(guest.stat("f")).toMatchObject({ inode: ino, size, kind: 4n });
    expect([guest.stat("."), guest.stat("no")]).toMatchObject([{ kind: 3n }, "ENOENT"]);
  });
  test("fd_filestat_set, fstflags_validate: times to the microsecond; contradicting flags are EINVAL", () => {
    const fd = create("f") as number;
    expect(guest.call("fd_filestat_set_times", fd, 0n, 1_500_000_000_500_000_000n, 4)).toBe("ok");
    expect(guest.stat("f")).toMatchObject({ modified: 1_500_000_000_500_000_000n });
    for (const flags of [3, 12, 16])
      expect(guest.call("fd_filestat_set_times", fd, 0n, 0n, flags)).toBe("EINVAL");
  });
  test("dangling_fd: an open file outlives its name", () => {
    const fd = create("f") as number;
    expect([guest.path("path_unlink_file", "f"), guest.write(fd, "x"), guest.pread(fd, 1, 0n)]).toEqual([
      "ok",
      1,
      "x",
    ]);
  });
  test("overwriting a descriptor's name keeps the descriptor", () => {
    const fd = create("f") as number;
    fs.renameSync(at("f"), at("g"));
    expect(guest.write(fd, "moved")).toBe(5);
    expect(fs.readFileSync(at("g"), "utf8")).toBe("moved");
  });
});

describe("directories", () => {
  test("path_create_directory, remove_nonempty_directory, trailing slashes", () => {
    expect([
      guest.path("path_create_directory", "d"),
      guest.path("path_create_directory", "d"),
      guest.path("path_create_directory", "e/"),
    ]).toEqual(["ok", "EEXIST", "ok"]);
    fs.writeFileSync(at("d/f"), "");
    expect([
      guest.path("path_remove_directory", "d"),
      guest.path("path_remove_directory", "e/"),
      guest.path("path_remove_directory", "d/f"),
    ]).toEqual(["ENOTEMPTY", "ok", "ENOTDIR"]);
    expect([
      guest.path("path_unlink_file", "d"),
      guest.path("path_unlink_file", "d/f/"),
      guest.path("path_unlink_file", "d/f"),
    ]).toEqual(["EISDIR", "ENOTDIR", "ok"]);
  });
  test("fd_readdir: dots first, each name once, in parts, with cookies", () => {
    for (const name of ["a", "b", "c"]) fs.writeFileSync(at(name), "");
    for (const size of [4096, 60])
      expect(guest.entries(ROOT, size).map(({ name }) => name)).toEqual([".", "..", "a", "b", "c"]);
    expect(guest.call("fd_readdir", create("f") as number, 4096, 100, 0n, 16)).toBe("ENOTDIR");
  });
  test("directory_seek, dir_fd_op_failures: a directory has no position and no content", () => {
    expect([
      guest.seek(ROOT, 0n, 0),
      guest.tell(ROOT),
      guest.read(ROOT, 1),
      guest.write(ROOT, "x"),
      guest.pread(ROOT, 1, 0n),
    ]).toEqual(["EBADF", "EBADF", "EISDIR", "EBADF", "EBADF"]);
    expect(guest.call("fd_filestat_set_size", ROOT, 0n)).toBe("EBADF");
    expect(guest.open(".", { flags: DIRECTORY, rights: WRITE })).toBe("EISDIR");
  });
  test("path_rename: files, directories, and their mixtures", () => {
    fs.mkdirSync(at("d"));
    fs.mkdirSync(at("full"));
    fs.writeFileSync(at("full/x"), "");
    fs.writeFileSync(at("f"), "f");
    expect([
      guest.move("path_rename", "f", "d"),
      guest.move("path_rename", "d", "f"),
      guest.move("path_rename", "d", "full"),
    ]).toEqual(["EISDIR", "ENOTDIR", "ENOTEMPTY"]);
    expect([
      guest.move("path_rename", "f/", "g"),
      guest.move("path_rename", "f", "g"),
      guest.move("path_rename", "no", "x"),
      guest.move("path_rename", "d", "e/"),
    ]).toEqual(["ENOTDIR", "ok", "ENOENT", "ok"]);
    expect(fs.readdirSync(guest.root)).toEqual(["e", "full", "g"]);
  });
});

describe("links", () => {
  test("symlink_create, readlink, symlink_filestat", () => {
    fs.writeFileSync(at("f"), "123456");
    expect(guest.symlink("f", "l")).toBe("ok");
    expect([guest.readlink("l", 100), guest.readlink("l", 0), guest.readlink("f", 10)]).toEqual([
      "f",
      "",
      "EINVAL",
    ]);
    expect([guest.stat("l"), guest.stat("l", true)]).toMatchObject([
      { kind: 7n, size: 1n },
      { kind: 4n, size: 6n },
    ]);
    expect([guest.symlink("f", "l"), guest.symlink("", "m"), guest.symlink("f", "m/")]).toEqual([
      "EEXIST",
      "ENOENT",
      "ENOENT",
    ]);
  });
  test("nofollow_errors, dangling_symlink, symlink_loop: ELOOP where a link must not be followed", () => {
    for (const [target, name] of [
      ["f", "l"],
      ["nowhere", "dangling"],
      ["loop", "loop"],
    ] as const)
      guest.symlink(target, name);
    fs.writeFileSync(at("f"), "");
    expect([
      guest.open("l", {}),
      typeof guest.open("l", { follow: true }),
      guest.open("dangling", {}),
      guest.open("loop", { follow: true }),
    ]).toEqual(["ELOOP", "number", "ELOOP", "ELOOP"]);
    expect([guest.path("path_unlink_file", "dangling"), guest.path("path_unlink_file", "loop")]).toEqual([
      "ok",
      "ok",
    ]);
  });
  test("path_link: another name of the same file; never of a directory, or over what is there", () => {
    fs.writeFileSync(at("f"), "");
    fs.mkdirSync(at("d"));
    expect([guest.link("f", "g"), guest.link("f", "g"), guest.link("d", "e"), guest.link("no", "x")]).toEqual(
      ["ok", "EEXIST", "EPERM", "ENOENT"],
    );
    expect(fs.statSync(at("f")).ino).toBe(fs.statSync(at("g")).ino);
  });
  test("interesting_paths: absolute, empty, too long, with a NUL, above the mount", () => {
    fs.mkdirSync(at("d/e"), { recursive: true });
    fs.writeFileSync(at("d/e/f"), "");
    const odd = ["/d/e/f", "", "x".repeat(5000), "d/e/f\0", "../d", "d/../../d", "d//e/./../e/f", "d/e/f/.."];
    expect(
      odd.map((name) => (typeof guest.open(name, {}) === "number" ? "ok" : guest.open(name, {}))),
    ).toEqual(["EPERM", "ENOENT", "ENAMETOOLONG", "EINVAL", "EPERM", "EPERM", "ok", "ENOTDIR"]);
  });
  test("a directory opened by the guest is its own root", () => {
    fs.mkdirSync(at("d"));
    fs.writeFileSync(at("f"), "");
    const dir = guest.open("d", { flags: DIRECTORY, rights: READ | OPEN }) as number;
    expect(guest.open("../f", { fd: dir })).toBe("EPERM");
  });
});
