// Ways of a guest out of its mount; one test for each described row of test/corpus/wasm.jsonl.
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openHostFixture } from "../../../../test/kit/worlds/wasi-guest.ts";

const CREATE = 1;
const DIRECTORY = 2;
const WRITE = 64n;

let guest: ReturnType<typeof openHostFixture>;
let outside: string;
beforeEach(() => {
  guest = openHostFixture();
  outside = path.join(path.dirname(guest.root), "outside");
  fs.mkdirSync(outside);
  fs.writeFileSync(path.join(outside, "secret.txt"), "CANARY");
  fs.symlinkSync("../outside", path.join(guest.root, "d"));
  fs.writeFileSync(path.join(guest.root, "x"), "x");
});

const outsideNow = () => [fs.readdirSync(outside), fs.readFileSync(path.join(outside, "secret.txt"), "utf8")];
const UNTOUCHED = [["secret.txt"], "CANARY"];

test("positive control: the link leads outside where nothing stops it", () => {
  expect(fs.readFileSync(path.join(guest.root, "d/secret.txt"), "utf8")).toBe("CANARY");
});

test("wasm-026 a hard link of a file outside", () => {
  expect([guest.link("../outside/secret.txt", "in"), guest.link("d/secret.txt", "in")]).toEqual([
    "EPERM",
    "EPERM",
  ]);
});

test("wasm-027 a rename out of the workspace", () => {
  expect([guest.move("path_rename", "x", "../outside/x"), guest.move("path_rename", "x", "d/x")]).toEqual([
    "EPERM",
    "EPERM",
  ]);
  expect(outsideNow()).toEqual(UNTOUCHED);
});

test("wasm-028 a rename of a link to a directory moves the link, and leads nowhere new", () => {
  expect(guest.move("path_rename", "d", "e")).toBe("ok");
  expect(guest.open("e/secret.txt", {})).toBe("EPERM");
});

test("wasm-030 times of a file outside", () => {
  const before = fs.statSync(path.join(outside, "secret.txt")).mtimeMs;
  const [at, length] = [1024, guest.bytes(1024, 64).write("d/secret.txt")];
  expect(guest.call("path_filestat_set_times", 3, 1, at, length, 0n, 0n, 4)).toBe("EPERM");
  expect(fs.statSync(path.join(outside, "secret.txt")).mtimeMs).toBe(before);
});

test("wasm-033 the text of a link is shown: it is in the project", () =>
  expect(guest.readlink("d", 100)).toBe("../outside"));

test("wasm-034 a directory through a link", () => {
  expect(guest.path("path_create_directory", "d/x")).toBe("EPERM");
  expect(outsideNow()).toEqual(UNTOUCHED);
});

test("wasm-035 a listing through a link", () => {
  expect([
    guest.open("d", { flags: DIRECTORY, follow: true }),
    guest.open("d/", { flags: DIRECTORY, follow: true }),
  ]).toEqual(["EPERM", "EPERM"]);
});

test("wasm-036 a workspace that is renamed stays the workspace", () => {
  fs.renameSync(guest.root, `${guest.root}-moved`);
  fs.mkdirSync(guest.root);
  fs.writeFileSync(path.join(guest.root, "other"), "");
  expect([typeof guest.open("x", {}), guest.open("other", {})]).toEqual(["number", "ENOENT"]);
});

test("wasm-047 a mount to read is not written, and the denial is noted", () => {
  const reader = openHostFixture({ access: "read" });
  fs.writeFileSync(path.join(reader.root, "f"), "kept");
  expect([
    reader.open("f", { rights: WRITE }),
    reader.open("g", { flags: CREATE, rights: WRITE }),
    reader.path("path_unlink_file", "f"),
  ]).toEqual(["EROFS", "EROFS", "EROFS"]);
  expect([typeof reader.open("f", {}), reader.denied[0]]).toEqual(["number", "filesystem=write"]);
  const none = openHostFixture({ access: "none" });
  expect([none.open("f", {}), none.denied]).toEqual(["ENOTCAPABLE", ["filesystem"]]);
});
