import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Config, ConfigSources } from "./config.ts";
import { loadConfig } from "./load-config.ts";

let cwd: string;
beforeEach(() => {
  cwd = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-config-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(cwd, { recursive: true });
});

const DEFAULTS: Config = {
  toolRuntime: "builtin",
  toolTimeoutSecs: 60,
  toolMemoryMb: 512,
  toolAllowDirectNetwork: false,
  workspaceFsMode: "overlay",
  trust: "guided",
  approve: "effects",
  rules: [],
  toolsets: ["sidecar"],
  mounts: [],
  agents: [],
  tools: [],
  allowedCommands: [],
  commands: { memoryMb: 4096, processes: 512, diskMb: 8192, outputMb: 64, toolchains: [], env: [] },
  stateDir: "/home/u/.local/state/hotcell",
  protect: { secrets: [], allow: [] },
};

const TOOL = { name: "count", type: "command", description: "Counts.", command: "wc" };

/** The file in the directory, as a user who trusts it says. */
const NAMED = { file: "hotcell.config.json" };
const load = ({ env, ...sources }: Partial<ConfigSources> = {}): Config =>
  loadConfig({ flags: {}, cwd, env: { HOME: "/home/u", ...env }, ...sources });
const write = (value: unknown, name = "hotcell.config.json") =>
  fs.writeFileSync(path.join(cwd, name), typeof value === "string" ? value : JSON.stringify(value, null, 1));
const invalid = (message: string) => expect.objectContaining({ code: "CONFIG_INVALID", message });

