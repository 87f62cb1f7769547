// Profiles of `hotcell run`, with stand-ins for the programs: what a program gets, and what a check says.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const CLI = path.join(import.meta.dirname, "../../../bin/hotcell.js");
/** A home that is not below /tmp, wherever the checkout is. */
const CACHE = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");

const PROFILE = {
  program: "agent",
  arguments: ["--no-prompts"],
  variables: { AGENT_MODE: "calm" },
  secrets: ["AGENT_KEY", "AGENT_OTHER_KEY"],
  hosts: ["api.example.com:443"],
  install: "npm install --global agent",
};
const SECRET = "k3y-of-the-agent";
const AGENT = `#!/bin/sh
echo "$*|$AGENT_MODE|$AGENT_KEY|\${AGENT_OTHER_KEY-unset}|\${PRIVATE-unset}"
grep -c api.example.com /etc/hosts
`;

function openWorld({ agent = AGENT, at = "npm/lib/node_modules/agent/agent.sh", parent = CACHE } = {}) {
  fs.mkdirSync(CACHE, { recursive: true });
  const top = tempDir(parent);
  const root = path.join(top, "project");
  fs.mkdirSync(root);
  fs.mkdirSync(path.join(top, "npm/bin"), { recursive: true });
  fs.mkdirSync(path.dirname(path.join(top, at)), { recursive: true });
  fs.writeFileSync(path.join(top, at), agent, { mode: 0o755 });
  fs.symlinkSync(path.join(top, at), path.join(top, "npm/bin/agent"));
  fs.writeFileSync(path.join(top, "config.json"), JSON.stringify({ profiles: { agent: PROFILE } }));
  const env = {
    PATH: `${top}/npm/bin:/usr/bin:/bin`,
    HOME: top,
    HOTCELL_STATE_DIR: path.join(top, "state"),
    HOTCELL_CONFIG: path.join(top, "config.json"),
    AGENT_KEY: SECRET,
    PRIVATE: "of the user",
  };
  const hotcell = (...args: string[]) =>
    spawnSync(process.execPath, [CLI, ...args], { cwd: root, env, encoding: "utf8" });
  return { top, hotcell };
}

describe("a program with a profile", () => {
  test("has the profile's arguments, variables and hosts, of the user's variables only the named ones, and the log masks them", () => {
    const { top, hotcell } = openWorld();
    const { stdout, status, stderr } = hotcell("run", "agent", "--", "agent", "a b");
    expect({ stdout, status }, stderr).toEqual({
      stdout: `--no-prompts a b|calm|${SECRET}|unset|unset\n1\n`,
      status: 0,
    });
    hotcell("run", "agent", "--", "sh", "-c", `echo ${SECRET}`);
    const state = path.join(top, "state/runs");
    const found = spawnSync("grep", ["-rc", SECRET, state], { encoding: "utf8" }).stdout;
    expect(found).toMatch(/execution.jsonl:0/);
    expect(found).not.toMatch(/:[1-9]/);
  });

  test("can be replaced by another one in the same cell", () => {
    const { hotcell } = openWorld();
    const { stdout } = hotcell("run", "agent", "--", "sh", "-c", "echo $AGENT_MODE");
    expect(stdout).toBe("calm\n");
  });

  test("is refused with the reason if it is below /tmp, where commands have a directory of their own", () => {
    const { top, hotcell } = openWorld({ parent: "/tmp" });
    const { status, stderr } = hotcell("run", "agent");
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `hotcell: Could not run "agent": "${top}/npm/bin/agent" is there, but ${top}/npm/lib/node_modules cannot be shown to it: commands have a /tmp of their own. See hotcell run --profile-check agent\n`,
    });
  });
});

describe("a program without a profile", () => {
  test("is refused with the reason if the user has it only below /tmp, by PATH or by its path", () => {
    const { top, hotcell } = openWorld({ parent: "/tmp" });
    for (const [words, name] of [
      [["run", "--", "agent"], "agent"],
      [["run", "agent", "--", "../npm/bin/agent"], "../npm/bin/agent"],
    ] as const)
      expect(hotcell(...words)).toMatchObject({
        status: 2,
        stderr: `hotcell: Could not run "${name}": "${top}/npm/bin/agent" is there, but ${top}/npm/lib/node_modules cannot be shown to it: commands have a /tmp of their own. Put the program elsewhere, for example into ~/.local/bin\n`,
      });
  });

  test("runs if it is in a project below /tmp, or also in the system", () => {
    const { top, hotcell } = openWorld({ parent: "/tmp" });
    const script = "#!/bin/sh\necho of the project\n";
    fs.writeFileSync(path.join(top, "project/tool"), script, { mode: 0o755 });
    expect(hotcell("run", "--", "./tool").stdout).toBe("of the project\n");
    fs.writeFileSync(path.join(top, "npm/bin/echo"), script, { mode: 0o755 });
    expect(hotcell("run", "--", "echo", "of the system").stdout).toBe("of the system\n");
  });
});

