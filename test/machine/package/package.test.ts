// What a user installs: the packed files, with their dependencies beside them and nothing else of the checkout.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { addNodeTypes, CHECKOUT, type Installed, install } from "../../kit/worlds/installed-package.ts";

const CONFIG = { encoding: "utf8" } as const;

test("an installed package has a working command line, library, and the three schemas", () => {
  const { dir, bin, env } = install();
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [bin, ...args], { ...CONFIG, cwd: dir, env });
  expect(run("--version").stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const called = run("call", "read_file", '{"path":"a.txt"}', "--json");
  expect([called.status, JSON.parse(called.stdout).output.content, called.stderr]).toEqual([0, "1\thi", ""]);
  const check = run("run", "--profile-check", "codex", "--json");
  expect(JSON.parse(check.stdout).profile).toBe("codex");
  const script = `
    import { openCell } from "hotcell";
    import { workspaceContract } from "hotcell/testing";
    import schema from "hotcell/config.schema.json" with { type: "json" };
    import profile from "hotcell/profile.schema.json" with { type: "json" };
    import manifest from "hotcell/tool-manifest.schema.json" with { type: "json" };
    const cell = await openCell({ workspace: "." });
    const { success } = await cell.call({ name: "read_file", arguments: { path: "a.txt" } });
    await cell.close();
    console.log(JSON.stringify([success, typeof workspaceContract, schema.type, profile.type, manifest.type]));`;
  const library = spawnSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", script], {
    ...CONFIG,
    cwd: dir,
    env,
  });
  expect([library.stdout, library.stderr]).toEqual(['[true,"function","object","object","object"]\n', ""]);
});

test("nothing of the package runs when it is installed", () => {
  const { bin } = install();
  const manifest = path.join(path.dirname(bin), "../package.json");
  const { scripts = {} } = JSON.parse(fs.readFileSync(manifest, "utf8"));
  const onInstall = ["preinstall", "install", "postinstall", "prepare", "prepublish"];
  expect(onInstall.filter((name) => name in scripts)).toEqual([]);
});

test("npm pack builds first, so that a fresh checkout is never packed without its code", () => {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(CHECKOUT, "package.json"), "utf8"));
  expect(scripts.prepack).toBe("npm run build");
});

test("the published types compile for a strict program that checks them too", () => {
  const { dir } = install();
  addNodeTypes(dir);
  const program = `
    import { type Cell, type CellOptions, createToolHost, defineTool, HotcellError, openCell } from "hotcell";
    import { workspaceContract } from "hotcell/testing";
    const options: CellOptions = { workspace: ".", protect: { secrets: ["a"] }, limits: { processes: 60 } };
    const cell: Cell = await openCell(options);
    const { success, meta } = await cell.call({ name: "read_file", arguments: { path: "a.txt" } });
    const host = createToolHost({ agents: { a: { maxReadBytes: 4 } } });
    const [tool] = host.getVisibleTools({ packageId: "p", agentId: "a" });
    const name: string | undefined = tool?.function.name;
    await host.endRun({ projectRoot: ".", runId: "r" });
    console.log(success, meta.outcome, name, HotcellError, defineTool, workspaceContract);`;
  fs.writeFileSync(path.join(dir, "program.ts"), program);
  const tsc = path.join(CHECKOUT, "node_modules/typescript/bin/tsc");
  const flags = ["--strict", "--module", "nodenext", "--skipLibCheck", "false", "--noEmit"];
  const { stdout, status } = spawnSync(process.execPath, [tsc, ...flags, "program.ts"], {
    ...CONFIG,
    cwd: dir,
  });
  expect([stdout, status]).toEqual(["", 0]);
});

test("a checkout that is not built says what to run", () => {
  const { dir, bin, env } = install();
  fs.rmSync(path.join(path.dirname(bin), "../dist"), { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, [bin, "call", "time.now"], {
    ...CONFIG,
    cwd: dir,
    env,
  });
  expect([status, stderr]).toEqual([2, "hotcell is not built yet. Run: npm ci && npm run build\n"]);
});

/** Runs a call that asks, in a pseudo-terminal, and types the keys once the question is there. */
async function answerInTerminal({ dir, bin, env }: Installed, keys: string): Promise<string> {
  const line = `'${process.execPath}' '${bin}' call write_file '{"path":"b","content":"x"}' --fs host --json`;
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    cwd: dir,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let shown = "";
  let typed = false;
  child.stdout.on("data", (chunk) => {
    shown += chunk;
    if (typed || !shown.includes("[N]o and why:")) return;
    typed = true;
    child.stdin.write(keys);
  });
  await once(child, "exit");
  return shown;
}

test("Ctrl-C while a person is asked cancels the call, prints its observation and leaves an intact log", async () => {
  const installed = install();
  const { dir, bin, env } = installed;
  expect(await answerInTerminal(installed, "\u0003")).toContain('"why":"cancelled"');
  expect(fs.readdirSync(dir)).toEqual(["a.txt"]);
  expect(spawnSync(process.execPath, [bin, "audit", "verify"], { ...CONFIG, env }).status).toBe(0);
});

test("in a terminal, y runs the call", async () => {
  const installed = install();
  expect(await answerInTerminal(installed, "y\r")).toContain('"success":true');
  expect(fs.readFileSync(path.join(installed.dir, "b"), "utf8")).toBe("x");
});

test("output into a pipe that nobody reads to its end does not break the command", () => {
  const { dir, bin, env } = install();
  fs.writeFileSync(path.join(dir, "big"), "x".repeat(1_000_000));
  const line = `'${process.execPath}' '${bin}' call read_file '{"path":"big"}' | head -c 10`;
  const { stdout, stderr } = spawnSync("sh", ["-c", line], { ...CONFIG, cwd: dir, env });
  expect([stdout, stderr]).toEqual(['{\n  "succe', ""]);
});
