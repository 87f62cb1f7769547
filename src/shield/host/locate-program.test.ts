import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { locateProgram } from "./locate-program.ts";

/** For a home that is not below /tmp, wherever the checkout is. */
const CACHE = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
let HOME: string;
beforeEach(() => {
  fs.mkdirSync(CACHE, { recursive: true });
  HOME = tempDir(CACHE);
});

const inHome = (at: string) => path.join(HOME, at);

function install(at: string, text = "#!/bin/sh\n", home = HOME): void {
  const file = path.join(home, at);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text, { mode: 0o755 });
}

function link(at: string, target: string): void {
  fs.mkdirSync(path.dirname(inHome(at)), { recursive: true });
  fs.symlinkSync(target, inHome(at));
}

const find = (search: readonly string[], visible: readonly string[] = [], searched: readonly string[] = []) =>
  locateProgram({
    name: "agent",
    searched,
    user: { env: { PATH: search.map(inHome).join(":") }, home: HOME },
    visible: visible.map(inHome),
  });

describe("a program is found with the directories that it needs", () => {
  test("of npm's global prefix: the packages", () => {
    install("npm/lib/node_modules/@x/agent/bin/agent.js", "#!/usr/bin/env node\n");
    link("npm/bin/agent", "../lib/node_modules/@x/agent/bin/agent.js");
    expect(find(["npm/bin"])).toEqual({
      at: inHome("npm/bin/agent"),
      path: inHome("npm/lib/node_modules/@x/agent/bin/agent.js"),
      directories: [inHome("npm/lib/node_modules")],
      faults: [],
    });
  });

  test("in a directory that is shown anyway: by its own name, which some programs go by", () => {
    install(".volta/bin/shim");
    link(".volta/bin/agent", "shim");
    expect(find([".volta/bin"], [".volta"])).toEqual({
      at: inHome(".volta/bin/agent"),
      path: inHome(".volta/bin/agent"),
      directories: [],
      faults: [],
    });
  });

  test("in a virtual environment: that, and its Python by every name that leads there", () => {
    install("uv/python/cpython-3.12.1/bin/python3.12");
    link("uv/python/cpython-3.12", "cpython-3.12.1");
    link("uv/tools/agent/bin/python", inHome("uv/python/cpython-3.12/bin/python3.12"));
    install("uv/tools/agent/pyvenv.cfg");
    install("uv/tools/agent/bin/agent", `#!${inHome("uv/tools/agent/bin/python")}\n`);
    link(".local/bin/agent", inHome("uv/tools/agent/bin/agent"));
    expect(find([".local/bin"])).toMatchObject({
      path: inHome("uv/tools/agent/bin/agent"),
      directories: ["uv/tools/agent", "uv/python/cpython-3.12", "uv/python/cpython-3.12.1"].map(inHome),
      faults: [],
    });
  });

  test("on PATH first, then where its installer puts it; not a directory, nor a file that nobody may run", () => {
    install(".agent/bin/agent");
    expect(find([], [], ["~/.agent/bin"])).toMatchObject({ directories: [inHome(".agent/bin")] });
    fs.mkdirSync(inHome("a/agent"), { recursive: true });
    fs.mkdirSync(inHome("b"));
    fs.writeFileSync(inHome("b/agent"), "");
    install("c/agent");
    expect(find(["a", "b", "c"], [], ["~/.agent/bin"])?.at).toBe(inHome("c/agent"));
    expect(find(["a", "b"])).toBeNull();
  });
});

describe("a program is refused, with the reason", () => {
  test("below /tmp", () => {
    const home = tempDir();
    install("bin/agent", "", home);
    const user = { env: { PATH: `${home}/bin` }, home: HOME };
    expect(locateProgram({ name: "agent", searched: [], user, visible: [] })?.faults).toEqual([
      `${home}/bin cannot be shown to it: commands have a /tmp of their own`,
    ]);
  });

  test.each([".", ".config", ".ssh"])("in %s of the home", (at) => {
    install(`${at}/agent`);
    expect(find([at])?.faults).toEqual([
      `${inHome(at).replace(/\/\.$/, "")} is not shown to it, because it holds more than programs`,
    ]);
  });
});
