// Coding agents of others under `hotcell run`, with their profiles and a scripted model on loopback.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { openClientPrograms, runProgram } from "../kit/worlds/client-programs.ts";
import { ROOT } from "../kit/worlds/document.ts";
import { startScriptedEndpoint } from "../kit/worlds/scripted-endpoint.ts";
import type { ScriptedTurn } from "../kit/worlds/scripted-wires.ts";
import { tempDir } from "../kit/worlds/temp-cell.ts";
import { openTmux, type TmuxTerminal } from "../kit/worlds/tmux.ts";

const CLI = path.join(ROOT, "bin/hotcell.js");
const BROKEN = 'export const slug = (text) => text.toLowerCase().replace(" ", "-");\n';
const FIXED = BROKEN.replace("replace(", "replaceAll(");
const DIFF = `diff --git a/slug.js b/slug.js
--- a/slug.js
+++ b/slug.js
@@ -1 +1 @@
-${BROKEN}+${FIXED}`;
const PROMPT = "Fix the slug.";

interface Agent {
  /** The calls that edit the file and run the test. */
  readonly calls: readonly ScriptedTurn[];
  /** Files of the project by which it finds the model. */
  readonly files: Readonly<Record<string, string>>;
  /** Variables by which it finds the model. */
  readonly env: Readonly<Record<string, string>>;
  /** The lines with which it runs once, and in full screen. */
  readonly once: readonly string[];
  readonly fullScreen: readonly string[];
  /** What its full screen shows when it waits for a prompt, and the prompt that ends it. */
  readonly ready: string;
  readonly quit: string;
}