describe("settings", () => {
  test("P0.1 P0.2 P0.3 P0.4 P0.5 have defaults", () => {
    expect(load()).toEqual(DEFAULTS);
  });

  test.each([
    [
      "P0.1",
      "TOOL_RUNTIME",
      "toolRuntime",
      [
        ["builtin", "builtin"],
        ["wasm", "wasm"],
      ],
    ],
    [
      "P0.2",
      "TOOL_TIMEOUT_SECS",
      "toolTimeoutSecs",
      [
        ["1", 1],
        ["300", 300],
        ["2147483", 2147483],
      ],
    ],
    [
      "P0.3",
      "TOOL_MEMORY_MB",
      "toolMemoryMb",
      [
        ["16", 16],
        ["65536", 65536],
      ],
    ],
    [
      "P0.4",
      "TOOL_ALLOW_DIRECT_NETWORK",
      "toolAllowDirectNetwork",
      [
        ["true", true],
        ["1", true],
        ["false", false],
        ["0", false],
      ],
    ],
    [
      "P0.5",
      "WORKSPACE_FS_MODE",
      "workspaceFsMode",
      [
        ["host", "host"],
        ["overlay", "overlay"],
        ["agentfs", "agentfs"],
      ],
    ],
    [
      "SPEC 12",
      "HOTCELL_TRUST",
      "trust",
      [
        ["supervised", "supervised"],
        ["autonomous", "autonomous"],
      ],
    ],
    ["SPEC 4", "HOTCELL_STATE_DIR", "stateDir", [["/var/x", "/var/x"]]],
  ] as const)("%s come from the environment: %s", (_, variable, key, cases) => {
    for (const [text, value] of cases) {
      expect(load({ env: { [variable]: text } })).toEqual({ ...DEFAULTS, [key]: value });
    }
    expect(load({ env: { [variable]: "" } })).toEqual(DEFAULTS);
  });

  const RUNTIMES = 'allowed are "builtin", "wasm"';
  const SECONDS = "allowed are whole numbers from 1 to 2147483";
  const MEGABYTES = "allowed are whole numbers from 16 to 65536";
  const MODES = 'allowed are "host", "overlay", "agentfs"';
  test.each([
    ["P0.1", "TOOL_RUNTIME", "docker", `"docker"; ${RUNTIMES}`],
    ["P0.1", "TOOL_RUNTIME", "WASM", `"WASM"; ${RUNTIMES}`],
    ["P0.2", "TOOL_TIMEOUT_SECS", "0", `0; ${SECONDS}`],
    ["P0.2", "TOOL_TIMEOUT_SECS", "60s", `"60s"; ${SECONDS}`],
    ["P0.2", "TOOL_TIMEOUT_SECS", "-1", `"-1"; ${SECONDS}`],
    ["P0.2", "TOOL_TIMEOUT_SECS", "1.5", `"1.5"; ${SECONDS}`],
    ["P0.2", "TOOL_TIMEOUT_SECS", "1e3", `"1e3"; ${SECONDS}`],
    ["P0.2", "TOOL_TIMEOUT_SECS", "2147484", `2147484; ${SECONDS}`],
    ["P0.3", "TOOL_MEMORY_MB", "15", `15; ${MEGABYTES}`],
    ["P0.3", "TOOL_MEMORY_MB", "1GB", `"1GB"; ${MEGABYTES}`],
    ["P0.4", "TOOL_ALLOW_DIRECT_NETWORK", "yes", '"yes"; allowed are true, false'],
    ["P0.5", "WORKSPACE_FS_MODE", "docker", `"docker"; ${MODES}`],
    ["SPEC 12", "HOTCELL_TRUST", "full", '"full"; allowed are "supervised", "guided", "autonomous"'],
  ])(
    "%s that are wrong name the variable, the value and what is allowed: %s=%s",
    (_, variable, text, problem) => {
      expect(() => load({ env: { [variable]: text } })).toThrow(
        invalid(`Could not use the variable ${variable}: it is ${problem}.`),
      );
    },
  );

  test("come from the file", () => {
    const file = {
      $schema: "x",
      toolRuntime: "wasm",
      toolTimeoutSecs: 5,
      toolMemoryMb: 64,
      toolAllowDirectNetwork: true,
      workspaceFsMode: "agentfs",
      trust: "autonomous",
      approve: "calls",
      toolsets: ["sidecar", "mounts"],
      mounts: [{ name: "pkg", path: "pkg" }],
      storage: "storage",
      agents: [{ id: "sm", maxReadBytes: 9 }],
      tools: [TOOL],
      allowedCommands: ["wc"],
      commands: { processes: 9, toolchains: ["py"] },
      stateDir: "state",
      protect: { secrets: ["config/**"] },
    };
    write(file);
    const { $schema: _, ...settings } = file;
    expect(load(NAMED)).toEqual({
      ...settings,
      stateDir: path.join(cwd, "state"),
      storage: path.join(cwd, "storage"),
      mounts: [{ name: "pkg", path: path.join(cwd, "pkg") }],
      rules: [],
      protect: { secrets: ["config/**"], allow: [] },
      commands: { ...DEFAULTS.commands, processes: 9, toolchains: [path.join(cwd, "py")] },
    });
  });

  test("the environment beats the file, and flags beat both", () => {
    write({
      workspaceFsMode: "host",
      trust: "supervised",
      toolTimeoutSecs: 1,
      stateDir: "s",
      toolsets: ["a"],
    });
    const env = { WORKSPACE_FS_MODE: "overlay", HOTCELL_TRUST: "autonomous", HOTCELL_STATE_DIR: "e" };
    const given = { ...DEFAULTS, toolTimeoutSecs: 1 };
    expect(load({ ...NAMED, env })).toEqual({
      ...given,
      workspaceFsMode: "overlay",
      trust: "autonomous",
      stateDir: path.join(cwd, "e"),
      toolsets: ["a"],
    });
    const flags = { fs: "agentfs", trust: "guided", stateDir: "f", toolset: ["mounts"] };
    expect(load({ ...NAMED, env, flags })).toEqual({
      ...given,
      workspaceFsMode: "agentfs",
      trust: "guided",
      stateDir: path.join(cwd, "f"),
      toolsets: ["mounts"],
    });
  });

  test.each([
    [{ fs: "docker" }, `--fs: it is "docker"; ${MODES}`],
    [{ fs: "" }, `--fs: it is ""; ${MODES}`],
    [{ trust: "x" }, '--trust: it is "x"; allowed are "supervised", "guided", "autonomous"'],
    [{ toolset: ["a", "a"] }, '--toolset: it is "a" a second time; give each once'],
    [{ stateDir: "" }, '--state-dir: it is ""; allowed is text that is not empty'],
  ])("of flags that are wrong name the flag: %j", (flags, problem) => {
    expect(() => load({ flags })).toThrow(invalid(`Could not use ${problem}.`));
  });
});

describe("rules", () => {
  test("know their file and line, and those of flags come after them", () => {
    write(
      '{\n  "trust": "guided",\n  "rules": [\n    "ask *",\n\n    "allow read_file", "deny bash"\n  ]\n}\n',
    );
    expect(load({ ...NAMED, flags: { rule: ["allow time.now"] } }).rules).toEqual([
      { text: "ask *", source: "hotcell.config.json", line: 4 },
      { text: "allow read_file", source: "hotcell.config.json", line: 6 },
      { text: "deny bash", source: "hotcell.config.json", line: 6 },
      { text: "allow time.now", source: "--rule" },
    ]);
  });
});

describe("the state directory", () => {
  test.each([
    [{ XDG_STATE_HOME: "/xdg" }, "/xdg/hotcell"],
    [{ XDG_STATE_HOME: "relative" }, "/home/u/.local/state/hotcell"],
    [{ XDG_STATE_HOME: "" }, "/home/u/.local/state/hotcell"],
    [{ XDG_STATE_HOME: "/xdg", HOTCELL_STATE_DIR: "/own" }, "/own"],
    [{ HOME: "" }, path.join(os.homedir(), ".local/state/hotcell")],
  ])("is found from the environment: %j", (env, stateDir) => {
    expect(load({ env }).stateDir).toBe(stateDir);
  });
});