describe("a check of a profile", () => {
  test("starts the program, and says what it gets", () => {
    const agent = '#!/bin/sh\necho "agent 1.2 $*"\n';
    const { top, hotcell } = openWorld({ agent });
    const { status, stdout } = hotcell("run", "--profile-check", "agent", "--json");
    expect(status).toBe(0);
    const none = { consequence: null, fix: null };
    expect(JSON.parse(stdout)).toEqual({
      profile: "agent",
      description: "",
      ok: true,
      findings: [
        { name: "program", ok: true, found: `${top}/npm/bin/agent`, ...none },
        { name: "shown", ok: true, found: `${top}/npm/lib/node_modules`, ...none },
        { name: "terminal", ok: true, found: expect.stringContaining("util-linux"), ...none },
        { name: "version", ok: true, found: "agent 1.2 --no-prompts --version", ...none },
      ],
      arguments: ["--no-prompts"],
      variables: { AGENT_MODE: "calm" },
      hosts: ["api.example.com:443"],
      secrets: [
        { name: "AGENT_KEY", isSet: true },
        { name: "AGENT_OTHER_KEY", isSet: false },
      ],
      homeFiles: [],
    });
  });

  test("fails with the reason if the program does not start, or is not there", () => {
    const { top, hotcell } = openWorld({ agent: "#!/bin/sh\necho broken >&2\nexit 3\n" });
    const broken = hotcell("run", "--profile-check", "agent");
    expect(broken.status).toBe(1);
    expect(broken.stdout).toContain("NO  version   status 3: broken\n    Fix: npm install --global agent\n");
    fs.rmSync(path.join(top, "npm/bin/agent"));
    const missing = hotcell("run", "--profile-check", "agent");
    expect(missing.status).toBe(1);
    expect(missing.stdout).toContain('NO  program  there is no program "agent" on your PATH\n');
    expect(hotcell("run", "agent").stderr).toBe(
      'hotcell: Could not run "agent": there is no program "agent" on your PATH. Install it: npm install --global agent. See hotcell run --profile-check agent\n',
    );
  });
});

const AIDER = (python: string) => `#!${python}
import argparse, aider
known = argparse.ArgumentParser(allow_abbrev=False)
for name in ("yes-always", "check-update", "show-release-notes", "analytics"):
    known.add_argument(f"--{name}", action=argparse.BooleanOptionalAction)
known.add_argument("--version", action="version", version=f"aider {aider.__version__}")
known.parse_args()
`;

/** Lays a stand-in for aider out as pipx does: a virtual environment of Python, and a link to its program in ~/.local/bin. */
function installAider(home: string): string {
  const at = path.join(home, ".local/share/pipx/venvs/aider-chat");
  const write = (name: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(at, name)), { recursive: true });
    fs.writeFileSync(path.join(at, name), text, { mode: 0o755 });
  };
  const version = 'import sys; print("python%d.%d" % sys.version_info[:2], end="")';
  const python = spawnSync("/usr/bin/python3", ["-c", version], { encoding: "utf8" }).stdout;
  write("pyvenv.cfg", "home = /usr/bin\n");
  write(`lib/${python}/site-packages/aider/__init__.py`, '__version__ = "0.86.1"\n');
  write("bin/aider", AIDER(path.join(at, "bin/python")));
  fs.symlinkSync("/usr/bin/python3", path.join(at, "bin/python"));
  fs.mkdirSync(path.join(home, ".local/bin"));
  fs.symlinkSync(path.join(at, "bin/aider"), path.join(home, ".local/bin/aider"));
  return at;
}

describe("the check of the profile of aider", () => {
  test("finds a program that pipx installed, starts it with the arguments of the profile, and says what it gets", () => {
    const { top, hotcell } = openWorld();
    const installed = installAider(top);
    const { status, stdout, stderr } = hotcell("run", "--profile-check", "aider", "--json");
    const none = { consequence: null, fix: null };
    expect({ status, ...JSON.parse(stdout) }, stderr).toMatchObject({
      status: 0,
      ok: true,
      findings: [
        { name: "program", ok: true, found: `${top}/.local/bin/aider`, ...none },
        { name: "shown", ok: true, found: installed, ...none },
        { name: "terminal", ok: true },
        { name: "version", ok: true, found: "aider 0.86.1", ...none },
      ],
      hosts: ["api.anthropic.com:443", "api.openai.com:443", "openrouter.ai:443"],
      homeFiles: [{ path: ".aider.conf.yml" }],
    });
    expect(hotcell("run", "aider", "--keep", "--", "aider", "--version").stdout).toBe("aider 0.86.1\n");
  });

  test("says where it searched and how to install it if it is not there", () => {
    const { status, stdout } = openWorld().hotcell("run", "--profile-check", "aider");
    expect(status).toBe(1);
    expect(stdout).toContain(
      'NO  program  there is no program "aider" on your PATH, nor in ~/.local/bin\n    Fix: pipx install aider-chat\n',
    );
  });
});