const AGENTS: Readonly<Record<string, (port: number, project: string) => Agent>> = {
  opencode: (port, project) => ({
    calls: [
      {
        call: [
          "edit",
          { filePath: path.join(project, "slug.js"), oldString: "replace(", newString: "replaceAll(" },
        ],
      },
      { call: ["bash", { command: "node test.js", description: "Runs the test" }] },
    ],
    files: {
      "opencode.json": JSON.stringify({
        // Without this line opencode adds it.
        $schema: "https://opencode.ai/config.json",
        model: "scripted/scripted",
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `http://host.hotcell.internal:${port}/v1`, apiKey: "none" },
            models: { scripted: { tool_call: true } },
          },
        },
      }),
    },
    env: {},
    once: ["run", PROMPT],
    fullScreen: [],
    ready: "Ask anything",
    quit: "/exit",
  }),
  codex: (port) => {
    const provider = `{ name = "scripted", base_url = "http://host.hotcell.internal:${port}/v1", wire_api = "responses" }`;
    const model = ["-c", "model_provider=scripted", "-c", `model_providers.scripted=${provider}`];
    const patch = `*** Begin Patch\n*** Update File: slug.js\n@@\n-${BROKEN}+${FIXED}*** End Patch`;
    return {
      calls: [
        { call: ["exec_command", { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` }] },
        { call: ["exec_command", { cmd: "node test.js" }] },
      ],
      files: {},
      env: {},
      once: ["exec", "--skip-git-repo-check", ...model, "-m", "scripted", PROMPT],
      fullScreen: [...model, "-m", "scripted"],
      ready: "Ask Codex to do anything",
      quit: "/quit",
    };
  },
  gemini: (port, project) => ({
    calls: [
      {
        call: [
          "replace",
          {
            file_path: path.join(project, "slug.js"),
            instruction: "Replace all",
            old_string: "replace(",
            new_string: "replaceAll(",
          },
        ],
      },
      { call: ["run_shell_command", { command: "node test.js" }] },
    ],
    files: { "gemini.json": JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }) },
    env: {
      GOOGLE_GEMINI_BASE_URL: `http://host.hotcell.internal:${port}`,
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: path.join(project, "gemini.json"),
    },
    once: ["-m", "gemini-2.5-pro", "-p", PROMPT],
    fullScreen: ["-m", "gemini-2.5-pro"],
    ready: "Type your message",
    quit: "/quit",
  }),
};

/** A user who has the agents on the PATH. */
function environmentIn(dir: string) {
  return {
    PATH: [...openClientPrograms().agentDirectories, process.env.PATH].join(":"),
    HOME: dir,
    HOTCELL_STATE_DIR: path.join(dir, "state"),
  };
}

/** A project with a failing test, the agent's model, and a user who has the agent on the PATH. */
async function openWorld(name: string) {
  const dir = tempDir();
  const project = path.join(dir, "project");
  fs.mkdirSync(project);
  const turns: ScriptedTurn[] = [];
  const model = await startScriptedEndpoint(turns);
  onTestFinished(model.close);
  const agent = AGENTS[name]!(model.port, project);
  turns.push(...agent.calls, { text: "The slug is fixed." });
  const files = {
    "slug.js": BROKEN,
    "test.js": `import { slug } from "./slug.js";
if (slug("a b c") !== "a-b-c") throw new Error("wrong");
console.log("tests", "pass");\n`,
    "package.json": '{ "type": "module" }\n',
    ...agent.files,
  };
  for (const [file, text] of Object.entries(files)) fs.writeFileSync(path.join(project, file), text);
  const config = path.join(dir, "config.json");
  fs.writeFileSync(
    config,
    JSON.stringify({
      env: Object.keys(agent.env),
      rules: [`allow network(host.hotcell.internal:${model.port})`],
    }),
  );
  const env = {
    ...environmentIn(dir),
    HOTCELL_CONFIG: config,
    GEMINI_API_KEY: "none-of-yours",
    ...agent.env,
  };
  const hotcell = (...args: readonly string[]) =>
    runProgram([process.execPath, CLI, ...args], { cwd: project, env });
  return {
    agent,
    model,
    hotcell,
    dir,
    project,
    env,
    /** What the model got to see. */
    seen: () => JSON.stringify(model.requests),
    /** The project before and after a commit of what the session has. */
    async commit() {
      const read = () => fs.readFileSync(path.join(project, "slug.js"), "utf8");
      const before = read();
      const diff = (await hotcell("session", "diff", "last")).out;
      const { code } = await hotcell("session", "commit", "last", "--yes");
      return { before, diff, code, after: read(), files: fs.readdirSync(project).sort() };
    },
    committed: {
      before: BROKEN,
      diff: DIFF,
      code: 0,
      after: FIXED,
      files: Object.keys(files).sort(),
    },
  };
}

/** The rows and columns of the first terminal in the sandboxes of what runs in a terminal. */
function sizesInside(terminal: TmuxTerminal): Set<string> {
  const shown = execFileSync("ps", ["-e", "-o", "pid=,ppid="], { encoding: "utf8" });
  const processes = shown
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  const below = new Set([terminal.read("pane_pid")]);
  for (const parent of below)
    for (const [pid] of processes.filter(([, ppid]) => ppid === parent)) below.add(pid!);
  const sizes = [...below].flatMap((pid) => {
    const terminals = `/proc/${pid}/root/dev/pts`;
    const { dev = null } = fs.statSync(terminals, { throwIfNoEntry: false }) ?? {};
    if (dev === null || dev === fs.statSync("/dev/pts").dev) return [];
    return spawnSync("stty", ["-F", `${terminals}/0`, "size"], { encoding: "utf8" }).stdout.trim() || [];
  });
  return new Set(sizes);
}

const IS_RECORDING = process.env.HOTCELL_RECORD === "1";

/** The screen when it changes no more, for the picture of the agent's page. */
async function recordScreen(terminal: TmuxTerminal): Promise<string> {
  for (let left = IS_RECORDING ? 20 : 0, before = ""; left > 0; left -= 1) {
    const shown = terminal.capture();
    if (shown === before) break;
    before = shown;
    await setTimeout(500);
  }
  return terminal.capture();
}

/** With HOTCELL_RECORD=1: the picture of the agent's page. */
function drawPage(name: string, project: string, screens: readonly string[]): void {
  if (!IS_RECORDING) return;
  const input = JSON.stringify({ project, screens });
  execFileSync(process.execPath, [path.join(ROOT, "scripts/draw-run.js"), name], { input });
}

describe.each(Object.keys(AGENTS))("%s", (name) => {
  test("edits a file and runs the test; the project is untouched until the commit, and the diff is the edit", async () => {
    const { agent, hotcell, model, seen, commit, committed } = await openWorld(name);
    const { code, out, err } = await hotcell("run", name, "--json", "--", name, ...agent.once);
    expect([code, err]).toEqual([0, expect.stringContaining("The slug is fixed.")]);
    expect(JSON.parse(out)).toMatchObject({
      exitCode: 0,
      changes: 1,
      reached: [{ host: `host.hotcell.internal:${model.port}` }],
    });
    expect(seen()).toContain("tests pass");
    expect(await commit()).toEqual(committed);
  });

  test("its full screen: type, see the answer, resize, quit, keep at the question; the same edit is in the session", async () => {
    const { agent, seen, commit, committed, dir, project, env } = await openWorld(name);
    const terminal = openTmux({ cwd: project, dir, env });
    const words = [process.execPath, CLI, "run", name, "--", name, ...agent.fullScreen];
    terminal.enter(words.map((word) => `'${word}'`).join(" "));
    await terminal.see(agent.ready);
    terminal.type(PROMPT);
    await terminal.see(PROMPT);
    await terminal.pressUntil("Enter", "The slug is fixed.");
    const screen = await recordScreen(terminal);
    expect(sizesInside(terminal)).toEqual(new Set(["40 100"]));
    terminal.resize(80, 30);
    await expect.poll(() => sizesInside(terminal), { timeout: 10_000 }).toEqual(new Set(["30 80"]));
    await terminal.see("The slug is fixed.");
    terminal.type(agent.quit);
    await terminal.see(agent.quit);
    await terminal.pressUntil("Enter", `hotcell: ${name} ended with status 0`);
    await terminal.see("[k]eep in the session");
    drawPage(name, project, [screen, terminal.capture()]);
    terminal.press("Enter");
    await terminal.see(/^\$ $/m);
    expect(terminal.read("alternate_on")).toBe("0");
    expect(seen()).toContain("tests pass");
    expect(await commit()).toEqual(committed);
  });
});

test("claude: the check of its profile finds the program and starts it, and so does a run", async () => {
  const dir = tempDir();
  const project = path.join(dir, "project");
  fs.mkdirSync(project);
  const hotcell = (...args: readonly string[]) =>
    runProgram([process.execPath, CLI, ...args], { cwd: project, env: environmentIn(dir) });
  const check = await hotcell("run", "--profile-check", "claude", "--json");
  expect([check.code, check.err]).toEqual([0, ""]);
  const version = expect.stringMatching(/^\d+\.\d+\.\d+ \(Claude Code\)$/);
  const { ok, findings } = JSON.parse(check.out);
  expect([ok, findings.map(({ name }: { name: string }) => name)]).toEqual([
    true,
    ["program", "shown", "terminal", "version"],
  ]);
  expect(findings.at(-1)).toEqual({
    name: "version",
    ok: true,
    found: version,
    consequence: null,
    fix: null,
  });
  const run = await hotcell("run", "claude", "--keep", "--", "claude", "--version");
  expect([run.code, run.out.trimEnd()]).toEqual([0, version]);
  expect(run.err).toContain("hotcell: claude ended with status 0");
});