describe("the file", () => {
  test("is looked for in the workspace, or is the one that is named", () => {
    fs.mkdirSync(path.join(cwd, "ws"));
    write({ trust: "supervised" }, "ws/hotcell.config.json");
    write({ trust: "autonomous" }, "mine.json");
    expect(load().trust).toBe("guided");
    expect(load({ workspace: "ws" }).trust).toBe("supervised");
    expect(load({ workspace: "ws", file: "mine.json" }).trust).toBe("autonomous");
  });

  test.each([
    [{ rules: ["deny bash", " allow write_file"] }, '" allow write_file"'],
    [{ trust: "autonomous" }, '"trust": "autonomous"'],
    [{ protect: { allow: [".env"] } }, '"protect.allow"'],
    [{ toolAllowDirectNetwork: true }, '"toolAllowDirectNetwork"'],
    [{ toolTimeoutSecs: 61 }, '"toolTimeoutSecs"'],
    [{ rules: ["ask *"] }, '"ask *"'],
    [{ rules: ["ask run_command(sudo *)"] }, '"ask run_command(sudo *)"'],
    [{ workspaceFsMode: "host" }, '"workspaceFsMode": "host"'],
    [{ stateDir: "/elsewhere" }, '"stateDir"'],
    [{ tools: [TOOL] }, '"tools"'],
    [{ tools: [{ ...TOOL, secrets: ["API_TOKEN"] }] }, '"tools"'],
    [{ allowedCommands: ["curl"] }, '"allowedCommands"'],
    [{ mounts: [{ name: "home", path: "/root" }] }, '"mounts"'],
    [{ storage: "/root" }, '"storage"'],
    [{ agents: [{ id: "a", maxReadBytes: 1_000_000 }] }, '"agents"'],
    [{ commands: { toolchains: ["/root"] } }, '"commands.toolchains"'],
    [{ commands: { env: ["AWS_SECRET_ACCESS_KEY"] } }, '"commands.env"'],
    [{ commands: { memoryMb: 65_536 } }, '"commands.memoryMb"'],
  ])("that a hostile project brings along can't allow itself anything: %j", (file, found) => {
    write(file);
    const message = `Could not use hotcell.config.json: the workspace brings it along, and it has ${found}.`;
    expect(() => load()).toThrow(
      invalid(`${message} If you trust it, name it: --config hotcell.config.json`),
    );
    expect(() => load(NAMED)).not.toThrow();
  });

  test("that a project brings along may make the policy stricter", () => {
    write({ rules: ["deny bash", "ask read_file"], trust: "supervised", protect: { secrets: ["x"] } });
    expect(load().rules.map(({ text }) => text)).toEqual(["deny bash", "ask read_file"]);
  });

  test("that is named must be there", () => {
    expect(() => load({ file: "mine.json" })).toThrow(
      invalid('Could not read the configuration "mine.json": there is no such file.'),
    );
  });

  test.each([
    [{ toolRuntime: "docker" }, '"toolRuntime" at line 2 is "docker"; allowed are "builtin", "wasm"'],
    [
      { trust: "guided", toolTimeoutSecs: "60" },
      '"toolTimeoutSecs" at line 3 is "60"; allowed are whole numbers from 1 to 2147483',
    ],
    [
      { toolAllowDirectNetwork: "true" },
      '"toolAllowDirectNetwork" at line 2 is "true"; allowed are true, false',
    ],
    [{ rules: "ask *" }, '"rules" at line 2 is "ask *"; allowed is a list of 0 to 1000'],
    [{ rules: ["ask *", 1] }, '"rules[1]" at line 4 is 1; allowed is text that is not empty'],
    [{ protect: { secret: [] } }, '"protect.secret" at line 3 is no setting; perhaps "secrets"'],
    [{ toolTimeout: 1 }, '"toolTimeout" at line 2 is no setting; perhaps "toolTimeoutSecs"'],
    [
      { constructor: 1 },
      expect.stringContaining('"constructor" at line 2 is no setting; the settings are "$schema",'),
    ],
    [{ tools: [{ name: "x" }] }, '"tools[0]" at line 3 has no "type"; give it one'],
    [{ tools: [{ type: "shell" }] }, '"tools[0].type" at line 4 is "shell"; allowed are "command", "inline"'],
    [
      { tools: [{ ...TOOL, script: "ls" }] },
      expect.stringContaining('"tools[0].script" at line 8 is no setting; '),
    ],
    [
      { tools: [{ name: "x", type: "inline", description: "X.", interpreter: "cobol", script: "x" }] },
      '"tools[0].interpreter" at line 7 is "cobol"; allowed are "python3", "python", "node", "bash", "sh", "perl", "ruby"',
    ],
    [
      { tools: [{ ...TOOL, secrets: { A: "value" } }] },
      '"tools[0].secrets" at line 8 is an object; allowed is a list of 0 to 1000',
    ],
    [
      { commands: { memoryMb: 1 } },
      '"commands.memoryMb" at line 3 is 1; allowed are whole numbers from 16 to 1073741824',
    ],
    [
      { commands: { processes: 1e300 } },
      '"commands.processes" at line 3 is 1e+300; allowed are whole numbers from 8 to 4194304',
    ],
    [
      { commands: { env: ["A=B"] } },
      '"commands.env[0]" at line 4 is "A=B"; allowed is text that fits ^[^=]+$',
    ],
    [[], "it at line 1 is an array of 0; allowed is an object"],
  ])(
    "that says something wrong is refused with key, line, value and what is allowed: %j",
    (file, problem) => {
      write(file);
      const message =
        typeof problem === "string" ? `Could not use "hotcell.config.json": ${problem}.` : problem;
      expect(() => load()).toThrow(invalid(message));
    },
  );

  test("may begin with a byte order mark", () => {
    write('\ufeff{"trust": "supervised"}');
    expect(load().trust).toBe("supervised");
  });

  test("that is no UTF-8 is refused", () => {
    fs.writeFileSync(path.join(cwd, "hotcell.config.json"), Buffer.from([0x22, 0xff, 0x22]));
    expect(() => load()).toThrow(
      invalid(
        'Could not read the configuration "hotcell.config.json": it is not UTF-8 text. Save it as UTF-8.',
      ),
    );
  });

  test("that is a directory or a device is refused", () => {
    const message = (name: string) =>
      `Could not read the configuration "${name}": it is not a regular file. Give a file.`;
    expect(() => load({ file: "." })).toThrow(invalid(message(".")));
    expect(() => load({ file: "/dev/zero" })).toThrow(invalid(message("/dev/zero")));
  });

  test("above 1 MiB is refused, and of 1 MiB is read", () => {
    write(`{}${" ".repeat(1024 * 1024 - 2)}`);
    expect(load()).toEqual(DEFAULTS);
    write(`{}${" ".repeat(1024 * 1024 - 1)}`);
    expect(() => load()).toThrow(
      invalid(
        'Could not read the configuration "hotcell.config.json": it is larger than 1048576 bytes. Give a smaller file.',
      ),
    );
  });
});

