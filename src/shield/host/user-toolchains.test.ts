import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { findPlaceFault, findUserToolchains } from "./user-toolchains.ts";
import { VERSION_MANAGERS } from "./version-managers.ts";

/** For a home that is not below /tmp, wherever the checkout is. */
const CACHE = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
let HOME: string;
beforeEach(() => {
  fs.mkdirSync(CACHE, { recursive: true });
  HOME = tempDir(CACHE);
});

function makeHome(...directories: readonly string[]): void {
  for (const at of directories) fs.mkdirSync(path.join(HOME, at), { recursive: true });
}

const find = (entries: readonly string[], env: Record<string, string> = {}) =>
  findUserToolchains({ env: { ...env, PATH: entries.join(":") }, home: HOME });
const inHome = (...at: readonly string[]) => at.map((one) => path.join(HOME, one));

describe("a directory on PATH that belongs to a version manager is visible with what its programs need", () => {
  test.each<[string, string, readonly string[], Record<string, string>]>([
    ["nvm", ".nvm/versions/node/v22.1.0/bin", [".nvm/versions/node/v22.1.0/bin"], {}],
    [
      "fnm",
      ".local/share/fnm/node-versions/v20/installation/bin",
      [".local/share/fnm/node-versions/v20/installation/bin"],
      {},
    ],
    ["volta", ".volta/bin", [".volta"], { VOLTA_HOME: ".volta" }],
    ["mise", ".local/share/mise/installs/node/22/bin", [".local/share/mise/installs/node/22"], {}],
    ["asdf", ".asdf/installs/nodejs/22/bin", [".asdf/installs/nodejs/22"], {}],
    ["asdf", ".asdf/shims", [".asdf"], { ASDF_DATA_DIR: ".asdf" }],
    ["pyenv", ".pyenv/shims", [".pyenv"], { PYENV_ROOT: ".pyenv" }],
    ["pyenv", ".pyenv/plugins/pyenv-virtualenv/shims", [".pyenv"], { PYENV_ROOT: ".pyenv" }],
    ["rbenv", ".rbenv/shims", [".rbenv"], { RBENV_ROOT: ".rbenv" }],
    ["rustup and cargo", ".cargo/bin", [".cargo/bin"], { RUSTUP_HOME: ".rustup" }],
    ["go", "go/bin", ["go/bin"], {}],
    ["go", "sdk/go/bin", ["sdk/go"], {}],
    ["go", "sdk/go1.25.0/bin", ["sdk/go1.25.0"], {}],
    ["go", ".local/go/bin", [".local/go"], {}],
    ["bun", ".bun/bin", [".bun/bin"], {}],
    ["deno", ".deno/bin", [".deno/bin"], {}],
    ["pnpm", ".local/share/pnpm", [".local/share/pnpm"], { PNPM_HOME: ".local/share/pnpm" }],
    ["~/.local/bin", ".local/bin", [".local/bin"], {}],
  ])("%s: %s", (by, at, directories, env) => {
    makeHome(at);
    const [dir] = inHome(at);
    expect(find([dir!])).toEqual({
      entries: [{ at: dir, by, refused: null }],
      directories: inHome(...directories),
      path: [dir],
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, path.join(HOME, value)])),
    });
    expect(VERSION_MANAGERS.map(({ name }) => name)).toContain(by);
  });

  test("~/go/bin with all of ~/go if Go itself is there, not only what go install made", () => {
    makeHome("go/bin");
    fs.writeFileSync(path.join(HOME, "go/VERSION"), "go1.25.0\n");
    expect(find(inHome("go/bin"))).toMatchObject({ path: inHome("go/bin"), directories: inHome("go") });
  });

  test("in the order of PATH, the system's directories included, each once", () => {
    const [node, cargo] = [...inHome(".nvm/versions/node/v22.1.0/bin", ".cargo/bin")];
    makeHome(".nvm/versions/node/v22.1.0/bin", ".cargo/bin");
    const bin = fs.realpathSync("/usr/bin");
    expect(find([cargo!, "/usr/bin", node!, cargo!, "/usr/bin"]).path).toEqual([cargo, bin, node]);
  });

  test("also at a place that a variable names, and through a link", () => {
    makeHome("tools/nvm/versions/node/v1/bin", "shells");
    const [nvm, real, link] = inHome("tools/nvm", "tools/nvm/versions/node/v1/bin", "shells/1_2");
    fs.symlinkSync(path.dirname(real!), link!);
    expect(find([`${link}/bin`], { NVM_DIR: nvm! })).toMatchObject({ path: [real], directories: [real] });
  });

  test("with the installations that links in ~/.local/bin lead to, and nothing else of the home", () => {
    makeHome(".local/bin", ".local/share/pipx/venvs/black/bin", ".local/share/one", "projects", ".ssh");
    const link = (target: string, name: string) =>
      fs.symlinkSync(target, path.join(HOME, ".local/bin", name));
    for (const file of [
      ".local/share/pipx/venvs/black/bin/black",
      ".local/share/one/tool",
      "projects/x",
      ".ssh/id",
    ])
      fs.writeFileSync(path.join(HOME, file), "");
    link("../share/pipx/venvs/black/bin/black", "black");
    link("../share/one/tool", "one");
    link("../../projects/x", "x");
    link("../../.ssh/id", "id");
    link("nowhere", "broken");
    expect([...find(inHome(".local/bin")).directories].sort()).toEqual(
      inHome(".local/bin", ".local/share/one", ".local/share/pipx/venvs/black"),
    );
  });
});

describe("a directory on PATH is not visible", () => {
  test.each([
    ["that nobody knows", "projects/bin", null],
    ["below a version manager's directory but without its programs", ".nvm/other", null],
    ["that is the home's ~/.cargo", ".cargo", null],
  ])("%s", (_, at, refused) => {
    makeHome(at);
    const [dir] = inHome(at);
    expect(find([dir!])).toEqual({
      entries: [{ at: dir, by: null, refused }],
      directories: [],
      path: [],
      env: {},
    });
  });

  test.each([
    ["bin", "it is relative"],
    ["/tmp", "commands have a /tmp of their own"],
  ])("%s: %s", (at, refused) => {
    expect(find([at]).entries).toEqual([{ at, by: null, refused }]);
  });

  test.each([
    ["PYENV_ROOT", ""],
    ["VOLTA_HOME", ".."],
    ["PNPM_HOME", ".config"],
  ])("whose manager would take in the home or a directory of secrets: %s", (variable, root) => {
    makeHome("bin", ".config");
    const at = variable === "PNPM_HOME" ? ".config" : "bin";
    const [dir] = inHome(at);
    expect(find([dir!], { [variable]: path.join(HOME, root) }).directories).toEqual([]);
  });
});

test.each(["/tmp/x", "/tmp", "/var/tmp/x", "/dev/shm/x", "/run/x", "/proc/1"])("%s can't be shown", (at) => {
  expect(findPlaceFault(at)).not.toBeNull();
});

test.each(["/home/me/x", "/tmpx", "/var/lib/x", "/runner"])("%s can be shown", (at) => {
  expect(findPlaceFault(at)).toBeNull();
});
