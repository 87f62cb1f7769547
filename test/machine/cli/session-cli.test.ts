// `hotcell session` as a process: terminals, signals and pipes. It needs `npm run build`.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../kit/worlds/document.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const BIN = path.join(ROOT, "bin/hotcell.js");

interface World {
  readonly root: string;
  readonly id: string;
  hotcell(...args: string[]): { status: number | null; stdout: string; stderr: string };
  /** Runs a program that has the open session as `session`. */
  inSession(program: string): NodeJS.Signals | null;
  /** In a pseudo-terminal, typing the keys one after the other, each when another question is there. */
  inTerminal(args: readonly string[], keys: readonly string[]): Promise<{ status: number; shown: string }>;
  bash(script: string): { stdout: string; stderr: string };
}

function openWorld(files: Readonly<Record<string, string>>, change: string): World {
  const top = tempDir();
  const root = path.join(top, "project");
  const stateDir = path.join(top, "state");
  fs.mkdirSync(root);
  for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(root, name), content);
  const options = {
    cwd: root,
    env: { PATH: process.env.PATH, HOTCELL_STATE_DIR: stateDir, NODE: process.execPath, BIN },
    encoding: "utf8",
  } as const;
  const hotcell = (...args: string[]) => spawnSync(process.execPath, [BIN, ...args], options);
  const id = hotcell("session", "create").stdout.trim();
  const world: World = {
    root,
    id,
    hotcell,
    inSession(program) {
      const script = `
        import { createProtection } from "${ROOT}dist/policy/protected.js";
        import { openSession } from "${ROOT}dist/workspace/session/session.js";
        const session = await openSession("${id}", { stateDir: "${stateDir}", protectionOf: createProtection() });
        ${program}
        session.close();`;
      const { signal, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], options);
      if (stderr !== "") throw new Error(stderr);
      return signal;
    },
    async inTerminal(args, keys) {
      const line = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(" ");
      const child = spawn("script", ["-qec", line, "/dev/null"], options);
      let shown = "";
      let typed = 0;
      child.stdout.on("data", (chunk) => {
        shown += chunk;
        const asked = shown.match(/\[y[^\]]*\] /g)?.length ?? 0;
        for (; typed < Math.min(asked, keys.length); typed++) child.stdin.write(keys[typed]!);
      });
      const [status] = await once(child, "exit");
      return { status, shown };
    },
    bash: (script) =>
      spawnSync("bash", ["--norc", "-c", `hotcell() { "$NODE" "$BIN" "$@"; }\n${script}`], options),
  };
  expect(world.inSession(change)).toBe(null);
  return world;
}

const FILES = { a: "a\n", b: "b\n" };
const CHANGE = `await session.change({ id: "c1", tool: "write_file" }, async () => {
  session.workspace.write("a", "new a\\n");
  session.workspace.write("b", "new b\\n");
});`;

const contents = ({ root }: World) =>
  ["a", "b"].map((name) => fs.readFileSync(path.join(root, name), "utf8"));

test("in a terminal commit -p asks for each hunk, and takes what gets a y", async () => {
  const world = openWorld(FILES, CHANGE);
  const { status, shown } = await world.inTerminal(
    ["session", "commit", "last", "-p"],
    ["?\r", "n\r", "y\r"],
  );
  expect(shown).toContain("\u001b[32m+new a\u001b[m");
  expect(shown).toContain("a  commit it and the rest of this file");
  expect([status, contents(world)]).toEqual([0, ["a\n", "new b\n"]]);
});

test.each([
  ["Ctrl-C", "\u0003", 130],
  ["Ctrl-D", "\u0004", 1],
  ["Enter", "\r", 1],
])("%s at a question commits nothing, and leaves the session as it was", async (_, key, exit) => {
  const world = openWorld(FILES, CHANGE);
  const { status } = await world.inTerminal(["session", "commit", "last"], [key]);
  expect([status, contents(world)]).toEqual([exit, ["a\n", "b\n"]]);
  expect(world.hotcell("session", "commit", "last", "--yes").status).toBe(0);
  expect(contents(world)).toEqual(["new a\n", "new b\n"]);
});

test("a pipe that is closed early ends a diff quietly", () => {
  const lines = `"x\\n".repeat(1000000)`;
  const world = openWorld(FILES, CHANGE.replace('"new a\\n"', lines).replace('"new b\\n"', lines));
  for (const flag of ["--patch", "--json", "--stat", ""]) {
    const { stdout, stderr } = world.bash(
      `hotcell session diff last ${flag} | head -c 4 | wc -c; echo "\${PIPESTATUS[0]}"`,
    );
    expect([flag, stdout.split(/\s+/), stderr]).toEqual([flag, ["4", "0", ""], ""]);
  }
});

test.each([
  ["rolled back", "done === 1", ["a\n", "b\n"]],
  ["finished", "done === total", ["new a\n", "new b\n"]],
])("a commit that was killed is told of, and %s by recover", (result, when, then) => {
  const world = openWorld(FILES, CHANGE);
  const kill = `await session.commit({}, {
    onProgress: (done, total) => { if (${when}) process.kill(process.pid, "SIGKILL"); },
  });`;
  expect(world.inSession(kill)).toBe("SIGKILL");
  expect(JSON.parse(world.hotcell("session", "list", "--json").stdout)).toMatchObject([
    { state: "interrupted" },
  ]);
  const refused = world.hotcell("session", "commit", "last", "--yes", "--json");
  expect([refused.status, JSON.parse(refused.stdout).error.code]).toEqual([1, "COMMIT_INTERRUPTED"]);
  expect(refused.stderr).toContain("Run hotcell session recover first.");
  expect(JSON.parse(world.hotcell("session", "recover", "--json").stdout)).toEqual([
    { session: world.id, tx: "1", result },
  ]);
  expect(contents(world)).toEqual(then);
  expect(world.hotcell("session", "recover").stdout).toBe("Nothing to recover.\n");
});