describe("crash-032: a file that breaks fails closed", () => {
  const RULES = '{"rules": ["deny write_file"], "trust": "supervised"}';
  const changed =
    'Could not read the configuration "hotcell.config.json": it changed while it was read. Try again when its writer is done.';

  test("at whatever byte it was cut off, nothing is loaded", () => {
    for (let length = 0; length < RULES.length; length++) {
      write(RULES.slice(0, length));
      expect(() => load(), `${length} bytes`).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    }
  });

  /** Does something to the file after its first bytes were read. */
  const duringRead = (change: () => void) => {
    const { readSync } = fs;
    const read = (fd: number, buffer: Buffer, offset: number, length: number, position: number) =>
      readSync(fd, buffer, offset, Math.min(length, 8), position);
    vi.spyOn(fs, "readSync")
      .mockImplementation(read as typeof fs.readSync)
      .mockImplementationOnce(((...args: Parameters<typeof read>) => {
        const count = read(...args);
        change();
        return count;
      }) as typeof fs.readSync);
  };

  test.each([
    ["truncated", ""],
    ["overwritten by as many bytes", '{"trust": "supervised", "rules": ["deny write_file"]}'],
    ["made longer", `${RULES}    `],
    ["made shorter", "{}"],
  ])("when it is %s meanwhile, nothing is loaded", (_, text) => {
    write(RULES);
    duringRead(() => write(text));
    expect(() => load()).toThrow(invalid(changed));
  });

  test("when another takes its place meanwhile, the one that was opened counts as a whole", () => {
    write(RULES);
    duringRead(() => {
      write("{}", "new.json");
      fs.renameSync(path.join(cwd, "new.json"), path.join(cwd, "hotcell.config.json"));
    });
    expect(load()).toEqual({
      ...DEFAULTS,
      trust: "supervised",
      rules: [{ text: "deny write_file", source: "hotcell.config.json", line: 1 }],
    });
  });

  test("what was loaded before stays as it was, and can't be changed", () => {
    write(RULES);
    const config = load();
    const before = structuredClone(config);
    write('{"trust": "autonomous"}');
    expect(config).toEqual(before);
    const targets = [
      config,
      config.rules,
      config.rules[0]!,
      config.toolsets,
      config.protect,
      config.protect.allow,
    ];
    expect(targets.map((target) => Reflect.set(target, "0", "x"))).toEqual(targets.map(() => false));
  });
});
